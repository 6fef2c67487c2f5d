"""What is forced on a seat, or laid blind, before anyone acts: antes, blinds, posts, straddles, kill, bring-in."""

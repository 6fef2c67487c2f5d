"""What happens between two hands: who sits where with what, and the next hand."""

"""What is put right afterwards: steps that are taken back and done again, a wager that was another."""

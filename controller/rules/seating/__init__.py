"""Between two hands: who sits there with what, who is dealt in, where button and blinds stand."""

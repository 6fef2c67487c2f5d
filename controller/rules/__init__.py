"""The rules of the betting: pure, standard library alone, no clock, file, thread or random source."""

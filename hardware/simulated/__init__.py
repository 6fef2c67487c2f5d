"""The table without a table: chips that lie on spots, noise with a seed, emulated readers and boards."""

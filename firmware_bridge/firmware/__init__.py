"""What runs on the panel board under MicroPython, kept to the language that CPython runs as well."""

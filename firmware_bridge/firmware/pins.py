"""Pins of the panel board. The board uses them, and the host writes them into the wiring of a table."""

BUTTON_PINS = (2, 3, 4, 5, 6, 7, 8, 9)
"""Pin GP… of each input, from input 0."""
LAMP_PINS = (10, 11, 12, 13, 14, 15, 18, 19)
"""Pin GP… of each lamp, from lamp 0."""
PRESENCE_PINS = (16, 17, 20, 21, 22, 26, 27, 28)
"""Pin GP… of each presence input, from input 0."""
UART_TX = 0
UART_RX = 1

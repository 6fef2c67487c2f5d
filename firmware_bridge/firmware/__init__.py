"""Firmware of the panel board in MicroPython, limited to the language that CPython runs as well.

`main.PanelFirmware` debounces buttons, sends each press and release until the host has received it, and sets lamps. It
uses pins and UART only through a HAL object, which is `hal.py` on the board and an emulated one in tests. `protocol.py`
has the frames and runs on both ends of the line. Source: readers.md, 4.

Example: encode a frame and decode it again.

    >>> from firmware_bridge.firmware import protocol
    >>> frame = protocol.encode_frame(protocol.HELLO, 1, 0, b"abcd")
    >>> protocol.decode_frame(frame[:-1])
    (1, 1, 0, b'abcd')
"""

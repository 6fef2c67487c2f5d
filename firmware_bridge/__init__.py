"""Drivers and emulators for tag readers and panel boards.

A driver turns a device's bytes into messages, such as the tags at an antenna, and turns requests into bytes. Drivers do
no I/O: they neither read a clock nor touch a port. `serial_port.SerialPort` connects a driver to a real port, and
`emulators.simulated_line.SimulatedLine` to an emulator in simulated time. Nothing in this package knows about chips,
seats or rules.

Example: read one antenna of an emulated FEIG reader in simulated time.

    >>> from firmware_bridge.emulators.feig import FeigEmulator
    >>> from firmware_bridge.emulators.simulated_line import SimulatedLine
    >>> from firmware_bridge.feig import FeigDriver
    >>> driver = FeigDriver("reader", antennas=(1,))
    >>> line = SimulatedLine(driver, FeigEmulator(lambda antenna, now_us: ["E004010000000001"]))
    >>> [*line.plug(), *line.run_until(1_000_000)][0].device
    'reader'
    >>> driver.start_inventory(1, line.now_us)
    >>> [result.tags for result in line.run_until(2_000_000)]
    [('E004010000000001',)]
"""

"""Emulators of readers and panel boards that speak the real protocols byte for byte.

An emulator has no I/O of its own. Its owner passes in bytes and times, and gets answers with the times at which they
reach the host. `simulated_line` connects an emulator to a driver in simulated time. `pty_device` connects an emulator
to a pseudo terminal in real time. `air_time` computes how long an inventory takes, and `fault_injection` makes
inventories fail.

Example: ask an emulated FEIG reader for its tags.

    >>> from firmware_bridge.emulators.feig import FeigEmulator
    >>> from firmware_bridge.feig import frames
    >>> reader = FeigEmulator(lambda antenna, now_us: ["E004010000000001"])
    >>> [(at_us, answer)] = reader.feed(frames.inventory(), now_us=0)
    >>> frames.parse_answer(answer).data.hex()
    '010300e004010000000001'
"""

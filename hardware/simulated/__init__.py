"""Simulated table: chips on spots, seeded noise, and emulated readers and panel boards.

`World` contains every chip and moves chips as people would. `RadioNoise` decides which chips answer an antenna, and
`HumanActions` lets movements take time and go wrong. The emulators of `device_emulators` answer the real drivers byte
for byte. `SimulatedTable` runs emulators and drivers in simulated time, so that the same seed always gives the same
history. `PtyTable` runs the same emulators on pseudo terminals in real time.

Example: bet 30 at seat 1 of a noisy table, and print the settled chips.

    >>> from hardware import layout
    >>> from hardware.events import StackSettled
    >>> from hardware.simulated.noise import USUAL_NOISE, RadioNoise
    >>> from hardware.simulated.table import SimulatedTable
    >>> from hardware.simulated.world import World
    >>> world = World({1: 500, 2: 500}, seed=7)
    >>> table = SimulatedTable(layout.reference_layout(), world, RadioNoise(USUAL_NOISE, seed=7))
    >>> _ = table.settle()
    >>> world.put_on_spot(1, [25, 5])
    >>> [event.chips for event in table.settle() if isinstance(event, StackSettled)]
    [(25, 5)]
"""

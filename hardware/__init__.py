"""Hardware of a poker table: antennas for chips, buttons, lamps and badges.

`SpotMonitor` passes the readings of every antenna to `StackDetector`, which decides which chips are on the spot.
`AntennaScheduler` chooses the antenna that a reader reads next. `TableIO` connects these parts to real serial ports and
adds the presses of keys and seat buttons. `SimulatedTable` does the same with emulated devices in simulated time.
`TableIO` and `SimulatedTable` report the events of `hardware.events`. Nothing in this package knows about bets or
rules.

Example: put a bet in front of seat 1 of a simulated table, and print the events.

    >>> from hardware import layout
    >>> from hardware.simulated.table import SimulatedTable
    >>> from hardware.simulated.world import World
    >>> world = World({1: 500, 2: 500}, seed=7)
    >>> table = SimulatedTable(layout.reference_layout(), world)
    >>> _ = table.settle()
    >>> world.put_on_spot(1, [25, 5])
    >>> [(type(event).__name__, event.spot) for event in table.settle()]
    [('SpotActive', 'bet1'), ('StackProvisional', 'bet1'), ('StackSettled', 'bet1')]
"""

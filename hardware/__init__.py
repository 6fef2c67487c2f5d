"""Hardware of a table: spots with chips, reading order, buttons, lamps and badges.

A reader's driver delivers one reading of an antenna at a time. `SpotMonitor` passes each reading to `StackDetector`,
which decides which chips are on the spot and when a stack is settled. `AntennaScheduler` then chooses the antenna that
the reader reads next. `TableIO` connects this to real serial ports, and adds the presses of keys and seat buttons.
`SimulatedTable` does the same with emulated devices in simulated time. Both report the values of `hardware.events`.
Nothing in this package knows about bets or rules.

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

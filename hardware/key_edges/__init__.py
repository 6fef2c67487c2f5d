"""What lies between the edges of contacts and the presses of people.

`EdgeOrder` puts the edges of several boards in the order of their times. `ContactHealth` then says of each contact
whether a change is a press that counts, and reports contacts that bounce or are stuck.

Example: a key that is down for ten seconds is reported as stuck.

    >>> from hardware.key_edges import STUCK_US, ContactHealth
    >>> contacts = ContactHealth()
    >>> contacts.update("fold", True, 0)
    (True, [])
    >>> contacts.poll(STUCK_US)
    [DeviceDown(device='key-fold', reason='stuck', at_us=10000000)]
"""

from hardware.key_edges.contact_health import MAX_CHANGES, QUIET_US, STUCK_US, ContactHealth
from hardware.key_edges.edge_order import MAX_WAIT_US, EdgeOrder, KeyEdge

__all__ = ["MAX_CHANGES", "MAX_WAIT_US", "QUIET_US", "STUCK_US", "ContactHealth", "EdgeOrder", "KeyEdge"]

"""The dealer's touchscreen: it draws a view of the table and sends the steps that the dealer's touches select.

The service sends views over a Unix socket, and `client` receives them. `state` turns each view and each touch into a
new screen state or a command. `scene` turns a screen state into a picture with places, texts and touch targets. These
two packages need no display, because only `window` and `app` use Kivy. From the controller the screen imports only the
views, the messages, the set-up of the log and the interface to systemd.

A touch on CALL at a sample table becomes a command:

    >>> from ui.state import NamedKey, press_target
    >>> from ui.view_samples import view_samples
    >>> screen = view_samples()[0].screen_state
    >>> screen, command = press_target(screen, NamedKey.CALL)
    >>> command
    OutgoingCommand(do='5 call', view_sequence=101)
"""

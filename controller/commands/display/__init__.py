"""Commands that show a table: on the dealer's screen, in the lessons for dealers, and in a browser.

Import the commands from this package, not from its modules.
"""

from controller.commands.display.pit import pit
from controller.commands.display.practice import practice
from controller.commands.display.screen import screen
from controller.commands.display.web import web

__all__ = ["pit", "practice", "screen", "web"]

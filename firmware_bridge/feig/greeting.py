"""What a reader is asked when it answers for the first time: its version, and how it is set up."""

from __future__ import annotations

from typing import Final

from firmware_bridge.feig import frames
from firmware_bridge.feig.settings import BLOCKS, Wrong, tells_once, wrong_settings

ATTEMPTS: Final = 3
"""What cannot be read then is not known; the reader is used all the same."""
_VERSION: Final = 0
"""In the list of what is still to ask: the version. Configuration block 0 holds nothing."""


class Greeting:
    """What is still to ask, in order, and what was answered."""

    def __init__(self) -> None:
        self.version = b""
        self._pending: list[int] = []
        self._attempts = 0
        self._blocks: dict[int, bytes] = {}
        self.start()

    @property
    def pending(self) -> bool:
        """Something is still to be asked."""
        return bool(self._pending)

    def start(self) -> None:
        """Another reader may be there, or the same one set up anew."""
        self.version = b""
        self._pending = [_VERSION, *BLOCKS]
        self._attempts = 0
        self._blocks.clear()

    def request(self) -> tuple[int, bytes]:
        """The next command, and its frame."""
        if self._pending[0] == _VERSION:
            return frames.VERSION, frames.probe(frames.VERSION)
        return frames.READ_CONFIGURATION, frames.read_configuration(self._pending[0])

    def answered(self, answer: frames.Answer) -> None:
        """The answer to `request`, which may be that the reader does not have it."""
        if answer.status == frames.STATUS_OK:
            if answer.ctrl == frames.VERSION:
                self.version = answer.data
            else:
                self._blocks[self._pending[0]] = answer.data
        self._next()

    def failed(self) -> None:
        """No answer came, or one that cannot be trusted."""
        self._attempts += 1
        if self._attempts >= ATTEMPTS:
            self._next()

    @property
    def tells_once(self) -> bool:
        """A tag that was told rests until the field is taken away."""
        return tells_once(self.version, self._blocks)

    def wrong(self) -> list[Wrong]:
        """What is set up so that chips are not seen, as far as it is known."""
        return wrong_settings(self.version, self._blocks)

    def _next(self) -> None:
        self._pending = self._pending[1:]
        self._attempts = 0

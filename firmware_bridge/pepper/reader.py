"""Eccel Pepper C1 MUX: greeting, antenna selection, inventories, and what to do when the wire misbehaves.

An answer names its command, but not which of several such requests it belongs to. The reader works in order, so once
anything went wrong a probe, another one each time, has to come back: what was late has come before it. Every inventory
begins with the selection of its antenna; it goes on tag by tag, one exchange each.

Source: readers.md, 1 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from firmware_bridge.failures import ATTEMPTS, Failed, Failures, is_tried_again
from firmware_bridge.framing import Frame
from firmware_bridge.link import (
    DOWN_SILENCE,
    KEEPALIVE_US,
    PROBE_MAX_US,
    READER_SILENCE_US,
    SERIAL_GAP_US,
    SERIAL_LATENCY_US,
    LinkNotReadyError,
    LinkState,
    LinkStats,
)
from firmware_bridge.messages import Message, ReaderFault, TagsSeen
from firmware_bridge.patience import US_PER_TAG, Patience
from firmware_bridge.pepper import frames

BAUD: Final = 115_200
BITS_PER_BYTE: Final = 10
"""8N1."""
ANSWER_BYTES: Final = 64
"""Room for the longest answer, that to VERSION."""
SWITCH_US: Final = 5_000
"""Switching the multiplexer."""
MAX_TAGS: Final = 255
"""An inventory that goes on beyond this is broken off: what came is told as not whole."""

_PROBES: Final = (
    (frames.POLLING, frames.polling_off()),
    (frames.VERSION, frames.request(frames.VERSION)),
    (frames.DUMMY, frames.request(frames.DUMMY)),
)
"""In turn; the greeting begins with the first and is done with the second."""
_PROBE_COMMANDS: Final = frozenset(command for command, _ in _PROBES)

Stage: TypeAlias = Literal["select", "start", "next"]


@dataclass(slots=True)
class _Waiting:
    """The one request in flight: a probe, a reboot or a stage of the job."""

    command: int
    deadline_us: int
    noise: bool = False


@dataclass(slots=True)
class _Job:
    antenna: int
    attempts: int = 1
    stage: Stage = "select"
    overdue: bool = False
    """The answer to its start is late: it is taken until the probe behind it has come back."""
    tags: set[str] = field(default_factory=set)
    doubtful: bool = False
    """An answer came twice: another one may have been lost unnoticed, as they have no numbers."""


class PepperReader:
    """Driver of one Pepper C1 MUX (see `link.Reader`). `us_per_tag` is how long a tag may take on the air.

    The link is told down `READER_SILENCE_US` after the last sign of life; while an antenna is read that may hold more
    tags than can be read in that time, when `Patience.silence_us` of it is over.
    """

    def __init__(self, device: str, *, antennas: tuple[int, ...], us_per_tag: int = US_PER_TAG) -> None:
        if not antennas or not all(1 <= antenna <= frames.ANTENNAS for antenna in antennas):
            raise ValueError(f"{device}: antennas {antennas}: numbers from 1 to {frames.ANTENNAS} expected")
        self.device = device
        self.antennas = antennas
        self.stats = LinkStats()
        self.version = b""
        self._patience = Patience(us_per_tag)
        self._link = LinkState(device)
        self._splitter = frames.PepperSplitter()
        self._out = bytearray()
        self._open = False
        self._waiting: _Waiting | None = None
        self._job: _Job | None = None
        self._flush_needed = True
        self._probe = 0
        self._probe_failures = 0
        self._heard_us = 0
        self._silence_us = READER_SILENCE_US
        self._failures = Failures()

    @property
    def up(self) -> bool:
        """The reader answers."""
        return self._link.up

    @property
    def idle(self) -> bool:
        """Up and no inventory under way: `inventory` may be called."""
        return self._link.up and self._job is None

    def inventory(self, antenna: int, now_us: int) -> None:
        """Asks for all tags at an antenna. Ends in exactly one TagsSeen or ReaderFault with that antenna.

        Raises ValueError for an antenna that this reader was not given, LinkNotReadyError where not `idle`.
        """
        if antenna not in self.antennas:
            raise ValueError(f"{self.device}: antenna {antenna}: one of {self.antennas} expected")
        if not self.idle:
            raise LinkNotReadyError(f"{self.device}: inventory of antenna {antenna} while not idle")
        self._job = _Job(antenna)
        self._advance(now_us)

    def opened(self, now_us: int) -> list[Message]:
        self._open = True
        self._forget()
        self._out.clear()
        self._probe = self._probe_failures = 0
        self._heard_us = now_us
        self._advance(now_us)
        return []

    def closed(self, now_us: int, reason: str) -> list[Message]:
        self._open = False
        self._out.clear()
        return self._fall(now_us, reason)

    def outgoing(self) -> bytes:
        data = bytes(self._out)
        self._out.clear()
        return data

    def next_deadline_us(self) -> int | None:
        if not self._open:
            return None
        return self._waiting.deadline_us if self._waiting else self._heard_us + KEEPALIVE_US

    def receive(self, data: bytes, now_us: int) -> list[Message]:
        if not self._open:
            return []
        messages: list[Message] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame):
                messages += self._on_frame(event, now_us)
            else:
                self._on_noise()
        self._mind_gap(now_us)
        return messages

    def poll(self, now_us: int) -> list[Message]:
        deadline_us = self.next_deadline_us()
        if deadline_us is None or now_us < deadline_us:
            return []
        if self._waiting is None:
            self._send_probe(now_us)
            return []
        return self._on_timeout(self._waiting, now_us)

    # What goes out

    def _send(self, command: int, data: bytes, now_us: int, air_us: int = 0) -> None:
        self._splitter.flush()
        self._out += data
        self._waiting = _Waiting(command, now_us + _serial_us(len(data) + ANSWER_BYTES) + air_us + SERIAL_LATENCY_US)

    def _send_probe(self, now_us: int) -> None:
        """It waits twice as long each time, but not past the moment at which silence is told."""
        command, data = _PROBES[self._probe % len(_PROBES)]
        self._probe += 1
        base_us = _serial_us(len(data) + ANSWER_BYTES) + SERIAL_LATENCY_US
        wait_us = max(base_us, min(base_us << self._probe_failures, PROBE_MAX_US))
        if not self._link.down:
            wait_us = max(base_us, min(wait_us, self._heard_us + self._silence_us - now_us))
        self._send(command, data, now_us, wait_us - base_us)

    def _advance(self, now_us: int) -> None:
        """Sends what comes next when nothing is in flight."""
        if self._waiting is not None or not self._open:
            return
        job = self._job
        if not self._link.up or (self._flush_needed and (job is None or job.stage == "select" or job.overdue)):
            self._send_probe(now_us)
        elif job is not None and job.stage == "select":
            self._send(frames.SELECT_ANTENNA, frames.select_antenna(job.antenna), now_us, SWITCH_US)
        elif job is not None and job.stage == "start":
            self._silence_us = self._patience.silence_us(job.antenna, now_us)
            air_us = self._patience.answer_us(job.antenna, now_us)
            self._send(frames.INVENTORY_START, frames.inventory_start(), now_us, air_us)
        elif job is not None:
            self._send(frames.INVENTORY_NEXT, frames.inventory_next(), now_us)

    # What comes in

    def _on_frame(self, frame: Frame, now_us: int) -> list[Message]:
        self.stats.frames += 1
        try:
            answer = frames.parse_answer(frame.data)
        except frames.BadAnswerError:
            return self._on_unexpected(None)
        if answer.kind == "event":
            return self._on_event()
        waiting, job = self._waiting, self._job
        if job is not None and job.overdue and answer.command == frames.INVENTORY_START and not frame.after_noise:
            return self._on_late(job, answer, now_us)
        if waiting is None or answer.command != waiting.command:
            return self._on_unexpected(answer.command)
        self._heard_us = now_us
        self._silence_us = READER_SILENCE_US
        self._waiting = None
        if waiting.command == frames.REBOOT:
            messages: list[Message] = []
            self._forget()
        elif job is None or waiting.command in _PROBE_COMMANDS:
            messages = self._on_probe(answer, now_us)
        elif frame.after_noise:
            messages = self._fail_attempt(now_us, "bad-frame")
        elif waiting.command == frames.SELECT_ANTENNA:
            messages = self._on_selected(job, answer, now_us)
        else:
            messages = self._on_tag(job, answer, now_us)
        self._advance(now_us)
        return messages

    def _on_noise(self) -> None:
        """Bytes that are no frame; counted once a request, however they are cut."""
        self._flush_needed = True
        if self._waiting is None or not self._waiting.noise:
            self.stats.bad_frames += 1
        if self._waiting is not None:
            self._waiting.noise = True

    def _mind_gap(self, now_us: int) -> None:
        """After noise, or the beginning of a frame, only a short pause is waited, and none after a frame that is whole
        but spoilt."""
        waiting = self._waiting
        if waiting is not None and self._splitter.spoilt and waiting.command not in _PROBE_COMMANDS:
            waiting.deadline_us = now_us
        elif waiting is not None and (waiting.noise or self._splitter.begun):
            waiting.deadline_us = min(waiting.deadline_us, now_us + SERIAL_GAP_US)

    def _on_event(self) -> list[Message]:
        """The reader speaks unasked: it looks for tags by itself, as after a restart; that is put off."""
        self._probe = 0
        self._flush_needed = True
        return []

    def _on_unexpected(self, command: int | None) -> list[Message]:
        """An answer that nobody waits for: late or doubled."""
        self.stats.unexpected += 1
        if self._job is not None and command in (frames.INVENTORY_START, frames.INVENTORY_NEXT):
            self._job.doubtful = True
        if self._waiting is None or self._waiting.command not in _PROBE_COMMANDS:
            self._flush_needed = True
        return []

    def _on_probe(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._flush_needed = False
        self._probe_failures = 0
        if answer.command == frames.VERSION and answer.kind == "done":
            self.version = answer.data
        if not self._link.up and answer.command == frames.POLLING:
            return []
        if self._job is not None and self._job.overdue:
            return self._fail_attempt(now_us, "timeout")
        return self._link.rise(now_us)

    def _on_late(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        """More tags than were expected. The probe is still out: nothing else was asked for since."""
        self._heard_us = now_us
        self._silence_us = READER_SILENCE_US
        job.overdue = False
        return self._on_tag(job, answer, now_us)

    def _on_selected(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.kind == "error":
            return self._finish(ReaderFault(self.device, job.antenna, _code(answer), now_us))
        job.stage = "start"
        return []

    def _on_tag(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.kind == "error":
            if job.stage == "next":
                return self._fail_attempt(now_us, "bad-frame")
            if answer.error == frames.NO_TAG:
                return self._seen(job, now_us)
            return self._finish(ReaderFault(self.device, job.antenna, _code(answer), now_us))
        try:
            uid, more = frames.parse_tag(answer.data)
        except frames.BadAnswerError:
            return self._fail_attempt(now_us, "bad-frame")
        job.doubtful = job.doubtful or uid in job.tags
        job.tags.add(uid)
        if more and len(job.tags) < MAX_TAGS:
            job.stage = "next"
            return []
        if job.doubtful and job.attempts < ATTEMPTS:
            return self._fail_attempt(now_us, "doubtful")
        return self._seen(job, now_us, whole=not (more or job.doubtful))

    # How it ends

    def _seen(self, job: _Job, now_us: int, whole: bool = True) -> list[Message]:
        self._patience.seen(job.antenna, len(job.tags), now_us)
        self._failures.worked()
        return self._finish(TagsSeen(self.device, job.antenna, tuple(sorted(job.tags)), now_us, whole))

    def _finish(self, message: Message) -> list[Message]:
        self._job = None
        return [message]

    def _on_timeout(self, waiting: _Waiting, now_us: int) -> list[Message]:
        self.stats.timeouts += 1
        self._waiting = None
        messages: list[Message] = []
        if waiting.command in _PROBE_COMMANDS:
            self._probe_failures = min(self._probe_failures + 1, 8)
            if now_us - self._heard_us >= self._silence_us:
                messages = self._fall(now_us, DOWN_SILENCE)
        elif waiting.command == frames.REBOOT:
            self._forget()
        elif waiting.command == frames.INVENTORY_START and self._job is not None and not waiting.noise:
            self._job.overdue = self._flush_needed = True
        else:
            messages = self._fail_attempt(now_us, "bad-frame" if waiting.noise else "timeout")
        self._advance(now_us)
        return messages

    def _fail_attempt(self, now_us: int, how: Failed) -> list[Message]:
        """The inventory starts again from the antenna's selection, or is given up."""
        job = self._job
        self._forget()
        if job is None:
            return []
        if is_tried_again(job.attempts, how, is_tall=self._patience.is_tall(job.antenna)):
            self.stats.retries += 1
            self._job = _Job(job.antenna, job.attempts + 1)
            return []
        messages = self._finish(ReaderFault(self.device, job.antenna, how, now_us))
        if self._failures.failed(job.attempts, now_us):
            messages += self._reboot(now_us)
        return messages

    def _reboot(self, now_us: int) -> list[Message]:
        """The reader starts anew."""
        self.stats.reboots += 1
        self._probe = 0
        self._send(frames.REBOOT, frames.request(frames.REBOOT), now_us)
        return [ReaderFault(self.device, None, "reset", now_us)]

    def _forget(self) -> None:
        """Nothing is known any more of what is on the line."""
        self._splitter.flush()
        self._waiting = None
        self._flush_needed = True

    def _fall(self, now_us: int, reason: str) -> list[Message]:
        messages: list[Message] = []
        if self._job is not None:
            messages = self._finish(ReaderFault(self.device, self._job.antenna, "timeout", now_us))
        self._forget()
        self._patience.forget()
        self._silence_us = READER_SILENCE_US
        self._failures.down()
        self._probe = 0
        return messages + self._link.fall(now_us, reason)


def _serial_us(count: int) -> int:
    return count * BITS_PER_BYTE * 1_000_000 // BAUD


def _code(answer: frames.Answer) -> str:
    return f"status-{answer.error:02X}"

"""FEIG OBID reader: greeting, antenna selection, inventories, and what to do when the wire misbehaves.

FEIG frames carry no sequence number: an answer is known by its command alone. What keeps a late answer away
from another antenna is the order in which a serial reader works: once anything went wrong, everything that
the line still holds is flushed by a probe (a command that no inventory uses, another one each time) whose
answer must come back, and then the antenna is selected anew, which has an answer of its own. Only then is
an inventory asked for.

Source: readers.md, 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from firmware_bridge import feig_frames as frames
from firmware_bridge.framing import FEIG_MAX_ADVANCED, FeigSplitter, Frame
from firmware_bridge.link import (
    DOWN_SILENCE,
    SILENCE_US,
    LinkNotReadyError,
    LinkState,
    LinkStats,
)
from firmware_bridge.messages import Message, ReaderFault, TagsSeen

BITS_PER_BYTE: Final = 11
"""8 data bits, even parity, one start and one stop bit."""
LATENCY_US: Final = 40_000
"""What may pass beyond air and serial time: 16 ms in an FTDI adapter, the reader's own work, a busy host."""
GAP_US: Final = 30_000
"""A frame that has begun and does not go on for so long has been cut: two FTDI latency periods."""
AIR_BASE_US: Final = 30_000
"""Antenna switching and an empty field, doubled."""
AIR_US_PER_TAG: Final = 15_000
"""Half more than the slowest mean of the table (100 % ASK); 10 % ASK needs 2.5 times as much."""
RF_RESET_WORK_US: Final = 50_000
"""The field is off for some milliseconds; tags need a few more to wake."""
MAX_TAGS: Final = 40
"""Default for the timeout: two twenties on one spot."""
MAX_TAGS_TOTAL: Final = 255
"""More tags than this in one inventory is not a table but a broken reader."""
JOB_ATTEMPTS: Final = 2
"""A second attempt cures a frame that noise hit; a third would only hold up the other spots."""
KEEPALIVE_US: Final = 300_000
"""An idle link is probed so often: three probes fit into the second after which it counts as dead."""
PROBE_MAX_US: Final = 250_000
"""Probes wait twice as long each time, up to this; a reader that is down is greeted at this pace."""
SELECTION_TRUST_US: Final = 50_000
"""A reset forgets the antenna. A reader that answered less than this ago cannot have been reset since."""
RESET_AFTER_FAULTS: Final = 5
"""Inventories that failed on the wire in a row although probes are answered: then the CPU is reset."""

_PROBES: Final = (frames.VERSION, frames.BAUD_DETECT, frames.READER_INFO)
_PROBE_BYTES: Final = 40
"""Room for the longest answer to a probe."""

Purpose: TypeAlias = Literal["probe", "select", "rf-reset", "inventory", "more", "cpu-reset"]


@dataclass(slots=True)
class _Waiting:
    """The one request in flight."""

    purpose: Purpose
    ctrl: int
    deadline_us: int
    last_us: int
    noise: bool = False


@dataclass(slots=True)
class _Job:
    antenna: int
    attempts: int = 1
    field_reset: bool = False
    more: bool = False
    tags: list[str] = field(default_factory=list)


def _status_code(status: int) -> str:
    if status == frames.STATUS_RF_ERROR:
        return "rf-error"
    if status == frames.STATUS_RF_WARNING:
        return "rf-warning"
    return f"status-{status:02X}"


class FeigReader:
    """Driver of one FEIG reader (see `link.Driver`).

    `antennas` are the ports that may be asked for. `rf_reset` takes the field away before each inventory,
    which a reader that reports a tag only once (ONT 1) needs. `max_tags` and `air_us_per_tag` set how long
    an inventory may take; more tags than that are taken when they come in time.

    The link is told down `SILENCE_US` after the last sign of life, or one probe after the timeout of an
    inventory that may take longer than that.
    """

    def __init__(
        self,
        device: str,
        *,
        antennas: tuple[int, ...],
        baud: int = 38_400,
        rf_reset: bool = False,
        max_tags: int = MAX_TAGS,
        air_us_per_tag: int = AIR_US_PER_TAG,
    ) -> None:
        if not antennas or not all(1 <= antenna <= 255 for antenna in antennas):
            raise ValueError(f"{device}: antennas {antennas}: numbers from 1 to 255 expected")
        if not 1 <= max_tags <= MAX_TAGS_TOTAL:
            raise ValueError(f"{device}: max_tags {max_tags}: 1 to {MAX_TAGS_TOTAL} expected")
        self.device = device
        self.antennas = antennas
        self.stats = LinkStats()
        self.version = b""
        self._baud = baud
        self._rf_reset = rf_reset
        self._air_us = AIR_BASE_US + air_us_per_tag * max_tags
        self._answer_bytes = 9 + frames.TAG_BYTES * max_tags
        self._link = LinkState(device)
        self._splitter = FeigSplitter()
        self._out = bytearray()
        self._open = False
        self._waiting: _Waiting | None = None
        self._job: _Job | None = None
        self._selected: int | None = None
        self._flush_needed = True
        self._probe = 0
        self._probe_failures = 0
        self._adr: int | None = None
        self._heard_us = 0
        self._faults_in_row = 0

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
        self._probe_failures = 0
        self._heard_us = now_us
        self._advance(now_us)
        return []

    def closed(self, now_us: int, reason: str) -> list[Message]:
        self._open = False
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
        self._tighten_deadline(now_us)
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

    def _serial_us(self, count: int) -> int:
        return count * BITS_PER_BYTE * 1_000_000 // self._baud

    def _send(self, purpose: Purpose, data: bytes, ctrl: int, answer_bytes: int, work_us: int, now_us: int) -> None:
        self._splitter.flush()
        self._out += data
        deadline_us = now_us + self._serial_us(len(data) + answer_bytes) + work_us + LATENCY_US
        self._waiting = _Waiting(purpose, ctrl, deadline_us, deadline_us + self._serial_us(FEIG_MAX_ADVANCED))

    def _send_probe(self, now_us: int) -> None:
        ctrl = _PROBES[self._probe % len(_PROBES)]
        self._probe += 1
        self._send("probe", frames.probe(ctrl), ctrl, _PROBE_BYTES, 0, now_us)
        if self._waiting is None:
            return
        base_us = self._waiting.deadline_us - now_us
        wait_us = max(base_us, min(base_us << self._probe_failures, PROBE_MAX_US))
        if not self._link.down:
            wait_us = min(wait_us, max(base_us, self._heard_us + SILENCE_US - now_us))
        self._waiting.deadline_us = self._waiting.last_us = now_us + wait_us

    def _advance(self, now_us: int) -> None:
        """Sends what comes next when nothing is in flight."""
        if self._waiting is not None or not self._open:
            return
        if not self._link.up or self._flush_needed:
            self._send_probe(now_us)
            return
        job = self._job
        if job is None:
            return
        if not (job.more or job.field_reset) and now_us - self._heard_us > SELECTION_TRUST_US:
            self._selected = None
        if self._selected != job.antenna:
            self._send("select", frames.select_antenna(job.antenna), frames.RF_ON_OFF, 6, AIR_BASE_US, now_us)
        elif self._rf_reset and not job.field_reset:
            self._send("rf-reset", frames.rf_reset(), frames.RF_RESET, 6, RF_RESET_WORK_US, now_us)
        else:
            purpose: Purpose = "more" if job.more else "inventory"
            data = frames.inventory(more=job.more)
            self._send(purpose, data, frames.ISO_HOST, self._answer_bytes, self._air_us, now_us)

    # What comes in

    def _tighten_deadline(self, now_us: int) -> None:
        """A frame under way gets the time that it needs; after noise only a short pause is waited."""
        waiting = self._waiting
        if waiting is None or waiting.purpose == "probe":
            return
        missing = self._splitter.missing
        if missing:
            waiting.deadline_us = min(waiting.last_us, now_us + self._serial_us(missing) + GAP_US)
        elif waiting.noise:
            waiting.deadline_us = min(waiting.deadline_us, now_us + GAP_US)

    def _on_frame(self, frame: Frame, now_us: int) -> list[Message]:
        self.stats.frames += 1
        try:
            answer = frames.parse_answer(frame.data)
        except frames.BadAnswerError:
            return self._on_unexpected(None, now_us)
        waiting = self._waiting
        if waiting is None or answer.ctrl != waiting.ctrl or self._adr not in (None, answer.adr):
            return self._on_unexpected(answer, now_us)
        self._heard_us = now_us
        self._waiting = None
        if waiting.purpose == "probe":
            messages = self._on_probe(answer, now_us)
        elif frame.after_noise:
            messages = self._fail_attempt(now_us, "bad-frame")
        elif waiting.purpose == "cpu-reset":
            self._forget()
            messages = []
        else:
            messages = self._on_answer(waiting.purpose, answer, now_us)
        self._advance(now_us)
        return messages

    def _on_noise(self) -> None:
        """Bytes that are no frame; counted once a request, however they are cut."""
        self._flush_needed = True
        if self._waiting is None or not self._waiting.noise:
            self.stats.bad_frames += 1
        if self._waiting is not None:
            self._waiting.noise = True

    def _on_unexpected(self, answer: frames.Answer | None, now_us: int) -> list[Message]:
        """An answer that nobody waits for: late, doubled, or to somebody else on the line."""
        self.stats.unexpected += 1
        if self._waiting is None or self._waiting.purpose != "probe":
            self._flush_needed = True
        if answer is not None and answer.ctrl == frames.CPU_RESET and self._link.up:
            self._selected = None
            self.stats.reboots += 1
            return [ReaderFault(self.device, None, "reset", now_us)]
        return []

    def _on_probe(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._flush_needed = False
        self._probe_failures = 0
        self._adr = answer.adr
        if answer.ctrl == frames.VERSION and answer.status == frames.STATUS_OK:
            self.version = answer.data
        return self._link.rise(now_us)

    def _on_answer(self, purpose: Purpose, answer: frames.Answer, now_us: int) -> list[Message]:
        job = self._job
        if job is None:
            return []
        if purpose in ("inventory", "more"):
            return self._on_tags(job, answer, now_us)
        if answer.status != frames.STATUS_OK:
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer.status), now_us))
        if purpose == "select":
            self._selected = job.antenna
        else:
            job.field_reset = True
        return []

    def _on_tags(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.status in (frames.STATUS_OK, frames.STATUS_MORE):
            try:
                tags = frames.parse_tags(answer.data)
            except frames.BadAnswerError:
                return self._fail_attempt(now_us, "bad-frame")
            more = answer.status == frames.STATUS_MORE
            job.tags += tags
            if (more and not tags) or len(job.tags) > MAX_TAGS_TOTAL:
                return self._fail_attempt(now_us, "bad-frame")
            job.more = more
            if more:
                return []
        elif answer.status != frames.STATUS_NO_TRANSPONDER:
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer.status), now_us))
        self._faults_in_row = 0
        return self._finish(TagsSeen(self.device, job.antenna, tuple(sorted(set(job.tags))), now_us))

    # What goes wrong

    def _on_timeout(self, waiting: _Waiting, now_us: int) -> list[Message]:
        self.stats.timeouts += 1
        self._waiting = None
        messages: list[Message] = []
        if waiting.purpose == "probe":
            self._probe_failures = min(self._probe_failures + 1, 8)
            if now_us - self._heard_us >= SILENCE_US:
                messages = self._fall(now_us, DOWN_SILENCE)
        elif waiting.purpose == "cpu-reset":
            self._forget()
        else:
            messages = self._fail_attempt(now_us, "bad-frame" if waiting.noise else "timeout")
        self._advance(now_us)
        return messages

    def _fail_attempt(self, now_us: int, code: str) -> list[Message]:
        """The inventory starts again from the antenna selection, or is given up."""
        job = self._job
        self._forget()
        if job is None:
            return []
        if job.attempts < JOB_ATTEMPTS:
            self.stats.retries += 1
            self._job = _Job(job.antenna, job.attempts + 1)
            return []
        messages = self._finish(ReaderFault(self.device, job.antenna, code, now_us))
        self._faults_in_row += 1
        if self._faults_in_row >= RESET_AFTER_FAULTS:
            self._faults_in_row = 0
            self.stats.reboots += 1
            self._send("cpu-reset", frames.cpu_reset(), frames.CPU_RESET, 6, 0, now_us)
            messages.append(ReaderFault(self.device, None, "reset", now_us))
        return messages

    def _finish(self, message: Message) -> list[Message]:
        self._job = None
        return [message]

    def _forget(self) -> None:
        """Nothing is known any more about the line and the reader's antenna."""
        self._splitter.flush()
        self._waiting = None
        self._selected = None
        self._flush_needed = True

    def _fall(self, now_us: int, reason: str) -> list[Message]:
        messages: list[Message] = []
        if self._job is not None:
            messages = self._finish(ReaderFault(self.device, self._job.antenna, "timeout", now_us))
        self._forget()
        if not self._open:
            self._out.clear()
        self._adr = None
        self._faults_in_row = 0
        return messages + self._link.fall(now_us, reason)

"""Driver of the Eccel Pepper C1 MUX: handshake, antenna selection, inventories and error recovery.

An answer names its command but has no number. After any error the driver therefore sends a probe, that is a command
that no inventory uses. The reader answers requests in their order, so no older answer can follow the answer to the
probe. Every inventory begins with the selection of its antenna. The reader then returns one tag for each request.

Source: readers.md, 1 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from firmware_bridge.driver_interface import (
    DOWN_SILENCE,
    KEEPALIVE_INTERVAL_US,
    MAX_PROBE_TIMEOUT_US,
    READER_SILENCE_TIMEOUT_US,
    SERIAL_GAP_TIMEOUT_US,
    SERIAL_LATENCY_US,
    LinkNotReadyError,
    LinkState,
    LinkStats,
    WrongSetting,
)
from firmware_bridge.driver_messages import InventoryResult, Message, ReaderFault
from firmware_bridge.feig_framing import Frame
from firmware_bridge.inventory_timeout import AIR_TIME_PER_TAG_US, InventoryTimeouts
from firmware_bridge.pepper import frames
from firmware_bridge.retry_policy import MAX_ATTEMPTS, FailureCounter, FailureKind, should_retry

BAUD: Final = 115_200
BITS_PER_BYTE: Final = 10
"""Bits on the line for each byte (8N1: one start bit, eight data bits and one stop bit)."""
MAX_ANSWER_BYTES: Final = 64
"""Maximum length of an answer in bytes, with a margin. The longest answer is that with the version."""
ANTENNA_SWITCH_US: Final = 5_000
"""Time, in µs, that the reader needs to switch to another antenna."""
MAX_TAGS: Final = 255
"""Maximum number of tags in an inventory. The driver ends a longer inventory and reports it as incomplete."""

_PROBES: Final = (
    (frames.POLLING, frames.polling_off()),
    (frames.VERSION, frames.request(frames.VERSION)),
    (frames.DUMMY, frames.request(frames.DUMMY)),
)
"""Requests that only test the link (probes), used in turn. The first two also form the handshake."""
_PROBE_COMMANDS: Final = frozenset(command for command, _ in _PROBES)

InventoryStage: TypeAlias = Literal["select", "start", "next"]


@dataclass(slots=True)
class _PendingRequest:
    """The request that waits for its answer. It is a probe, a reboot or a part of an inventory."""

    command: int
    deadline_us: int
    had_noise: bool = False


@dataclass(slots=True)
class _Job:
    """State of a running inventory of an antenna."""

    antenna: int
    attempts: int = 1
    stage: InventoryStage = "select"
    is_overdue: bool = False
    """True if the first answer of the inventory is late. The driver has then sent a probe, and accepts the answer until
    the probe is answered."""
    tags: set[str] = field(default_factory=set)
    is_doubtful: bool = False
    """True if an answer of this inventory arrived twice. Answers have no numbers, so the driver cannot see whether
    another answer was lost."""


class PepperDriver:
    """Driver of a Pepper C1 MUX reader (see `driver_interface.ReaderDriver`).

    `us_per_tag` is the air time per tag in µs. The driver reports the link as down `READER_SILENCE_TIMEOUT_US` after
    the reader's last answer. During an inventory it waits for `InventoryTimeouts.silence_timeout_us`. Raises ValueError
    if `antennas` is empty or has a number outside 1 to 8.
    """

    def __init__(self, device: str, *, antennas: tuple[int, ...], us_per_tag: int = AIR_TIME_PER_TAG_US) -> None:
        if not antennas or not all(1 <= antenna <= frames.ANTENNA_COUNT for antenna in antennas):
            raise ValueError(
                f"{device}: antennas {antennas}: expected one or more antennas from 1 to {frames.ANTENNA_COUNT}"
            )
        self.device = device
        self.antennas = antennas
        self.stats = LinkStats()
        self.version = b""
        self.serial = ""
        self.wrong_settings: tuple[WrongSetting, ...] = ()
        self._timeouts = InventoryTimeouts(us_per_tag)
        self._link = LinkState(device)
        self._splitter = frames.PepperFrameSplitter()
        self._out = bytearray()
        self._open = False
        self._pending: _PendingRequest | None = None
        self._job: _Job | None = None
        self._flush_needed = True
        self._probe_count = 0
        self._probe_failures = 0
        self._last_heard_us = 0
        self._silence_us = READER_SILENCE_TIMEOUT_US
        self._failures = FailureCounter()

    @property
    def is_up(self) -> bool:
        """Return True if the reader is known to answer."""
        return self._link.is_up

    @property
    def is_idle(self) -> bool:
        """Return True if the reader is up and no inventory is running, so that `start_inventory` may be called."""
        return self._link.is_up and self._job is None

    def start_inventory(self, antenna: int, now_us: int) -> None:
        """Start one inventory of an antenna.

        The driver later returns exactly one InventoryResult or ReaderFault for this antenna. Raises ValueError if
        `antenna` is not one of `antennas`, and LinkNotReadyError if the driver is not idle.
        """
        if antenna not in self.antennas:
            raise ValueError(f"{self.device}: antenna {antenna}: expected one of {self.antennas}")
        if not self.is_idle:
            raise LinkNotReadyError(
                f"{self.device}: inventory of antenna {antenna}: expected an idle driver, check is_idle"
            )
        self._job = _Job(antenna)
        self._advance(now_us)

    def on_port_opened(self, now_us: int) -> list[Message]:
        """Start the handshake. The owner calls this method when the port has opened."""
        self._open = True
        self._reset_line_state()
        self._out.clear()
        self._probe_count = self._probe_failures = 0
        self._last_heard_us = now_us
        self._advance(now_us)
        return []

    def on_port_closed(self, now_us: int, reason: str) -> list[Message]:
        """Forget the request in flight. Return LinkDown unless the link was already reported as down."""
        self._open = False
        self._out.clear()
        return self._go_down(now_us, reason)

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if the port is closed."""
        if not self._open:
            return None
        return self._pending.deadline_us if self._pending else self._last_heard_us + KEEPALIVE_INTERVAL_US

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        """Record bytes from the reader, and return the messages that are now complete."""
        if not self._open:
            return []
        messages: list[Message] = []
        for event in self._splitter.feed(data):
            if isinstance(event, Frame):
                messages += self._on_frame(event, now_us)
            else:
                self._on_noise()
        self._shorten_deadline(now_us)
        return messages

    def poll(self, now_us: int) -> list[Message]:
        """Do what is due: send a probe on an idle link, or handle the timeout of a request."""
        deadline_us = self.next_deadline_us()
        if deadline_us is None or now_us < deadline_us:
            return []
        if self._pending is None:
            self._send_probe(now_us)
            return []
        return self._on_timeout(self._pending, now_us)

    # --- sending ---

    def _send(self, command: int, data: bytes, now_us: int, air_us: int = 0) -> None:
        self._splitter.flush()
        self._out += data
        self._pending = _PendingRequest(
            command, now_us + _serial_us(len(data) + MAX_ANSWER_BYTES) + air_us + SERIAL_LATENCY_US
        )

    def _send_probe(self, now_us: int) -> None:
        """Send the next probe.

        The timeout doubles with each unanswered probe. It ends at the latest when the reader counts as silent.
        """
        command, data = _PROBES[self._probe_count % len(_PROBES)]
        self._probe_count += 1
        base_us = _serial_us(len(data) + MAX_ANSWER_BYTES) + SERIAL_LATENCY_US
        wait_us = max(base_us, min(base_us << self._probe_failures, MAX_PROBE_TIMEOUT_US))
        if not self._link.is_down:
            wait_us = max(base_us, min(wait_us, self._last_heard_us + self._silence_us - now_us))
        self._send(command, data, now_us, wait_us - base_us)

    def _advance(self, now_us: int) -> None:
        """Send the next request if none is in flight."""
        if self._pending is not None or not self._open:
            return
        job = self._job
        if not self._link.is_up or (self._flush_needed and (job is None or job.stage == "select" or job.is_overdue)):
            self._send_probe(now_us)
        elif job is not None and job.stage == "select":
            self._send(frames.SELECT_ANTENNA, frames.select_antenna(job.antenna), now_us, ANTENNA_SWITCH_US)
        elif job is not None and job.stage == "start":
            self._silence_us = self._timeouts.silence_timeout_us(job.antenna, now_us)
            air_us = self._timeouts.answer_timeout_us(job.antenna, now_us)
            self._send(frames.INVENTORY_START, frames.inventory_start(), now_us, air_us)
        elif job is not None:
            self._send(frames.INVENTORY_NEXT, frames.inventory_next(), now_us)

    # --- receiving ---

    def _on_frame(self, frame: Frame, now_us: int) -> list[Message]:
        self.stats.frames += 1
        try:
            answer = frames.parse_answer(frame.data)
        except frames.BadAnswerError:
            return self._on_unexpected(None)
        if answer.kind == "event":
            return self._on_event()
        pending, job = self._pending, self._job
        if job is not None and job.is_overdue and answer.command == frames.INVENTORY_START and not frame.after_noise:
            return self._on_late_inventory(job, answer, now_us)
        if pending is None or answer.command != pending.command:
            return self._on_unexpected(answer.command)
        self._last_heard_us = now_us
        self._silence_us = READER_SILENCE_TIMEOUT_US
        self._pending = None
        if pending.command == frames.REBOOT:
            messages: list[Message] = []
            self._reset_line_state()
        elif job is None or pending.command in _PROBE_COMMANDS:
            messages = self._on_probe(answer, now_us)
        elif frame.after_noise:
            messages = self._fail_attempt(now_us, "bad-frame")
        elif pending.command == frames.SELECT_ANTENNA:
            messages = self._on_selected(job, answer, now_us)
        else:
            messages = self._on_tag(job, answer, now_us)
        self._advance(now_us)
        return messages

    def _on_noise(self) -> None:
        """Record noise, that is bytes that do not belong to a frame.

        Noise is counted only once per request, even if it arrives in several pieces.
        """
        self._flush_needed = True
        if self._pending is None or not self._pending.had_noise:
            self.stats.bad_frames += 1
        if self._pending is not None:
            self._pending.had_noise = True

    def _shorten_deadline(self, now_us: int) -> None:
        """Change the deadline of the request in flight, depending on the bytes that have arrived.

        After noise or an incomplete frame, the rest must begin to arrive within `SERIAL_GAP_TIMEOUT_US`. After a
        complete frame with a wrong checksum, the deadline is now, because no other answer will follow.
        """
        pending = self._pending
        if pending is not None and self._splitter.ended_corrupt and pending.command not in _PROBE_COMMANDS:
            pending.deadline_us = now_us
        elif pending is not None and (pending.had_noise or self._splitter.has_partial_frame):
            pending.deadline_us = min(pending.deadline_us, now_us + SERIAL_GAP_TIMEOUT_US)

    def _on_event(self) -> list[Message]:
        """Turn polling off, because the reader has sent an event that nobody requested. It does so after a restart."""
        self._probe_count = 0
        self._flush_needed = True
        return []

    def _on_unexpected(self, command: int | None) -> list[Message]:
        """Handle an answer that does not belong to the request in flight. It is late or a duplicate."""
        self.stats.unexpected_frames += 1
        if self._job is not None and command in (frames.INVENTORY_START, frames.INVENTORY_NEXT):
            self._job.is_doubtful = True
        if self._pending is None or self._pending.command not in _PROBE_COMMANDS:
            self._flush_needed = True
        return []

    def _on_probe(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._flush_needed = False
        self._probe_failures = 0
        if answer.command == frames.VERSION and answer.kind == "done":
            self.version = answer.data
        if not self._link.is_up and answer.command == frames.POLLING:
            return []
        if self._job is not None and self._job.is_overdue:
            return self._fail_attempt(now_us, "timeout")
        return self._link.mark_up(now_us)

    def _on_late_inventory(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        """Accept the first answer of an inventory that took longer than expected.

        When an inventory is overdue, the driver sends a probe, which is a request that only tests the link. The driver
        requests no other inventory until the probe is answered. The late answer therefore belongs to this inventory.
        """
        self._last_heard_us = now_us
        self._silence_us = READER_SILENCE_TIMEOUT_US
        job.is_overdue = False
        return self._on_tag(job, answer, now_us)

    def _on_selected(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.kind == "error":
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer), now_us))
        job.stage = "start"
        return []

    def _on_tag(self, job: _Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.kind == "error":
            if job.stage == "next":
                return self._fail_attempt(now_us, "bad-frame")
            if answer.error == frames.NO_TAG:
                return self._complete_inventory(job, now_us)
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer), now_us))
        try:
            uid, more = frames.parse_tag(answer.data)
        except frames.BadAnswerError:
            return self._fail_attempt(now_us, "bad-frame")
        job.is_doubtful = job.is_doubtful or uid in job.tags
        job.tags.add(uid)
        if more and len(job.tags) < MAX_TAGS:
            job.stage = "next"
            return []
        if job.is_doubtful and job.attempts < MAX_ATTEMPTS:
            return self._fail_attempt(now_us, "doubtful")
        return self._complete_inventory(job, now_us, is_complete=not (more or job.is_doubtful))

    # --- results and errors ---

    def _complete_inventory(self, job: _Job, now_us: int, is_complete: bool = True) -> list[Message]:
        self._timeouts.record_count(job.antenna, len(job.tags), now_us)
        self._failures.record_success()
        return self._finish(InventoryResult(self.device, job.antenna, tuple(sorted(job.tags)), now_us, is_complete))

    def _finish(self, message: Message) -> list[Message]:
        self._job = None
        return [message]

    def _on_timeout(self, pending: _PendingRequest, now_us: int) -> list[Message]:
        self.stats.timeouts += 1
        self._pending = None
        messages: list[Message] = []
        if pending.command in _PROBE_COMMANDS:
            self._probe_failures = min(self._probe_failures + 1, 8)
            if now_us - self._last_heard_us >= self._silence_us:
                messages = self._go_down(now_us, DOWN_SILENCE)
        elif pending.command == frames.REBOOT:
            self._reset_line_state()
        elif pending.command == frames.INVENTORY_START and self._job is not None and not pending.had_noise:
            self._job.is_overdue = self._flush_needed = True
        else:
            messages = self._fail_attempt(now_us, "bad-frame" if pending.had_noise else "timeout")
        self._advance(now_us)
        return messages

    def _fail_attempt(self, now_us: int, kind: FailureKind) -> list[Message]:
        """Start the inventory again, or report a fault if this was the last attempt.

        A new attempt selects the antenna again.
        """
        job = self._job
        self._reset_line_state()
        if job is None:
            return []
        if should_retry(job.attempts, kind, is_tall=self._timeouts.is_tall(job.antenna)):
            self.stats.retries += 1
            self._job = _Job(job.antenna, job.attempts + 1)
            return []
        messages = self._finish(ReaderFault(self.device, job.antenna, kind, now_us))
        if self._failures.record_failure(job.attempts, now_us):
            messages += self._reboot(now_us)
        return messages

    def _reboot(self, now_us: int) -> list[Message]:
        """Restart the reader and report the reset."""
        self.stats.reboots += 1
        self._probe_count = 0
        self._send(frames.REBOOT, frames.request(frames.REBOOT), now_us)
        return [ReaderFault(self.device, None, "reset", now_us)]

    def _reset_line_state(self) -> None:
        """Forget the request in flight. The next request is then a probe."""
        self._splitter.flush()
        self._pending = None
        self._flush_needed = True

    def _go_down(self, now_us: int, reason: str) -> list[Message]:
        messages: list[Message] = []
        if self._job is not None:
            messages = self._finish(ReaderFault(self.device, self._job.antenna, "timeout", now_us))
        self._reset_line_state()
        self._timeouts.forget()
        self._silence_us = READER_SILENCE_TIMEOUT_US
        self._failures.record_link_down()
        self._probe_count = 0
        return messages + self._link.mark_down(now_us, reason)


def _serial_us(count: int) -> int:
    return count * BITS_PER_BYTE * 1_000_000 // BAUD


def _status_code(answer: frames.Answer) -> str:
    return f"status-{answer.error:02X}"

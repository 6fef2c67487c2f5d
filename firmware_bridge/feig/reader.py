"""Driver of a FEIG OBID reader: handshake, antenna selection, inventories and error recovery.

FEIG frames have no sequence number, so only the command shows to which request an answer belongs. A reader answers
requests in their order, and the driver uses this as follows:

1. After any error, the driver sends a probe. A probe is a command that no inventory uses, and each probe differs from
   the one before.
2. When the answer to the probe arrives, no older answer can follow.
3. The driver then selects the antenna again. The answer to this request cannot be confused with that to an inventory.
4. Only then does the driver request an inventory.

A late answer to an inventory is accepted if it arrives before the answer to the probe, because it can only belong to
the last inventory.

Source: readers.md, 1 and 2.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from firmware_bridge.driver_interface import DOWN_SILENCE, LinkNotReadyError, LinkState, LinkStats, WrongSetting
from firmware_bridge.driver_messages import InventoryResult, Message, ReaderFault, WrongReaderSetting
from firmware_bridge.feig import frames
from firmware_bridge.feig.handshake import Handshake
from firmware_bridge.feig.inventory_job import InventoryJob
from firmware_bridge.feig.liveness import PROBE_COMMANDS, Liveness
from firmware_bridge.feig.request_channel import PendingRequest, Purpose, RequestChannel
from firmware_bridge.feig.second_pass import SecondPasses
from firmware_bridge.feig_framing import FEIG_MAX_ADVANCED_FRAME, Frame
from firmware_bridge.inventory_timeout import AIR_TIME_PER_TAG_US, InventoryTimeouts
from firmware_bridge.retry_policy import FailureCounter, FailureKind, should_retry

ANTENNA_SELECT_TIMEOUT_US: Final = 30_000
"""Time allowed, in µs, for a reader to switch to another antenna, with a margin."""
RF_RESET_TIMEOUT_US: Final = 50_000
"""Time allowed, in µs, for an RF reset. The field is off for 15 ms, and then the tags need a few ms to start."""
MAX_TAG_RECORD_BYTES: Final = 15
"""Number of bytes per tag in an answer. It is the length of a record of an ISO 18000-3 mode 3 tag with a UID of 96
bits."""
MAX_SHORT_ANSWER_BYTES: Final = 40
"""Maximum length, in bytes, of an answer without tags, with a margin."""
REPORTS_TAGS_ONCE: Final = WrongSetting("ont", "1, a tag answers once", "0, or rf_reset = true in the layout")
"""Setting that costs time but hides no chips, because the driver then resets the field before each inventory."""
REPORTS_TAGS_AGAIN: Final = WrongSetting("ont", "0, the reader resets the field each time", "1, because of quick_looks")
"""Setting that costs time but hides no chips, because every inventory then has two resets or one too many."""
SELECTION_TRUST_US: Final = 50_000
"""Time, in µs, after an answer for which the reader surely still has its selected antenna. Later it may have restarted,
which clears the selection, so the driver selects the antenna again."""


def _status_code(status: int) -> str:
    if status == frames.STATUS_RF_ERROR:
        return "rf-error"
    if status == frames.STATUS_RF_WARNING:
        return "rf-warning"
    return f"status-{status:02X}"


class FieldOptions(NamedTuple):
    """Options of a driver for the field of its reader."""

    rf_reset: bool = False
    """True to reset the field before each inventory. The driver also does so if the reader reports a tag only once."""
    quick_looks: bool = False
    """True to save most of the resets. The tags of an antenna lose their power while another antenna is selected, so a
    reset is needed only if the driver reads the same antenna twice in a row. The reader must have ONT 1."""
    second_pass: bool = False
    """True to look for tags that a stronger tag drowns out (see `second_pass`). The driver then sets ONT to 1 in the
    reader's RAM. Use False for tags that choose their slots at random in each round (mode 3)."""


NO_FIELD_OPTIONS: Final = FieldOptions()


class FeigDriver:
    """Driver of a FEIG reader (see `driver_interface.ReaderDriver`).

    - `antennas` are the numbers of the antennas that may be read.
    - `baud` is the speed of the first probe. If the reader does not answer, the driver tries the other speeds in turn.
      The owner must set the port to the attribute `baud` whenever the attribute changes.
    - `field_options` says when the driver resets the field, and whether it looks for drowned-out tags.
    - `us_per_tag` is the air time per tag in µs.
    - `reads_serial` is True to read the serial number of the reader in the handshake.
    - `fast_inventory` is True if the reader should be set to read Fujitsu's tags at 53 kbit/s. The driver checks this.

    The driver reports the link as down `READER_SILENCE_TIMEOUT_US` after the reader's last answer. During an inventory
    it waits for `InventoryTimeouts.silence_timeout_us`. Raises ValueError if `antennas` is empty or has a number
    outside 1 to 255.
    """

    def __init__(
        self,
        device: str,
        *,
        antennas: tuple[int, ...],
        baud: int = 38_400,
        field_options: FieldOptions = NO_FIELD_OPTIONS,
        us_per_tag: int = AIR_TIME_PER_TAG_US,
        reads_serial: bool = False,
        fast_inventory: bool = False,
    ) -> None:
        if not antennas or not all(1 <= antenna <= 255 for antenna in antennas):
            raise ValueError(f"{device}: antennas {antennas}: expected one or more antennas from 1 to 255")
        self.device = device
        self.antennas = antennas
        self.stats = LinkStats()
        self.version = b""
        self._configured_baud = baud
        self._liveness = Liveness(baud)
        self._field_options = field_options
        self._reset_before_inventory = field_options.rf_reset
        self._second_passes = SecondPasses()
        self._powered: int | None = None
        """The last antenna that the reader has confirmed to be selected. Only its tags may be quiet."""
        self._keeps_tags_quiet = False
        """True if the reader keeps reported tags quiet until the field is reset."""
        self._us_per_tag = us_per_tag
        self._link = LinkState(device)
        self._channel = RequestChannel(baud)
        self._timeouts = InventoryTimeouts()
        self._open = False
        self._job: InventoryJob | None = None
        self._selected: int | None = None
        self._flush_needed = True
        self._handshake = Handshake(
            reads_serial=reads_serial, fast_inventory=fast_inventory, second_pass=field_options.second_pass
        )
        self.serial = ""
        self.wrong_settings: tuple[WrongSetting, ...] = ()
        self.has_unread_settings = False
        self._failures = FailureCounter()
        self._adr: int | None = None

    @property
    def is_up(self) -> bool:
        """Return True if the reader is known to answer."""
        return self._link.is_up

    @property
    def is_idle(self) -> bool:
        """Return True if the reader is up and no inventory is running, so that `start_inventory` may be called."""
        return self._link.is_up and self._job is None

    @property
    def baud(self) -> int:
        """Return the speed to which the owner must set the port now."""
        return self._channel.baud

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
        self._job = InventoryJob(antenna)
        self._advance(now_us)

    def on_port_opened(self, now_us: int) -> list[Message]:
        """Start the handshake. The owner calls this method when the port has opened."""
        self._open = True
        self._channel.reset()
        self._reset_line_state()
        self._liveness.start(now_us)
        self._timeouts.forget()
        self._handshake.start()
        self._advance(now_us)
        return []

    def on_port_closed(self, now_us: int, reason: str) -> list[Message]:
        """Forget the request in flight. Return LinkDown unless the link was already reported as down."""
        self._open = False
        return self._go_down(now_us, reason)

    def data_to_send(self) -> bytes:
        """Return the bytes to write now. Each byte is returned once."""
        return self._channel.data_to_send()

    def next_deadline_us(self) -> int | None:
        """Return the time by which `poll` must be called, or None if the port is closed."""
        if not self._open:
            return None
        pending = self._channel.pending
        return pending.deadline_us if pending else self._liveness.next_probe_us

    def receive_data(self, data: bytes, now_us: int) -> list[Message]:
        """Record bytes from the reader, and return the messages that are now complete."""
        if not self._open:
            return []
        messages: list[Message] = []
        for event in self._channel.feed(data):
            if isinstance(event, Frame):
                messages += self._on_frame(event, now_us)
            else:
                self._on_noise()
        self._channel.shorten_deadline(now_us)
        return messages

    def poll(self, now_us: int) -> list[Message]:
        """Do what is due: send a probe on an idle link, or handle the timeout of a request."""
        deadline_us = self.next_deadline_us()
        if deadline_us is None or now_us < deadline_us:
            return []
        if self._channel.pending is None:
            self._send_probe(now_us)
            return []
        return self._on_timeout(self._channel.pending, now_us)

    # --- sending ---

    def _advance(self, now_us: int) -> None:
        """Send the next request if none is in flight."""
        if self._channel.pending is not None or not self._open:
            return
        if self._flush_needed:
            self._send_probe(now_us)
        elif self._handshake.is_pending:
            ctrl, data = self._handshake.next_request()
            self._send("settings", data, ctrl, 0, now_us)
        elif self._job is not None:
            self._advance_job(self._job, now_us)

    def _advance_job(self, job: InventoryJob, now_us: int) -> None:
        if not (job.has_more or job.has_fresh_field):
            self._expire_selection(now_us)
        if self._selected != job.antenna:
            self._send(
                "select", frames.select_antenna(job.antenna), frames.RF_ON_OFF, ANTENNA_SELECT_TIMEOUT_US, now_us
            )
        elif self._reset_before_inventory and not job.has_fresh_field:
            self._send("rf-reset", frames.rf_reset(), frames.RF_RESET, RF_RESET_TIMEOUT_US, now_us)
        elif job.has_more:
            data = frames.inventory(more=True)
            self._channel.send(
                "more", data, frames.ISO_HOST, self._channel.round_trip_us(data, FEIG_MAX_ADVANCED_FRAME), now_us
            )
        else:
            data = frames.inventory()
            own_us = self._channel.round_trip_us(data, MAX_SHORT_ANSWER_BYTES)
            self._liveness.expect_busy_until(now_us + own_us + self._timeouts.silence_timeout_us(job.antenna, now_us))
            wait_us = own_us + self._timeouts.answer_timeout_us(job.antenna, now_us)
            job.started_us = now_us
            self._channel.send("inventory", data, frames.ISO_HOST, wait_us, now_us)

    def _expire_selection(self, now_us: int) -> None:
        """Forget the selected antenna if the reader's last answer is so old that it may have restarted."""
        if now_us - self._liveness.last_heard_us > SELECTION_TRUST_US:
            self._selected = None

    def _send(self, purpose: Purpose, data: bytes, ctrl: int, work_us: int, now_us: int) -> None:
        self._channel.send(
            purpose, data, ctrl, self._channel.round_trip_us(data, MAX_SHORT_ANSWER_BYTES) + work_us, now_us
        )

    def _send_probe(self, now_us: int) -> None:
        if not self._link.is_up:
            self._channel.baud = self._liveness.baud
        ctrl = self._liveness.next_probe_command()
        data = frames.probe(ctrl)
        wait_us = self._liveness.probe_timeout_us(
            self._channel.round_trip_us(data, MAX_SHORT_ANSWER_BYTES), now_us, is_down=self._link.is_down
        )
        self._channel.send("probe", data, ctrl, wait_us, now_us)

    # --- receiving ---

    def _on_frame(self, frame: Frame, now_us: int) -> list[Message]:
        self.stats.frames += 1
        try:
            answer = frames.parse_answer(frame.data)
        except frames.BadAnswerError:
            return self._on_unexpected(None, now_us)
        pending = self._channel.pending
        if pending is None or self._adr not in (None, answer.adr):
            return self._on_unexpected(answer, now_us)
        if answer.ctrl != pending.ctrl:
            if answer.ctrl == frames.ISO_HOST and self._job is not None and self._job.is_overdue:
                messages = self._on_late_inventory(self._job, pending, frame, answer, now_us)
                self._advance(now_us)
                return messages
            return self._on_unexpected(answer, now_us)
        if pending.purpose == "probe":
            self._expire_selection(now_us)
        self._liveness.record_answer(now_us)
        self._channel.pending = None
        if pending.purpose == "probe":
            messages = self._on_probe(answer, now_us)
        elif frame.after_noise:
            messages = self._fail_attempt(now_us, "bad-frame")
        elif pending.purpose == "cpu-reset":
            self._reset_line_state()
            messages = []
        elif pending.purpose == "settings":
            messages = self._on_settings(answer, now_us)
        else:
            messages = self._on_answer(pending.purpose, answer, now_us)
        self._advance(now_us)
        return messages

    def _on_noise(self) -> None:
        """Record noise, that is bytes that do not belong to a frame.

        Noise is counted only once per request, even if it arrives in several pieces.
        """
        self._flush_needed = True
        pending = self._channel.pending
        if pending is None or not pending.had_noise:
            self.stats.bad_frames += 1
        if pending is not None:
            pending.had_noise = True

    def _on_unexpected(self, answer: frames.Answer | None, now_us: int) -> list[Message]:
        """Handle an answer that does not belong to the request in flight.

        The answer is late, a duplicate, or meant for another host on the line.
        """
        self.stats.unexpected_frames += 1
        if answer is not None and answer.ctrl in PROBE_COMMANDS and answer.adr == self._adr:
            self._liveness.last_heard_us = now_us
            return []
        if self._channel.pending is None or self._channel.pending.purpose != "probe":
            self._flush_needed = True
        if answer is not None and answer.ctrl == frames.CPU_RESET and self._link.is_up:
            self._selected = None
            self.stats.reboots += 1
            return [ReaderFault(self.device, None, "reset", now_us)]
        return []

    def _on_late_inventory(
        self, job: InventoryJob, pending: PendingRequest, frame: Frame, answer: frames.Answer, now_us: int
    ) -> list[Message]:
        """Accept the late answer to an inventory.

        The answer to the probe, which was sent meanwhile, is still to come.
        """
        job.is_overdue = False
        self._liveness.record_answer(now_us)
        pending.deadline_us = now_us + self._channel.round_trip_us(b"", MAX_SHORT_ANSWER_BYTES)
        if frame.after_noise or pending.had_noise:
            return self._retry(job, now_us, "bad-frame")
        return self._on_tags(job, answer, now_us)

    def _on_probe(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._adr = answer.adr
        job = self._job
        self._liveness.record_probe_answer()
        messages: list[Message] = []
        if job is not None and job.is_overdue:
            messages = self._fail_attempt(now_us, "timeout")
        self._flush_needed = False
        if self._link.is_up:
            self._handshake.correct_again()  # The error before this probe may have been a restart.
        elif not self._handshake.is_pending:
            messages += self._go_up(now_us)
        return messages

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
            is_switched = self._powered not in (None, job.antenna)
            job.has_fresh_field = self._field_options.quick_looks and self._keeps_tags_quiet and is_switched
            self._powered = job.antenna
        else:
            job.has_fresh_field = True
        return []

    def _on_settings(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._handshake.record_answer(answer)
        return [] if self._handshake.is_pending or self._link.is_up else self._go_up(now_us)

    def _on_tags(self, job: InventoryJob, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.status not in (frames.STATUS_OK, frames.STATUS_MORE, frames.STATUS_NO_TRANSPONDER):
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer.status), now_us))
        limit_us = self._handshake.inventory_limit_us
        if not job.tags and limit_us and now_us - job.started_us >= limit_us:
            job.is_complete = False  # The reader has run out of time, so it may have left out tags.
        try:
            job.add_answer(answer)
        except frames.BadAnswerError:
            return self._fail_attempt(now_us, "bad-frame")
        if job.has_more:
            return []
        looks_again = self._field_options.second_pass and self._keeps_tags_quiet and job.has_fresh_field
        if looks_again and self._second_passes.needs_next_pass(job, now_us):
            job.start_next_pass()
            return []
        self._failures.record_success()
        uids = tuple(sorted(set(job.tags)))
        self._timeouts.record_count(job.antenna, len(uids), now_us)
        return self._finish(InventoryResult(self.device, job.antenna, uids, now_us, job.is_complete))

    def _go_up(self, now_us: int) -> list[Message]:
        """Report the reader as up, and report each of its settings that is known to be wrong."""
        self._liveness.record_up()
        self.version = self._handshake.version
        self._timeouts.us_per_tag = self._us_per_tag + self._channel.transmission_us(MAX_TAG_RECORD_BYTES)
        self.serial, self.has_unread_settings = self._handshake.serial, self._handshake.has_unread_settings
        wrong = self._handshake.wrong_settings()
        may_report_once = self._handshake.reports_tags_once or self.has_unread_settings
        self._reset_before_inventory = self._field_options.rf_reset or may_report_once
        self._keeps_tags_quiet = self._handshake.keeps_tags_quiet
        if self.baud != self._configured_baud:
            wrong.append(WrongSetting("baud", str(self.baud), str(self._configured_baud)))
        self.wrong_settings = tuple(wrong)
        if self._field_options.quick_looks and not self._keeps_tags_quiet:
            self.wrong_settings += (REPORTS_TAGS_AGAIN,)
        has_second_pass = self._field_options.second_pass and self._keeps_tags_quiet
        if self._handshake.reports_tags_once and not self._field_options.rf_reset and not has_second_pass:
            self.wrong_settings += (REPORTS_TAGS_ONCE,)
        warnings = (WrongReaderSetting(self.device, item.setting, item.actual, item.expected, now_us) for item in wrong)
        return [*self._link.mark_up(now_us), *warnings]

    # --- errors ---

    def _on_timeout(self, pending: PendingRequest, now_us: int) -> list[Message]:
        self.stats.timeouts += 1
        self._channel.pending = None
        messages: list[Message] = []
        job = self._job
        if pending.purpose == "probe":
            messages = self._on_silence(now_us)
        elif pending.purpose == "cpu-reset":
            self._reset_line_state()
        elif pending.purpose == "inventory" and not pending.had_noise and job is not None:
            self._timeouts.record_late_answer(job.antenna)
            self._reset_line_state()
            job.is_overdue = True
        else:
            messages = self._fail_attempt(now_us, "bad-frame" if pending.had_noise else "timeout")
        self._advance(now_us)
        return messages

    def _on_silence(self, now_us: int) -> list[Message]:
        """Handle a probe without an answer."""
        messages = self._go_down(now_us, DOWN_SILENCE) if self._liveness.record_probe_timeout(now_us) else []
        if not self._link.is_up:
            self._liveness.try_next_baud()
        return messages

    def _fail_attempt(self, now_us: int, kind: FailureKind) -> list[Message]:
        """Repeat the current request of the handshake or the current inventory. After the last attempt, give up."""
        self._reset_line_state()
        if self._handshake.is_pending:
            self._handshake.record_failure()
        return self._retry(self._job, now_us, kind) if self._job is not None else []

    def _retry(self, job: InventoryJob, now_us: int, kind: FailureKind) -> list[Message]:
        if should_retry(job.attempts, kind, is_tall=self._timeouts.is_tall(job.antenna)):
            self.stats.retries += 1
            self._job = InventoryJob(job.antenna, job.attempts + 1)
            return []
        self._timeouts.record_give_up(job.antenna)
        messages = self._finish(ReaderFault(self.device, job.antenna, kind, now_us))
        if self._failures.record_failure(job.attempts, now_us):
            self.stats.reboots += 1
            self._send("cpu-reset", frames.cpu_reset(), frames.CPU_RESET, 0, now_us)
            messages.append(ReaderFault(self.device, None, "reset", now_us))
        return messages

    def _finish(self, message: Message) -> list[Message]:
        self._job = None
        return [message]

    def _reset_line_state(self) -> None:
        """Forget the request in flight and the selected antenna. The next request is then a probe."""
        self._channel.abandon_request()
        self._selected = None
        self._flush_needed = True

    def _go_down(self, now_us: int, reason: str) -> list[Message]:
        messages: list[Message] = []
        if self._job is not None:
            self._timeouts.forget(self._job.antenna)
            messages = self._finish(ReaderFault(self.device, self._job.antenna, "timeout", now_us))
        self._reset_line_state()
        if not self._open:
            self._channel.reset()
        self._handshake.start()
        self._second_passes.forget()
        self._adr = None
        return messages + self._link.mark_down(now_us, reason)

"""FEIG OBID reader: greeting, antenna selection, inventories, and what to do when the wire misbehaves.

FEIG frames carry no sequence number: an answer is known by its command alone. What keeps a late answer away from
another antenna is the order in which a serial reader works: once anything went wrong, everything that the line still
holds is flushed by a probe (a command that no inventory uses, another one each time) whose answer must come back, and
then the antenna is selected anew, which has an answer of its own. Only then is an inventory asked for. An inventory
that is late is taken while its probe is still out: nothing else can have been asked for since.

Source: readers.md, 1 and 2.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.failures import Failed, Failures, is_tried_again
from firmware_bridge.feig import frames
from firmware_bridge.feig.greeting import Greeting
from firmware_bridge.feig.job import Job
from firmware_bridge.feig.life import PROBES, Life
from firmware_bridge.feig.line import InFlight, Line, Purpose
from firmware_bridge.feig.settings import Wrong
from firmware_bridge.framing import FEIG_MAX_ADVANCED, Frame
from firmware_bridge.link import DOWN_SILENCE, LinkNotReadyError, LinkState, LinkStats
from firmware_bridge.messages import Message, ReaderFault, ReaderSetting, TagsSeen
from firmware_bridge.patience import US_PER_TAG, Patience

SELECT_US: Final = 30_000
"""Switching a multiplexer, with room."""
RF_RESET_US: Final = 50_000
"""The field is off for 15 ms; tags need a few more to wake."""
RECORD_BYTES: Final = 15
"""Of one tag in an answer: mode 3 with 96 bits."""
SHORT_BYTES: Final = 40
"""Room for the longest answer that holds no tags."""
SELECTION_TRUST_US: Final = 50_000
"""A reset forgets the antenna. A reader that answered less than this ago cannot have been reset since."""


def _status_code(status: int) -> str:
    if status == frames.STATUS_RF_ERROR:
        return "rf-error"
    if status == frames.STATUS_RF_WARNING:
        return "rf-warning"
    return f"status-{status:02X}"


class FeigReader:
    """Driver of one FEIG reader (see `link.Reader`).

    `antennas` are the ports that may be asked for. At `baud` it is asked first; where it does not answer there, at the
    other speeds in turn: whoever owns the port follows the attribute `baud`. `us_per_tag` is how long a tag may take
    on the air. Where the reader's settings say that a tag is told only once, or `rf_reset` is set, the field is taken
    away before each inventory.

    The link is told down `READER_SILENCE_US` after the last sign of life; while an inventory is on the air that may
    take longer, after what `patience` gives it.
    """

    def __init__(
        self,
        device: str,
        *,
        antennas: tuple[int, ...],
        baud: int = 38_400,
        rf_reset: bool = False,
        us_per_tag: int = US_PER_TAG,
    ) -> None:
        if not antennas or not all(1 <= antenna <= 255 for antenna in antennas):
            raise ValueError(f"{device}: antennas {antennas}: numbers from 1 to 255 expected")
        self.device = device
        self.antennas = antennas
        self.stats = LinkStats()
        self.version = b""
        self._set_baud = baud
        self._life = Life(baud)
        self._rf_reset = rf_reset
        self._once = rf_reset
        self._us_per_tag = us_per_tag
        self._link = LinkState(device)
        self._line = Line(baud)
        self._patience = Patience()
        self._open = False
        self._job: Job | None = None
        self._selected: int | None = None
        self._flush_needed = True
        self._greeting = Greeting()
        self._failures = Failures()
        self._adr: int | None = None

    @property
    def up(self) -> bool:
        """The reader answers."""
        return self._link.up

    @property
    def idle(self) -> bool:
        """Up and no inventory under way: `inventory` may be called."""
        return self._link.up and self._job is None

    @property
    def baud(self) -> int:
        """The speed that the port is to have now."""
        return self._line.baud

    def inventory(self, antenna: int, now_us: int) -> None:
        """Asks for all tags at an antenna. Ends in exactly one TagsSeen or ReaderFault with that antenna.

        Raises ValueError for an antenna that this reader was not given, LinkNotReadyError where not `idle`.
        """
        if antenna not in self.antennas:
            raise ValueError(f"{self.device}: antenna {antenna}: one of {self.antennas} expected")
        if not self.idle:
            raise LinkNotReadyError(f"{self.device}: inventory of antenna {antenna} while not idle")
        self._job = Job(antenna)
        self._advance(now_us)

    def opened(self, now_us: int) -> list[Message]:
        self._open = True
        self._line.clear()
        self._forget()
        self._life.start(now_us)
        self._patience.forget()
        self._greeting.start()
        self._advance(now_us)
        return []

    def closed(self, now_us: int, reason: str) -> list[Message]:
        self._open = False
        return self._fall(now_us, reason)

    def outgoing(self) -> bytes:
        return self._line.outgoing()

    def next_deadline_us(self) -> int | None:
        if not self._open:
            return None
        waiting = self._line.waiting
        return waiting.deadline_us if waiting else self._life.next_probe_us

    def receive(self, data: bytes, now_us: int) -> list[Message]:
        if not self._open:
            return []
        messages: list[Message] = []
        for event in self._line.feed(data):
            if isinstance(event, Frame):
                messages += self._on_frame(event, now_us)
            else:
                self._on_noise()
        self._line.tighten(now_us)
        return messages

    def poll(self, now_us: int) -> list[Message]:
        deadline_us = self.next_deadline_us()
        if deadline_us is None or now_us < deadline_us:
            return []
        if self._line.waiting is None:
            self._send_probe(now_us)
            return []
        return self._on_timeout(self._line.waiting, now_us)

    # What goes out

    def _advance(self, now_us: int) -> None:
        """Sends what comes next when nothing is in flight."""
        if self._line.waiting is not None or not self._open:
            return
        if self._flush_needed:
            self._send_probe(now_us)
        elif self._greeting.pending:
            ctrl, data = self._greeting.request()
            self._send("settings", data, ctrl, 0, now_us)
        elif self._job is not None:
            self._advance_job(self._job, now_us)

    def _advance_job(self, job: Job, now_us: int) -> None:
        if not (job.more or job.field_reset):
            self._doubt_selection(now_us)
        if self._selected != job.antenna:
            self._send("select", frames.select_antenna(job.antenna), frames.RF_ON_OFF, SELECT_US, now_us)
        elif self._once and not job.field_reset:
            self._send("rf-reset", frames.rf_reset(), frames.RF_RESET, RF_RESET_US, now_us)
        elif job.more:
            data = frames.inventory(more=True)
            self._line.send("more", data, frames.ISO_HOST, self._line.round_us(data, FEIG_MAX_ADVANCED), now_us)
        else:
            data = frames.inventory()
            own_us = self._line.round_us(data, SHORT_BYTES)
            self._life.busy(now_us + own_us + self._patience.silence_us(job.antenna, now_us))
            wait_us = own_us + self._patience.answer_us(job.antenna, now_us)
            self._line.send("inventory", data, frames.ISO_HOST, wait_us, now_us)

    def _doubt_selection(self, now_us: int) -> None:
        """Since its last answer the reader may have been reset."""
        if now_us - self._life.heard_us > SELECTION_TRUST_US:
            self._selected = None

    def _send(self, purpose: Purpose, data: bytes, ctrl: int, work_us: int, now_us: int) -> None:
        self._line.send(purpose, data, ctrl, self._line.round_us(data, SHORT_BYTES) + work_us, now_us)

    def _send_probe(self, now_us: int) -> None:
        if not self._link.up:
            self._line.baud = self._life.baud
        ctrl = self._life.next_probe()
        data = frames.probe(ctrl)
        wait_us = self._life.wait_us(self._line.round_us(data, SHORT_BYTES), now_us, down=self._link.down)
        self._line.send("probe", data, ctrl, wait_us, now_us)

    # What comes in

    def _on_frame(self, frame: Frame, now_us: int) -> list[Message]:
        self.stats.frames += 1
        try:
            answer = frames.parse_answer(frame.data)
        except frames.BadAnswerError:
            return self._on_unexpected(None, now_us)
        waiting = self._line.waiting
        if waiting is None or self._adr not in (None, answer.adr):
            return self._on_unexpected(answer, now_us)
        if answer.ctrl != waiting.ctrl:
            if answer.ctrl == frames.ISO_HOST and self._job is not None and self._job.overdue:
                messages = self._on_late(self._job, waiting, frame, answer, now_us)
                self._advance(now_us)
                return messages
            return self._on_unexpected(answer, now_us)
        if waiting.purpose == "probe":
            self._doubt_selection(now_us)
        self._life.heard(now_us)
        self._line.waiting = None
        if waiting.purpose == "probe":
            messages = self._on_probe(answer, now_us)
        elif frame.after_noise:
            messages = self._fail_attempt(now_us, "bad-frame")
        elif waiting.purpose == "cpu-reset":
            self._forget()
            messages = []
        elif waiting.purpose == "settings":
            messages = self._on_settings(answer, now_us)
        else:
            messages = self._on_answer(waiting.purpose, answer, now_us)
        self._advance(now_us)
        return messages

    def _on_noise(self) -> None:
        """Bytes that are no frame; counted once a request, however they are cut."""
        self._flush_needed = True
        waiting = self._line.waiting
        if waiting is None or not waiting.noise:
            self.stats.bad_frames += 1
        if waiting is not None:
            waiting.noise = True

    def _on_unexpected(self, answer: frames.Answer | None, now_us: int) -> list[Message]:
        """An answer that nobody waits for: late, doubled, or to somebody else on the line."""
        self.stats.unexpected += 1
        if answer is not None and answer.ctrl in PROBES and answer.adr == self._adr:
            self._life.heard_us = now_us
            return []
        if self._line.waiting is None or self._line.waiting.purpose != "probe":
            self._flush_needed = True
        if answer is not None and answer.ctrl == frames.CPU_RESET and self._link.up:
            self._selected = None
            self.stats.reboots += 1
            return [ReaderFault(self.device, None, "reset", now_us)]
        return []

    def _on_late(self, job: Job, waiting: InFlight, frame: Frame, answer: frames.Answer, now_us: int) -> list[Message]:
        """The inventory that the probe was sent after: it took longer than it should. The probe's answer follows."""
        job.overdue = False
        self._life.heard(now_us)
        waiting.deadline_us = now_us + self._line.round_us(b"", SHORT_BYTES)
        if frame.after_noise or waiting.noise:
            return self._retry(job, now_us, "bad-frame")
        return self._on_tags(job, answer, now_us)

    def _on_probe(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._adr = answer.adr
        job = self._job
        self._life.answered()
        messages: list[Message] = []
        if job is not None and job.overdue:
            messages = self._fail_attempt(now_us, "timeout")
        self._flush_needed = False
        if not self._link.up and not self._greeting.pending:
            messages += self._rise(now_us)
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
        else:
            job.field_reset = True
        return []

    def _on_settings(self, answer: frames.Answer, now_us: int) -> list[Message]:
        self._greeting.answered(answer)
        return [] if self._greeting.pending or self._link.up else self._rise(now_us)

    def _on_tags(self, job: Job, answer: frames.Answer, now_us: int) -> list[Message]:
        if answer.status not in (frames.STATUS_OK, frames.STATUS_MORE, frames.STATUS_NO_TRANSPONDER):
            return self._finish(ReaderFault(self.device, job.antenna, _status_code(answer.status), now_us))
        try:
            job.take(answer)
        except frames.BadAnswerError:
            return self._fail_attempt(now_us, "bad-frame")
        if job.more:
            return []
        self._failures.worked()
        uids = tuple(sorted(set(job.tags)))
        self._patience.seen(job.antenna, len(uids), now_us)
        return self._finish(TagsSeen(self.device, job.antenna, uids, now_us, job.whole))

    def _rise(self, now_us: int) -> list[Message]:
        """The reader answers, and how it is set up is known as far as it told."""
        self._life.found()
        self.version = self._greeting.version
        self._patience.us_per_tag = self._us_per_tag + self._line.serial_us(RECORD_BYTES)
        wrong = self._greeting.wrong()
        self._once = self._rf_reset or self._greeting.tells_once
        if self.baud != self._set_baud:
            wrong.append(Wrong("baud", str(self.baud), str(self._set_baud)))
        told = (ReaderSetting(self.device, each.what, each.found, each.expected, now_us) for each in wrong)
        return [*self._link.rise(now_us), *told]

    # What goes wrong

    def _on_timeout(self, waiting: InFlight, now_us: int) -> list[Message]:
        self.stats.timeouts += 1
        self._line.waiting = None
        messages: list[Message] = []
        job = self._job
        if waiting.purpose == "probe":
            messages = self._on_silence(now_us)
        elif waiting.purpose == "cpu-reset":
            self._forget()
        elif waiting.purpose == "inventory" and not waiting.noise and job is not None:
            self._patience.late(job.antenna)
            self._forget()
            job.overdue = True
        else:
            messages = self._fail_attempt(now_us, "bad-frame" if waiting.noise else "timeout")
        self._advance(now_us)
        return messages

    def _on_silence(self, now_us: int) -> list[Message]:
        """A probe was not answered."""
        messages = self._fall(now_us, DOWN_SILENCE) if self._life.unanswered(now_us) else []
        if not self._link.up:
            self._life.missed()
        return messages

    def _fail_attempt(self, now_us: int, how: Failed) -> list[Message]:
        """What was under way starts again from the antenna selection, or is given up."""
        self._forget()
        if self._greeting.pending:
            self._greeting.failed()
        return self._retry(self._job, now_us, how) if self._job is not None else []

    def _retry(self, job: Job, now_us: int, how: Failed) -> list[Message]:
        if is_tried_again(job.attempts, how, is_tall=self._patience.is_tall(job.antenna)):
            self.stats.retries += 1
            self._job = Job(job.antenna, job.attempts + 1)
            return []
        self._patience.gave_up(job.antenna)
        messages = self._finish(ReaderFault(self.device, job.antenna, how, now_us))
        if self._failures.failed(job.attempts, now_us):
            self.stats.reboots += 1
            self._send("cpu-reset", frames.cpu_reset(), frames.CPU_RESET, 0, now_us)
            messages.append(ReaderFault(self.device, None, "reset", now_us))
        return messages

    def _finish(self, message: Message) -> list[Message]:
        self._job = None
        return [message]

    def _forget(self) -> None:
        """Nothing is known any more about the line and the reader's antenna."""
        self._line.forget()
        self._selected = None
        self._flush_needed = True

    def _fall(self, now_us: int, reason: str) -> list[Message]:
        messages: list[Message] = []
        if self._job is not None:
            self._patience.forget(self._job.antenna)
            messages = self._finish(ReaderFault(self.device, self._job.antenna, "timeout", now_us))
        self._forget()
        if not self._open:
            self._line.clear()
        self._greeting.start()
        self._adr = None
        return messages + self._link.fall(now_us, reason)

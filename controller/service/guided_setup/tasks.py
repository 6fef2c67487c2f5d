"""The tasks of a set-up: find the wiring, take up chips, measure antennas, and write the result.

They use the same code as the commands `find`, `enroll` and `tune`. The thread of a set-up imports this module, because
a service without a set-up does not need its libraries.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from controller.service.guided_setup.dialogue import SetUpDialogue
from controller.service.queries.requests import SetUpCommand
from controller.view import pages
from hardware import guided_setup
from hardware.chip_register import load_chip_list, strip_signature
from hardware.file_replacement import replace_file
from hardware.layout import SensingSpec, TableLayout, chip_register_of, parse_layout
from hardware.spots import COUNT_PAD
from hardware.text_input_validation import BadInputError, read_file

TUNE_HEIGHTS: Final = (5, 10, 15, 20)
"""Heights of the stacks that are measured, as in the command `tune`."""
MAX_LAYOUT_BYTES: Final = 4_000_000
MAX_REGISTER_BYTES: Final = 32_000_000
FALLBACK_SUFFIX: Final = ".new"
"""Suffix of a layout or list of chips that the service writes into the folder of its journal."""


class NewFile(NamedTuple):
    """A file to write: the path, the text that it had before, and the new text."""

    path: Path
    old_text: bytes
    new_text: bytes
    replaces: bool
    """True if the file itself is replaced, if the service may write it. A list of chips must be signed first."""


Result: TypeAlias = tuple[pages.SetUpPage, NewFile | None]
"""The last page of a task, and the file that WRITE writes, or None."""


class _CancellableBench(guided_setup.SerialBench):
    """The devices of a table, whose next reading after CANCEL ends the set-up."""

    def __init__(
        self, ports: dict[str, guided_setup.DeviceKind], sensing: SensingSpec, check_cancelled: Callable[[], None]
    ) -> None:
        super().__init__(ports, sensing)
        self._check_cancelled = check_cancelled

    def read(self, antenna: guided_setup.Antenna) -> guided_setup.Reading:
        self._check_cancelled()
        return super().read(antenna)

    def presses(self) -> Sequence[guided_setup.Button]:
        self._check_cancelled()
        return super().presses()


def run_task(dialogue: SetUpDialogue, layout: TableLayout, layout_path: Path, command: SetUpCommand) -> Result:
    """Run the task of a key, such as FIND, with the devices of the layout. Return its result."""
    kinds: dict[str, guided_setup.DeviceKind] = {reader.port: reader.protocol for reader in layout.readers}
    kinds |= {panel.port: "panel" for panel in layout.panels}
    needed_names = {reader.name for reader in layout.readers}
    if command.word == "find":
        needed_names |= {panel.name for panel in layout.panels}
    with _CancellableBench(kinds, layout.sensing, dialogue.check_cancelled) as bench:
        silent = [
            f"{name} at {port}"
            for name, port in layout.ports.items()
            if port not in bench.kinds and name in needed_names
        ]
        if silent:
            raise BadInputError(f"{', '.join(silent)}: nothing answers, expected a device")
        match command.word:
            case "find":
                return _find(dialogue, bench, layout, layout_path)
            case "tune":
                return _tune(dialogue, bench, layout, layout_path)
        return _enroll(dialogue, bench, layout, layout_path, command.number)


def _find(dialogue: SetUpDialogue, bench: guided_setup.DeviceBench, layout: TableLayout, path: Path) -> Result:
    text = _read_layout(path)
    run = guided_setup.FindRun(bench, layout.spot_antennas.spots, guided_setup.button_names(layout))
    search = run.dialogue
    while (prompt := search.prompt) is not None:
        stage: pages.SetUpStage = "lift" if prompt.kind == "chip" and search.must_lift_chip else prompt.kind
        page = pages.SetUpPage(task="find", stage=stage, step=search.step, name=prompt.name, total=search.step_count)
        dialogue.show(page)
        for touch in dialogue.next_touches():
            if touch == SetUpCommand("skip", search.step):
                run.skip()
            elif touch == SetUpCommand("back", search.step):
                search.back()
        if search.prompt == prompt:
            run.do_round()
    return _layout_result(
        "find", path, text, guided_setup.with_wiring(text.decode(), search.wiring(bench.serials), str(path))
    )


def _tune(dialogue: SetUpDialogue, bench: guided_setup.DeviceBench, layout: TableLayout, path: Path) -> Result:
    text = _read_layout(path)
    spots = layout.spot_antennas.spots
    total = len(spots) * len(TUNE_HEIGHTS)

    def ask(spot: str, height: int) -> None:
        step = spots.index(spot) * len(TUNE_HEIGHTS) + TUNE_HEIGHTS.index(height)
        page = pages.SetUpPage(task="tune", stage="stack", step=step, name=spot, count=height, total=total)
        dialogue.show(page)
        if dialogue.wait_for_touch(step, "ready", "skip") == "skip":
            raise guided_setup.SpotSkippedError
        dialogue.show(msgspec.structs.replace(page, stage="measuring"))

    reports = guided_setup.measure_antennas(bench, layout, spots, TUNE_HEIGHTS, ask)
    change = guided_setup.with_heights(text.decode(), reports, datetime.date.today(), str(path))
    verdicts = [
        pages.SetUpNote(code=report.verdict, name=report.spot, other=report.better_spot,
                        text=f"{report.spot}: {report.verdict}")
        for report in reports
        if report.verdict != "good"
    ]  # fmt: skip
    return _layout_result("tune", path, text, change, verdicts)


def _enroll(
    dialogue: SetUpDialogue, bench: guided_setup.DeviceBench, layout: TableLayout, layout_path: Path, denomination: int
) -> Result:
    register = chip_register_of(layout_path)
    if register is None:
        raise BadInputError(f"{layout_path}: chips: no register, expected chips.register")
    spots = layout.spot_antennas
    place = spots[COUNT_PAD if COUNT_PAD in spots else spots.spots[0]]
    antenna = guided_setup.Antenna(layout.ports[place.reader], place.antenna)
    enrolment, step = guided_setup.Enrolment(load_chip_list(*register), denomination), 0
    pile = pages.SetUpPage(task="enroll", stage="pile", name=place.spot, amount=denomination)
    notes: tuple[pages.SetUpNote, ...] = ()
    while True:
        dialogue.show(msgspec.structs.replace(pile, step=step, count=len(enrolment.tags), notes=notes))
        if dialogue.wait_for_touch(step, "ready", "finish") == "finish":
            break
        tags = guided_setup.read_pile(bench, antenna)
        step += 1
        dialogue.show(msgspec.structs.replace(pile, stage="counted", step=step, count=len(tags)))
        notes = ()
        if dialogue.wait_for_touch(step, "take", "skip") == "take":
            notes = tuple(
                pages.SetUpNote(
                    code="twice" if problem.kind == "twice" else "listed", name=problem.tag, text=str(problem)
                )
                for problem in enrolment.add_pile(tags, len(tags))
            )
        step += 1
    if not enrolment.tags:
        return pages.SetUpPage(), None
    old = read_file(register[0], MAX_REGISTER_BYTES)
    new = enrolment.next_list(strip_signature(old), str(register[0]))
    page = pages.SetUpPage(
        task="enroll", stage="result", count=len(enrolment.tags), amount=denomination, can_write=True
    )
    return page, NewFile(register[0], old, new, replaces=False)


def _read_layout(path: Path) -> bytes:
    """Return the text of the layout. Raises BadInputError at the beginning of a task, if it cannot be used."""
    text = read_file(path, MAX_LAYOUT_BYTES)
    parse_layout(text.decode(errors="replace"), str(path))
    return text


def _layout_result(
    task: pages.SetUpTask,
    path: Path,
    old: bytes,
    change: guided_setup.LayoutChange,
    verdicts: Sequence[pages.SetUpNote] = (),
) -> Result:
    notes = [
        pages.SetUpNote(
            code=note.code, name=note.name, other=note.other, place=note.place, height=note.height, text=str(note)
        )
        for note in change.notes
    ]
    new = change.text.encode()
    page = pages.SetUpPage(task=task, stage="result", notes=(*verdicts, *notes), can_write=new != old)
    return page, NewFile(path, old, new, replaces=True) if new != old else None


def write_new_file(new_file: NewFile, task: pages.SetUpTask, folder: Path | None) -> pages.SetUpPage:
    """Write a file in its place, or into the folder of the journal if the service may not write there."""
    path = new_file.path
    if read_file(path, MAX_REGISTER_BYTES) != new_file.old_text:
        raise BadInputError(f"{path}: was changed meanwhile, expected the same file as before. Start again")
    page = pages.SetUpPage(task=task, stage="written", path=str(path))
    if new_file.replaces:
        with contextlib.suppress(BadInputError):
            guided_setup.write_layout(path, new_file.new_text.decode())
            return page
    if folder is None:
        raise BadInputError(f"{path}: cannot be written, and there is no journal with a folder to write to")
    beside = folder / (path.name + FALLBACK_SUFFIX)
    try:
        with replace_file(beside) as file:
            file.write(new_file.new_text)
    except OSError as error:
        raise BadInputError(f"{beside}: {error.strerror}, expected a file that can be written") from None
    return msgspec.structs.replace(page, path=str(beside), copy_to=str(path) if new_file.replaces else "")

"""Export a hand of the journal as PHH text or as a table script.

In a journal, a declaration and the chips that follow it are two steps. In a script or PHH file, a declaration includes
its chips. Example: a player declares a bet of 50 and then puts in chips for 50. The export writes these two steps as
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.config import BadInputError, parse_toml
from controller.histories.custom_fields import non_default_options
from controller.histories.phh_export import export_hand
from controller.histories.toml_text import to_toml
from controller.scripts import parse_script, play_rules
from controller.steps import Step, format_step, hand_steps, table_steps, without_buyer
from controller.table import Table, apply_table_step, declared_chips


def export_recorded(table: Table, steps: Sequence[Step], extra_fields: Mapping[str, Any] | None = None) -> str:
    """Return a recorded hand as PHH text.

    `table` is the table before the first step. `steps` are the recorded steps up to the last award of a pot, without
    undone steps. `extra_fields` are further PHH fields to write. Raise BadInputError if the steps are not one complete
    hand.
    """
    return export_hand(table, script_steps(table, steps), extra_fields)


def script_steps(table: Table, steps: Sequence[Step]) -> list[Step]:
    """Return the recorded steps in the form of a script, in which a declaration includes its chips."""
    table, scripted = table._replace(undo_stack=(), redo_stack=()), []
    remaining = list(steps)
    while remaining:
        step = remaining.pop(0)
        table_before, table = table, apply_table_step(table, step).table
        if not isinstance(step, hand_steps.Declares):
            scripted.append(step)
            continue
        declared = declared_chips(table_before, step)
        if declared is None:
            scripted.append(step)
        elif remaining and _is_declared_motion(remaining[0], declared):
            scripted.append(step)
            table = apply_table_step(table, remaining.pop(0)).table
        else:
            scripted.append(hand_steps.SpeaksOnly(step.seat, step.declaration))
    return scripted


def _is_declared_motion(step: Step, declared: hand_steps.MovesChips) -> bool:
    """Return True if the step puts in exactly the declared chips of the seat, in any denominations."""
    return (
        isinstance(step, hand_steps.MovesChips)
        and step.seat == declared.seat
        and not step.back
        and step.net_amount == declared.net_amount
    )


def recorded_script(table: Table, steps: Sequence[Step], stacks_after: dict[int, int]) -> str:
    """Return a recorded hand as the text of a table script, without the names of the players.

    `table` is the table before the first of the steps, which starts the hand. `stacks_after` are the stacks after the
    last step. If the hand depends on earlier hands, such as an owed blind, the script may end with other stacks. A
    comment at its beginning then says so. Raises BadInputError if the first step does not start a hand.
    """
    begun = apply_table_step(table, steps[0]).table
    hand = begun.hand
    if hand is None or not isinstance(steps[0], hand_steps.StartsHand | hand_steps.StartsBombPot):
        raise BadInputError("hand: its beginning is not in the journal, expected a complete hand")
    is_bomb_pot = isinstance(steps[0], hand_steps.StartsBombPot)
    played = [steps[0], *script_steps(begun, steps[1:])] if is_bomb_pot else script_steps(begun, steps[1:])
    game = {"start": "idle" if is_bomb_pot else "hand", "variant": hand.game.variant, "structure": hand.game.structure}
    lines = [
        'title  = "A recorded hand"',
        f"button = {hand.button}",
        f"stacks = {to_toml({seat: table.players[seat].stack for seat in hand.dealt_seats})}",
        "",
        "[game]",
        *(f"{key} = {to_toml(value)}" for key, value in {**game, **non_default_options(hand.game)}.items()),
    ]
    for step in played:
        if isinstance(step, table_steps.ChangesDealer | table_steps.CorrectsName):
            continue
        lines += ["", "[[step]]", f"do = {to_toml(format_step(without_buyer(step)))}"]
    stacks = {seat: stacks_after[seat] for seat in hand.dealt_seats if seat in stacks_after}
    text = "\n".join([*lines, f"see = {{ stacks = {to_toml(stacks)} }}", ""]) if played else "\n".join([*lines, ""])
    return _comment(text, stacks) + text


def _comment(text: str, stacks: dict[int, int]) -> str:
    """Return a comment if the script cannot be played, or ends with other stacks than the recorded hand."""
    try:
        *_, last = play_rules(parse_script(parse_toml(text.encode())))
    except BadInputError as error:
        return f"# This script cannot be played: {error}\n"
    shown = {seat: last["stacks"].get(str(seat)) for seat in stacks}
    return "" if shown == stacks else f"# This script ends with other stacks than the record: {to_toml(shown)}\n"

"""Conversion of codes and typed amounts to the texts that people read at one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Final, Literal

from controller.messages import amounts
from controller.messages.catalogue import SENTENCES, VARIANTS, Catalogue, KnownValues, catalogue
from controller.messages.key_codes import POTS, SEATS, STREETS, Rule, joined
from controller.messages.keys import KEYS, PLURALS, MessageKey, ScreenKey
from controller.view import (
    ActionView,
    Alert,
    BetLimit,
    Choice,
    Device,
    GameView,
    LargestBetView,
    MessageValues,
    Money,
    NoRaiseReason,
    RefusalView,
    Rulebook,
    SeatStatus,
    SeatView,
    StepSummary,
    TableView,
    Urgency,
)

Audience = Literal["dealer", "technician"]
"""The person who reads the texts. A technician also reads what a device or the operating system reported."""

NO_AMOUNT = "–"
"""The text for an amount that does not exist, because nobody is to act or there is no maximum."""
PLAIN = Money()
"""The format of counts, which have no currency sign."""

QUEUES: Final = "queues"
"""Code of the step that waits for the end of the hand. Its effect is the step that waits."""


@dataclass(frozen=True, slots=True)
class Messages:
    """Texts in one language, with amounts in the table's money and rules by its rulebook."""

    money: Money = PLAIN
    rulebook: Rulebook = "roberts"
    language: str = "en"
    audience: Audience = "dealer"

    def __post_init__(self) -> None:
        """Load the catalogue. Raise CatalogueError if the language has none."""
        catalogue(self.language)

    @property
    def _catalogue(self) -> Catalogue:
        return catalogue(self.language)

    # --- numbers and money ---

    def amount(self, amount: int | None) -> str:
        """Return an amount in the house's money, such as "$1,250" or "$12.50". Return a dash for None."""
        return NO_AMOUNT if amount is None else amounts.format_amount(self.language, self.money, amount)

    def count(self, count: int) -> str:
        """Return a number that is not money, such as "1,250"."""
        return amounts.format_amount(self.language, PLAIN, count)

    def typed_amount(self, whole: str, fraction: str | None) -> str:
        """Return the digits typed on the number pad, such as "$1,250.". Return "$_" before the first digit."""
        return amounts.format_typed(self.language, self.money, whole, fraction)

    @property
    def decimal_symbol(self) -> str:
        """The decimal separator of the language: "." or ","."""
        return amounts.decimal_symbol(self.language)

    # --- the screen's own texts ---

    def text(self, key: ScreenKey, *, amount: int | None = None, **values: str | int) -> str:
        """Return the text of a key (button) or a label that belongs to the screen.

        A `count` selects the plural form.

        Example: `text("unknown-chips", count=2)` is "2 unknown chips".
        """
        known = {name: str(value) for name, value in values.items()}
        known["amount"] = self.amount(amount)
        count = values.get("count")
        if not isinstance(count, int):
            return self._render(f"screen.{key}", known)
        return self._render(f"screen.{key}", known | {"count": self.count(count)}, count)

    @property
    def keyboard(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The keyboard for names.

        It has one or more layers, each layer has rows of keys, and each key is the text that it types.
        """
        return _keyboard(self._catalogue.texts["keyboard"])

    # --- what was done ---

    def action(self, action: ActionView) -> str:
        """Return the action of a seat without naming the seat, such as "raise to $60" or "call, all-in"."""
        return self._action("action", action)

    def step_summary(self, step: StepSummary, *, recorded: bool = True) -> str:
        """Return a description of a step that was done, such as "Seat 3 raises to $60 (sensed)".

        If `recorded` is False, the text says that the step was not recorded.
        """
        known = {"seat": str(step.seat)}
        if step.seats:
            known["seats"] = self._list(step.seats)
        if step.name:
            known["name"] = self._game_name(step.structure, step.variant) if step.structure else step.name
        if step.amount is not None:
            known["amount"] = self.amount(step.amount)
        if step.count is not None:
            known["count"] = self.count(step.count)
        if step.pot:
            known["pot"] = self._pot("pot-named", step.pot)
        if step.hand_number:
            known["hand"] = str(step.hand_number)
        if step.street and step.variant:
            known["street"] = self.street(step.variant, step.street)
        if step.action is not None and step.is_held:
            summary = self._text("pattern.out-of-turn", seat=known["seat"], action=self.action(step.action))
        else:
            if step.action is not None:
                known["does"] = self._action("does", step.action)
            count = step.count if step.count is not None else len(step.seats)
            summary = self._render(f"step.{step.step}", known, count)
        summary = _capitalized(summary)
        if step.bet_source != "book":
            summary = self._render(f"pattern.{step.bet_source}", {"step": summary})
        if step.is_unauthorised:
            summary = self._text("pattern.not-authorised", step=summary)
        effects = [self.step_summary(effect) for effect in step.effects]
        if step.step == QUEUES and effects:
            summary = self._text("pattern.after-hand", step=effects.pop(0))
        summary = " · ".join((summary, *effects))
        return summary if recorded else self._text("pattern.not-recorded", step=summary)

    def _action(self, group: Literal["action", "does"], action: ActionView) -> str:
        known = {"amount": self.amount(action.amount)} if action.amount else {}
        text = self._render(f"{group}.{action.verb}", known)
        return self._text("pattern.all-in", action=text) if action.all_in and action.verb != "all-in" else text

    # --- alerts, choices, refusals ---

    def alert_title(self, alert: Alert) -> str:
        """Return the title of an alert, which says what happened in at most six words.

        The title may depend on the rule behind the alert. Example: a bet is over the pot, the cap or the limit.
        """
        of_rule = f"alert.{alert.code}.{alert.rule}-title"
        key = of_rule if of_rule in KEYS else f"alert.{alert.code}.title"
        return _capitalized(self._render(key, self._known(alert.values), _count(alert.values)))

    def alert_action(self, alert: Alert) -> str:
        """Return what to do about an alert, in at most eight words. It is the first advice of the alert's text."""
        return self._joined(self._sentences(alert, _alert_part(alert.code, "advice", self.rulebook)[:1]))

    def has_more_text(self, alert: Alert) -> bool:
        """Return True if the text of an alert says more than what to do."""
        return len(self._sentences(alert, _alert_sentences(alert.code, self.rulebook, self.audience))) > 1

    def alert_text(self, alert: Alert) -> str:
        """Return the whole text of an alert: the facts, then what to do.

        Sentences that name an unknown value are left out.
        """
        return self._joined(self._sentences(alert, _alert_sentences(alert.code, self.rulebook, self.audience)))

    def _sentences(self, alert: Alert, keys: Sequence[str]) -> list[str]:
        """Return the sentences with these keys. Leave out a sentence if all its variants name an unknown value."""
        known, count = self._known(alert.values), _count(alert.values)
        variants = [self._variant(key, known) for key in keys]
        return [_capitalized(self._template(key, count).format_map(known)) for key in variants if key]

    def _joined(self, sentences: Sequence[str]) -> str:
        return reduce(self._joined_sentences, sentences) if sentences else ""

    def alert_rule(self, alert: Alert) -> Rule | None:
        """Return the rule behind an alert, or None if no rule applies."""
        return self.rule(alert.rule)

    def rule(self, ruling: str) -> Rule | None:
        """Return the rule behind a ruling, from the table's rulebook or else from the house rules.

        Return None if neither has such a rule.
        """
        for book in (self.rulebook, "house"):
            key = f"rule.{ruling}.{book}"
            if f"{key}.text" in KEYS:
                texts = self._catalogue.texts
                return Rule(texts[f"book.{book}"], texts[f"{key}.number"], texts[f"{key}.text"])
        return None

    def choice(self, choice: Choice) -> str:
        """Return the label of the screen key (button) for a choice, such as "PUSH BACK $240 TO 3"."""
        values = choice.values
        known = self._known(values)
        if values.seats:
            known["seats"] = self._text("list.comma").join(map(str, values.seats))
        if values.pot:
            known["pot"] = self.pot(values.pot)
        known |= {name: known[name].upper() for name in ("street", "name") if name in known}
        return self._render(f"choice.{choice.label}", known, _count(values))

    def refusal(self, refused: RefusalView) -> str:
        """Return why a command was refused. The screen shows the text after "Not done:"."""
        return self._render(f"refusal.{refused.code}", self._known(refused.values), _count(refused.values))

    # --- games and pots ---

    def game(self, game: GameView) -> str:
        """Return the title of a game, such as "Pot-Limit Omaha $5/$10".

        In fixed limit, it has the smallest and largest bet.
        """
        return self._game_name(game.structure, game.variant, self.stakes(game))

    def _game_name(self, structure: str, variant: str, stakes: str = "") -> str:
        known = {"structure": self._of("structure", structure), "variant": self._of("variant", variant)}
        return self._render("pattern.game", known | ({"stakes": stakes} if stakes else {}))

    def stakes(self, game: GameView) -> str:
        """Return the blinds, or in fixed limit the smallest and largest bet, such as "$5/$10".

        Without blinds, return the ante, or "" if the game has no ante either.
        """
        stakes = tuple(sorted({min(game.bets), max(game.bets)})) if game.bets else game.blinds
        if not stakes:
            return self._text("pattern.ante", amount=self.amount(game.ante)) if game.ante else ""
        return reduce(lambda small, big: self._text("pattern.stakes", small=small, big=big), map(self.amount, stakes))

    def street(self, variant: str, betting_round: int) -> str:
        """Return the name of a betting round, counted from 1. Return "" for 0."""
        return self._of("street", STREETS[variant][betting_round - 1]) if betting_round else ""

    def street_title(self, game: GameView, betting_round: int, stage: ScreenKey | None = None) -> str:
        """Return the name of a betting round in capitals, after the ante of a bomb pot, such as "BOMB $10 · FLOP".

        If the table is in another `stage`, such as a break, return the text of this stage.
        """
        if stage is not None:
            return self.text(stage)
        street = self.street(game.variant, betting_round).upper()
        return f"{self.text('bomb', amount=game.bomb)} · {street}" if game.bomb else street

    def pot(self, name: str) -> str:
        """Return the name of a pot for the label of a screen key (button), such as "SIDE 1"."""
        return self._pot("pot", name)

    def pot_short(self, name: str) -> str:
        """Return the name of a pot in at most three characters, such as "S1"."""
        return self._pot("pot-short", name)

    def account(self, name: str) -> str:
        """Return the name of an account, such as "rake"."""
        return self._of("account", name)

    # --- states of the table and its seats ---

    def urgency(self, level: Urgency) -> str:
        """Return the urgency of an alert, such as "QUESTION"."""
        return self._of("urgency", level)

    def seat_status(self, status: SeatStatus) -> str:
        """Return the state of a seat, such as "TO ACT"."""
        return self._of("status", status)

    def not_in_hand_reason(self, seat: SeatView) -> str:
        """Return why a player is not in the hand, such as "owes a post of $15".

        Return "" if the player is in the hand.
        """
        if not seat.not_in_hand_reason:
            return ""
        known = {"count": self.count(seat.hands_to_wait)} if seat.hands_to_wait else {}
        if seat.post_due:
            known["amount"] = self.amount(seat.post_due)
        return self._render(f"not-dealt.{seat.not_in_hand_reason}", known, seat.hands_to_wait)

    def house_status(self, view: TableView) -> str:
        """Return texts about open access, sensors that are offline and devices that are down, or "" without any."""
        parts = [self.text("open-table")] if view.has_open_access else []
        if view.sensors != "on":
            parts.append(self.text("sensors-partly" if view.sensors == "partly" else "sensors-off"))
        devices_down = [device for device in view.devices if not device.up]
        if len(devices_down) == 1:
            parts.append(self.device_down(devices_down[0]))
        elif devices_down:
            names = ", ".join([device.name for device in devices_down])
            parts.append(self.text("devices-down", count=len(devices_down), device=names))
        return " · ".join(parts)

    def device_down(self, device: Device) -> str:
        """Return the text for a device that is down, such as "Reader A DOWN". For a technician, add the reason."""
        text = self.text("device-down", device=device.name)
        reason = self.fault(device.reason) if self.audience == "technician" else ""
        return self._text("pattern.device-fault", device=text, reason=reason) if reason else text

    def spot(self, name: str) -> str:
        """Return the name of a spot, such as "seat 3" or "the pot"."""
        if name in SEATS:
            return self._text("spot.seat", number=SEATS[name])
        return self._of("spot", name) if f"spot.{name}" in KEYS else name

    def fault(self, code: str) -> str:
        """Return why a device is down, for the person who repairs it. Return an unknown code unchanged."""
        return self._catalogue.texts[f"fault.{code}"] if f"fault.{code}" in KEYS else code

    # --- how much may be bet ---

    def maximum_label(self, limit: BetLimit, *, opening: bool) -> str:
        """Return the label for the largest bet (if `opening`) or the largest raise. Example: "POT RAISE TO"."""
        return self._of("maximum-bet" if opening else "maximum-raise", limit)

    def over_maximum(self, limit: BetLimit, amount: int | None, *, opening: bool) -> str:
        """Return why a bet (if `opening`) or raise is too large, such as "over the pot raise, $155"."""
        key = f"{'over-bet' if opening else 'over-raise'}.{limit}"
        return self._render(key, {"amount": self.amount(amount)})

    def largest_bet(self, largest: LargestBetView) -> str:
        """Return how the largest bet or raise is calculated, or the reason why no raise is allowed.

        If the seat's stack is smaller than this maximum, the stack follows in the text.
        """
        text = self.no_raise_reason(largest.no_raise_reason) or self.maximum_sum(largest)
        return text if largest.has_enough or largest.max_total is None else f"{text} · {self.stack_behind(largest)}"

    def maximum_sum(self, largest: LargestBetView) -> str:
        """Return how the largest bet or raise is calculated, such as "call $35 + pot $120 = $155".

        Return "no limit" if the bet or raise has no maximum.
        """
        if largest.max_total is None:
            return self._text("pattern.no-maximum")
        return self._sum([(f"addend.{part.kind}", part.amount) for part in largest.parts], largest.max_total)

    def pot_sum(self, largest: LargestBetView) -> str:
        """Return how the pot that limits the bet is calculated, such as "in $85 + call $35 = $120".

        Return "" if no pot limits the bet.
        """
        parts = [(f"pot-addend.{part.kind}", part.amount) for part in largest.pot_parts]
        return self._sum(parts, sum(amount for _, amount in parts))

    def stack_behind(self, largest: LargestBetView) -> str:
        """Return the stack of the seat in turn, such as "stack $960". Return "" if the stack is not known."""
        return self._text("pattern.behind", amount=self.amount(largest.stack)) if largest.stack is not None else ""

    def no_raise_reason(self, why: NoRaiseReason) -> str:
        """Return why the seat in turn may not bet or raise, or "" if it may do so."""
        return self._of("no-raise", why) if why else ""

    def _sum(self, addends: Sequence[tuple[str, int]], total: int) -> str:
        """Return a calculation as text, with the addends and their sum.

        If there is only one addend, return only its text.
        """
        texts = [self._render(key, {"amount": self.amount(abs(amount))}) for key, amount in addends]
        if len(texts) < 2:
            return "".join(texts)
        parts = texts[0]
        for text, (_, amount) in zip(texts[1:], addends[1:], strict=True):
            parts = self._text("pattern.plus" if amount >= 0 else "pattern.minus", first=parts, second=text)
        return self._text("pattern.sum", parts=parts, amount=self.amount(total))

    # --- values ---

    def _render(self, key: str, values: Mapping[str, str], count: int | None = None) -> str:
        """Return a message with its values, in the variant that names the most known values.

        If every variant has an unknown value, return the plain message with "?" for each unknown value. Example:
        `_render("action.raise", {"amount": "$60"})` is "raise to $60". Without an amount it is "raise".
        """
        chosen = (self._variant(key, values) or key) if key in VARIANTS else key
        return self._template(chosen, count).format_map(KnownValues(values))

    def _variant(self, key: str, values: Mapping[str, str]) -> str:
        """Return the key of the variant that names the most values, or "" if every variant has an unknown value."""
        needs = self._catalogue.needs
        return next((name for name in VARIANTS.get(key, (key,)) if needs[name] <= values.keys()), "")

    def _template(self, key: str, count: int | None) -> str:
        return self._catalogue.template(key, count) if key in PLURALS else self._catalogue.texts[key]

    def _text(self, key: MessageKey, **values: str) -> str:
        return self._render(key, values)

    def _of(self, group: str, code: str) -> str:
        """Return the text for a code of the view.

        `group` is the kind of code, such as "no-raise".

        Tests ensure that every code has a text.
        """
        return self._catalogue.texts[f"{group}.{code}"]

    def _pot(self, group: Literal["pot", "pot-named", "pot-short"], name: str) -> str:
        if name not in POTS:
            return name
        code, number = POTS[name]
        return self._render(f"{group}.{code}", {"number": number})

    def _list(self, seats: tuple[int, ...]) -> str:
        return joined(self.language, seats)

    def _joined_sentences(self, first: str, second: str) -> str:
        return self._text("pattern.sentences", first=first, second=second)

    def _usable_reason(self, reason: str) -> str:
        """Return the reason of a fault if the person who reads it can use it, otherwise "".

        Only technicians can use the messages of a library or the operating system.
        """
        return self.fault(reason) if self.audience == "technician" or f"fault.{reason}" in KEYS else ""

    def _known(self, values: MessageValues) -> dict[str, str]:
        """Return the known values that a message can name, as texts."""
        numbers = {"seat": values.seat, "turn": values.turn, "button": values.button}
        known = {name: str(number) for name, number in numbers.items() if number}
        if values.hand is not None:
            known["hand"] = str(values.hand)
        if values.count is not None:
            known["count"] = self.count(values.count)
        money = {"amount": values.amount, "least": values.least, "most": values.most}
        known |= {name: self.amount(amount) for name, amount in money.items() if amount is not None}
        texts = {
            "seats": self._list(values.seats) if values.seats else "",
            "did": self._of("passed", values.presumed_action) if values.presumed_action else "",
            "held": self.action(values.held_action) if values.held_action is not None else "",
            "pot": self._pot("pot-named", values.pot) if values.pot else "",
            "pots": self._text("list.comma").join(
                self._text("pattern.pot-count", pot=self._pot("pot-named", name), amount=self.amount(amount))
                for name, amount in values.pots
            ),
            "street": self.street(values.variant, values.street) if values.variant else "",
            "device": values.device,
            "spot": self.spot(values.spot) if values.spot else "",
            "lammer": self._of("lammer", values.lammer) if f"lammer.{values.lammer}" in KEYS else values.lammer,
            "name": self._game_name(values.structure, values.variant) if values.structure else values.name,
            "tag": bytes.fromhex(values.tag).hex(" ").upper(),
            "reason": self._usable_reason(values.reason) if values.reason else "",
            "todo": self._of("todo", values.reason) if f"todo.{values.reason}" in KEYS else "",
            "why": self._of("floor-call", values.reason) if f"floor-call.{values.reason}" in KEYS else "",
            "answers": self._answers(values) if values.answers else "",
        }
        return known | {name: text for name, text in texts.items() if text}

    def _answers(self, values: MessageValues) -> str:
        labels = (self._render(f"choice.{label}", {}) for label in values.answers)
        return self._text("list.comma").join(labels)


def messages_for(view: TableView, *, language: str = "en", audience: Audience = "dealer") -> Messages:
    """Return a `Messages` object that formats texts with the currency and the rulebook of a view."""
    return Messages(view.money, view.rulebook, language, audience)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(values: MessageValues) -> int:
    """Return the number that selects a plural form: the count, or the number of seats if no count is known."""
    return values.count if values.count is not None else len(values.seats)


@cache
def _alert_sentences(code: str, rulebook: Rulebook, audience: Audience) -> tuple[str, ...]:
    """Return the keys of an alert's sentences in order: facts, report for the technician, what to do."""
    technician = f"alert.{code}.technician"
    extra = (technician,) if audience == "technician" and technician in KEYS else ()
    return (*_alert_part(code, "text", rulebook), *extra, *_alert_part(code, "advice", rulebook))


def _alert_part(code: str, name: str, rulebook: Rulebook) -> tuple[str, ...]:
    """Return the keys of the sentences in one part of an alert's text, which may differ in the rulebook of the TDA."""
    own = SENTENCES.get(f"alert.{code}.tda-{name}", ()) if rulebook == "tda" else ()
    return own or SENTENCES.get(f"alert.{code}.{name}", ())


@cache
def _keyboard(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the layers of a keyboard from its text.

    An empty line separates layers, a line is a row of keys, and spaces separate keys.
    """
    return tuple(tuple(tuple(row.split()) for row in layer.split("\n")) for layer in text.split("\n\n"))

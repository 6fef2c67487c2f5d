"""From codes and typed amounts to the words that people read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from controller.view import (
    Alert,
    Choice,
    Device,
    Did,
    GameView,
    LargestView,
    Limit,
    Money,
    Refused,
    Rulebook,
    SeatStatus,
    SeatView,
    TableView,
    Told,
    Urgency,
    Values,
    WhyNoRaise,
)
from controller.words import chinese, english, german
from controller.words.catalogue import Catalogue, Rule, ScreenKey
from controller.words.templates import filled, sentences

Language = Literal["en", "de", "zh"]
Audience = Literal["dealer", "technician"]
"""Who reads it: a technician is also told what a device or the system said."""

NO_AMOUNT: Final = "–"
"""Stands where there is no number: nobody is to act, or nothing bounds it."""

LANGUAGES: Final[Mapping[Language, Catalogue]] = {
    "en": english.CATALOGUE,
    "de": german.CATALOGUE,
    "zh": chinese.CATALOGUE,
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one table: all amounts in its money, rules and rulings by its rulebook."""

    money: Money = Money()
    rulebook: Rulebook = "roberts"
    language: Language = "en"
    audience: Audience = "dealer"
    _says: Catalogue = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_says", LANGUAGES[self.language])  # the one place where a frozen value is written

    def amount(self, amount: int | None) -> str:
        """The amount in the house's money: "1,250", "$12.50"; a dash for None. Decimals all zero are left out."""
        if amount is None:
            return NO_AMOUNT
        sign = "-" if amount < 0 else ""
        whole, rest = divmod(abs(amount), 10**self.money.decimals)
        fraction = f".{rest:0{self.money.decimals}d}" if rest else ""
        return f"{sign}{self.money.prefix}{whole:,}{fraction}"

    # --- what was done ---

    def did(self, did: Did) -> str:
        """What a seat did, for its place at the table: "raise to $60", "call, all-in"."""
        return self._all_in(self._says.did[did.verb].plain, did)

    def told(self, told: Told, *, recorded: bool = True) -> str:
        """A step that was done: "seat 3 raises to $60 (sensed)"; it says so where that is not `recorded`."""
        texts = {"seats": self._listed(told.seats), "name": told.name}
        values = {"seat": str(told.seat)} | {name: text for name, text in texts.items() if text}
        if told.amount is not None:
            values["amount"] = self.amount(told.amount)
        if told.count is not None:
            values["count"] = str(told.count)
        values["pot"] = self._says.pots_said.get(told.pot, told.pot)
        if told.did is not None and told.held:
            sentence = filled(self._says.held, values | {"did": self.did(told.did)})
        else:
            if told.did is not None:
                values["did"] = self._all_in(self._says.did[told.did.verb].third, told.did)
            sentence = filled(self._says.told[told.step], values)
        sentence = filled(self._says.sources[told.source], {"told": sentence})
        return filled(self._says.unrecorded, {"told": sentence}) if not recorded else sentence

    def _all_in(self, template: str, did: Did) -> str:
        words = filled(template, {"amount": self.amount(did.amount)} if did.amount else {})
        return filled(self._says.all_in, {"did": words}) if did.all_in and did.verb != "all-in" else words

    # --- alerts ---

    def title(self, alert: Alert) -> str:
        """What happened, in one line."""
        return sentences(self._named(alert.values), self._says.alerts[alert.code].title)

    def text(self, alert: Alert) -> str:
        """What it means and what to do."""
        text, values = self._says.alerts[alert.code], self._named(alert.values)
        tda = self.rulebook == "tda"
        what, advice = (tda and text.tda_text) or text.text, (tda and text.tda_advice) or text.advice
        why = text.technician if self.audience == "technician" else ""
        return sentences(values, what, why, advice, between=self._says.between)

    def rule(self, alert: Alert) -> Rule | None:
        """The rule that it rests on; None where it is no matter of the rules."""
        return self.rule_of(alert.rule)

    def label(self, choice: Choice) -> str:
        """What the key of a choice says: "PUSH BACK $240 TO 3"."""
        values = self._named(choice.values)
        values["seats"] = self._says.comma.join(map(str, choice.values.seats))
        values["pot"] = self.pot(choice.values.pot)
        if "street" in values:
            values["street"] = values["street"].upper()
        return filled(self._says.labels[choice.label], values)

    def refused(self, refused: Refused) -> str:
        """Why nothing was done, to stand after "Not done:"."""
        return filled(self._says.refused[refused.code], self._named(refused.values))

    # --- names ---

    def game(self, game: GameView) -> str:
        """The game: "Omaha pot-limit $5/$10"; with fixed limits its smallest and largest bet."""
        names = (self._says.variants[game.variant], self._says.structures[game.structure])
        return " ".join(filter(None, (*names, self.stakes(game))))

    def stakes(self, game: GameView) -> str:
        """Its blinds, or with fixed limits its smallest and largest bet: "$5/$10"."""
        stakes = tuple(sorted({min(game.bets), max(game.bets)})) if game.bets else game.blinds
        if not stakes and game.ante:
            return filled(self._says.ante, {"amount": self.amount(game.ante)})
        return "/".join(map(self.amount, stakes))

    def street(self, variant: str, betting_round: int) -> str:
        """The name of a betting round, from 1; "" for none."""
        return self._says.streets[variant][betting_round - 1] if betting_round else ""

    def pot(self, name: str) -> str:
        """A pot as keys call it: "SIDE 1"."""
        return self._says.pots.get(name, name)

    def pot_short(self, name: str) -> str:
        """A pot in three letters at most: "S1"."""
        return self._says.pots_short.get(name, name)

    def account(self, name: str) -> str:
        """Where chips went that left the players: "rake"."""
        return self._says.accounts[name]

    def level(self, level: Urgency) -> str:
        """How urgent an alert is: "QUESTION"."""
        return self._says.levels[level]

    def status(self, status: SeatStatus) -> str:
        """How it stands with a seat: "TO ACT"."""
        return self._says.statuses[status]

    def largest(self, limit: Limit, *, opening: bool) -> str:
        """The word of the largest bet (`opening`) or raise, by what bounds it: "POT RAISE TO"."""
        return self._says.bounds[limit][0 if opening else 1]

    def over(self, limit: Limit, amount: int | None, *, opening: bool) -> str:
        """Why a larger bet (`opening`) or raise than this is too large: "more than the pot raise, $155"."""
        return filled(self._says.over[limit][0 if opening else 1], {"amount": self.amount(amount)})

    def made_up(self, largest: LargestView) -> str:
        """How the largest bet or raise is made up: "call $35 + pot $120 = $155"; "no limit"."""
        if largest.most is None:
            return self._says.no_most
        return self._sum([(self._says.addends[part.what], part.amount) for part in largest.parts], largest.most)

    def pot_made_up(self, largest: LargestView) -> str:
        """How the pot that it goes by is counted: "in $85 + call $35 = $120"; "" where it goes by none."""
        pot = [(self._says.pot_addends[part.what], part.amount) for part in largest.pot]
        return self._sum(pot, sum(amount for _, amount in pot))

    def behind(self, largest: LargestView) -> str:
        """What the seat in turn has behind: "stack $960"; "" where nobody knows it."""
        return filled(self._says.behind, {"amount": self.amount(largest.stack)}) if largest.stack is not None else ""

    def _sum(self, addends: Sequence[tuple[str, int]], total: int) -> str:
        """Templates with their amounts, and what they come to; one alone says it all."""
        texts = [filled(template, {"amount": self.amount(abs(amount))}) for template, amount in addends]
        if len(texts) < 2:
            return "".join(texts)
        signs = ["", *[self._says.plus if amount >= 0 else self._says.minus for _, amount in addends[1:]]]
        parts = "".join(sign + text for sign, text in zip(signs, texts, strict=True))
        return filled(self._says.made_up, {"parts": parts, "amount": self.amount(total)})

    def why_no_raise(self, why: WhyNoRaise) -> str:
        """Why the seat in turn may not bet or raise; "" where it may."""
        return self._says.why_no_raise[why]

    def why_out(self, seat: SeatView) -> str:
        """Why a player is not in the hand: "owes a post of $15"; "" for one who is."""
        values = {"count": str(seat.waits_hands)} if seat.waits_hands else {}
        if seat.post:
            values["amount"] = self.amount(seat.post)
        return filled(self._says.why_out[seat.why_out], values)

    def rule_of(self, key: str) -> Rule | None:
        """The rule of this key; None where there is none."""
        rules = self._says.rules.get(key)
        return rules[self.rulebook == "tda"] if rules else None

    def device(self, device: Device) -> str:
        """A device that is down, and for a technician why: "reader A DOWN"."""
        words = self.say("device-down", device=device.name)
        why = self._reason(device.reason) if self.audience == "technician" else ""
        return f"{words}: {why}" if why else words

    def say(self, key: ScreenKey, *, amount: int | None = None, **values: str | int) -> str:
        """Words of the screen itself. What they name is given by name; amounts as `amount`, in the house's money."""
        return self._says.screen[key].format(amount=self.amount(amount), **values)

    @property
    def keyboard(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The letters of names, as they lie on a keyboard."""
        return self._says.keyboard

    def spot(self, name: str) -> str:
        """A place on the table where chips are read: "seat 3", "the pot"."""
        return self._says.spots.get(name, name)

    def reason(self, code: str) -> str:
        """Why a device does not answer, for who repairs it."""
        return self._reason(code)

    # --- values ---

    def _listed(self, seats: tuple[int, ...]) -> str:
        """ "5", "5 and 6", "5, 6 and 7"."""
        *first, last = map(str, seats) if seats else ("",)
        return self._says.and_last.join(filter(None, (self._says.comma.join(first), last)))

    def _reason(self, reason: str) -> str:
        return self._says.reasons.get(reason, reason)

    def _told_reason(self, reason: str) -> str:
        """What a library or the system said is for who repairs it; a dealer is told what has words here."""
        return self._reason(reason) if self.audience == "technician" else self._says.reasons.get(reason, "")

    def _named(self, values: Values) -> dict[str, str]:
        """What a template can name, of what is known."""
        says = self._says
        numbers = {"seat": values.seat, "turn": values.turn, "button": values.button}
        known = {name: str(number) for name, number in numbers.items() if number}
        counts = {"count": values.count, "hand": values.hand}
        known |= {name: str(count) for name, count in counts.items() if count is not None}
        money = {"amount": values.amount, "least": values.least, "most": values.most}
        known |= {name: self.amount(amount) for name, amount in money.items() if amount is not None}
        texts = {
            "seats": self._listed(values.seats),
            "did": says.passed.get(values.did, ""),
            "held": self.did(values.held) if values.held is not None else "",
            "pot": says.pots_said.get(values.pot, values.pot),
            "street": self.street(values.variant, values.street) if values.variant else "",
            "device": values.device,
            "spot": says.spots.get(values.spot, values.spot),
            "lammer": says.lammers.get(values.lammer, values.lammer),
            "name": values.name,
            "tag": bytes.fromhex(values.tag).hex(" ").upper(),
            "reason": self._told_reason(values.reason),
            "answers": says.comma.join(filled(says.labels[label], {}) for label in values.answers),
        }
        return known | {name: text for name, text in texts.items() if text}


def words_of(view: TableView, *, language: Language = "en", audience: Audience = "dealer") -> Words:
    """The words in which a view is shown."""
    return Words(view.money, view.rulebook, language, audience)

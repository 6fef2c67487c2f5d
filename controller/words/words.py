"""From codes and typed amounts to the words that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from controller.view import (
    Alert,
    Choice,
    Device,
    Did,
    GameView,
    Limit,
    Money,
    Refused,
    Rulebook,
    SeatStatus,
    TableView,
    Told,
    Urgency,
    Values,
)
from controller.words import english
from controller.words.catalogue import Catalogue, Rule, ScreenKey
from controller.words.templates import filled, sentences

Language = Literal["en"]
Audience = Literal["dealer", "technician"]
"""Who reads it: a technician is also told what a device or the system said."""

NO_AMOUNT: Final = "–"
"""Stands where there is no number: nobody is to act, or nothing bounds it."""

LANGUAGES: Final[Mapping[Language, Catalogue]] = {"en": english.CATALOGUE}


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
        return sentences(values, what, why, advice)

    def rule(self, alert: Alert) -> Rule | None:
        """The rule that it rests on; None where it is no matter of the rules."""
        rules = self._says.rules.get(alert.rule)
        return rules[self.rulebook == "tda"] if rules else None

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

    def device(self, device: Device) -> str:
        """A device that is down, and for a technician why: "reader A DOWN"."""
        words = self.say("device-down", device=device.name)
        why = self._reason(device.reason) if self.audience == "technician" else ""
        return f"{words}: {why}" if why else words

    def say(self, key: ScreenKey, *, amount: int | None = None, **values: str | int) -> str:
        """Words of the screen itself. What they name is given by name; amounts as `amount`, in the house's money."""
        return self._says.screen[key].format(amount=self.amount(amount), **values)

    # --- values ---

    def _listed(self, seats: tuple[int, ...]) -> str:
        """ "5", "5 and 6", "5, 6 and 7"."""
        *first, last = map(str, seats) if seats else ("",)
        return self._says.and_last.join(filter(None, (self._says.comma.join(first), last)))

    def _reason(self, reason: str) -> str:
        return self._says.reasons.get(reason, reason)

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
            "reason": self._reason(values.reason),
        }
        return known | {name: text for name, text in texts.items() if text}


def words_of(view: TableView, *, language: Language = "en", audience: Audience = "dealer") -> Words:
    """The words in which a view is shown."""
    return Words(view.money, view.rulebook, language, audience)

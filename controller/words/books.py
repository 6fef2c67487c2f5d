"""How a language cites the two rulebooks and the house's own rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controller.words.catalogue import Rule

TDA: Final = "TDA"
"""In every language."""


@dataclass(frozen=True, slots=True)
class Books:
    """The names of the books, and how a place in Robert's Rules is said: `{number}` and `{where}` are filled in."""

    roberts: str
    house: str
    betting: str
    """In the section on betting and raising."""
    section: str
    """In another section."""

    def of_betting(self, number: int, text: str) -> Rule:
        """A rule of betting and raising in Robert's Rules."""
        return Rule(book=self.roberts, number=self.betting.format(number=number), text=text)

    def of_section(self, number: int, where: str, text: str) -> Rule:
        """A rule of another section of Robert's Rules."""
        return Rule(book=self.roberts, number=self.section.format(number=number, where=where), text=text)

    def of_tda(self, number: str, text: str) -> Rule:
        """A rule of the Tournament Directors Association."""
        return Rule(book=TDA, number=number, text=text)

    def of_house(self, number: str, text: str) -> Rule:
        """A rule of the house."""
        return Rule(book=self.house, number=number, text=text)

    def of_both(self, number: str, text: str) -> tuple[Rule, Rule]:
        """A rule of the house, whatever the book."""
        rule = self.of_house(number, text)
        return rule, rule

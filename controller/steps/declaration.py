"""Words of a seat, such as "raise to 60", and their format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from controller.steps.base import WordFormat, Words
from controller.steps.word_formats import StepSyntaxError, is_number, parse_amount, quote_words

DeclarationKind = Literal["fold", "check", "call", "bet", "raise", "complete", "pot", "all-in", "amount", "time"]
"""Kind of a declaration. `amount` is a number without a verb, such as "500"."""
_KINDS_WITHOUT_AMOUNT: dict[str, DeclarationKind] = {
    kind: kind for kind in get_args(DeclarationKind) if kind != "amount"
}
"""Declarations that are possible without an amount."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Words of a seat. `amount` is 0 if the words name no amount, and `is_raise_by` is True for "raise by"."""

    kind: DeclarationKind
    amount: int = 0
    is_raise_by: bool = False


def _parse_declaration(words: Words) -> Declaration:
    """Return the declaration that the words describe."""
    kind = _KINDS_WITHOUT_AMOUNT.get(words[0]) if words else None
    if kind is not None and len(words) == 1:
        return Declaration(kind)
    if kind == "bet":
        return Declaration(kind, parse_amount(words[1:]))
    if len(words) == 1 and is_number(words[0]):
        return Declaration("amount", parse_amount(words))
    if kind == "raise":
        amount_words = words[1:]
        if amount_words[0] in ("to", "by"):
            return Declaration(kind, parse_amount(amount_words[1:]), is_raise_by=amount_words[0] == "by")
        if len(amount_words) > 1:
            raise StepSyntaxError(f"expected 'raise', 'raise to N' or 'raise by N', got {quote_words(words)}")
        return Declaration(kind, parse_amount(amount_words))
    expected = "fold, check, call, bet N, raise, raise to N, raise by N, complete, pot, all-in, time or an amount"
    raise StepSyntaxError(f"expected {expected}, got {quote_words(words)}")


def _format_declaration(step: Any) -> str:
    """Return the words that describe a declaration."""
    declaration: Declaration = step.declaration
    if not declaration.amount:
        return declaration.kind
    if declaration.kind == "amount":
        return str(declaration.amount)
    preposition = "by " if declaration.is_raise_by else "to " if declaration.kind == "raise" else ""
    return f"{declaration.kind} {preposition}{declaration.amount}"


DECLARATION: Final = WordFormat(lambda new, seat, words: new(*seat, _parse_declaration(words)), _format_declaration)
"""Format of `3 raise to 60`, `3 says call` and `3 said raise`."""

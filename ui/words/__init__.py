"""Every word that the screen itself says, and how amounts are written and typed."""

from ui.words import text
from ui.words.amounts import PadKey, Typed, amount_of, as_typed, type_key, typed_field, written

__all__ = ["PadKey", "Typed", "amount_of", "as_typed", "text", "type_key", "typed_field", "written"]

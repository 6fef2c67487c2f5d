"""`python -m controller.pages`: writes the pages of the rules that have changed."""

from __future__ import annotations

from controller.pages import write_pages

write_pages()

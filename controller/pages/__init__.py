"""The pages of the rules, one a topic, made from the scripts that test them: `python -m controller.pages`."""

from controller.pages.pages import made, stale, write_pages

__all__ = ["made", "stale", "write_pages"]

"""Pages that show the rules, one page for each topic, built from the scripts that test the rules.

A topic is a folder under `tests/scripts`. The page of a topic shows what happens in each script and what the screen
must show then. A page cannot contradict the program, because the scripts are tests of the program. The package also
keeps the tables and the diagram of `controller/rules/README.md` up to date. The command `python -m
controller.rule_pages` writes the pages and updates the README.

    >>> from controller.rule_pages import topic_pages
    >>> topic_pages()["button.md"].splitlines()[2]
    '# Button and blinds of the next hand'
"""

from controller.rule_pages.page_writer import topic_pages, write_pages, write_readme

__all__ = ["topic_pages", "write_pages", "write_readme"]

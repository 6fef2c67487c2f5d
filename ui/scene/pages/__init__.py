"""Pages that cover the table on the screen, and the keyboard for names.

`page_dispatch` lays out the open page. `history_pages`, `account_and_game_pages` and `device_page` provide the content
of pages, and `page_layout` places the content as lines or cards. `keyboard_page` lays out the keyboard. The package
needs no window.

Lay out the page with the last hands:

    >>> from controller.messages import messages_for
    >>> from ui.scene import layout
    >>> from ui.scene.pages import lay_out_open_page
    >>> from ui.view_samples import view_samples
    >>> sample = next(sample for sample in view_samples() if sample.name == "page-hands")
    >>> page = lay_out_open_page(
    ...     sample.screen_state, sample.view, messages_for(sample.view), layout.TEN_INCH_LAYOUT
    ... )
    >>> page.keys[0].target
    PageRequest(kind='hand', hand=118)
"""

from ui.scene.pages.page_dispatch import lay_out_open_page, page_content
from ui.scene.pages.page_layout import PageContent, PlacedPage, PlacedText

__all__ = ["PageContent", "PlacedPage", "PlacedText", "lay_out_open_page", "page_content"]

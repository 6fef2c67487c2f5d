"""The table in a browser: the dealer's screen as SVG, pages, files and measurements, all read-only.

`potkeeper web` is a separate process and the only one with a network. It is a client of a read-only socket of the
service, so that it cannot change anything at the table, and nothing at the table waits for it.

`live_table` keeps the newest view and draws it with `svg`, for each appearance that a browser asks for. `app` has the
routes. `people` knows who may sign in, and `sessions` who has signed in. `certificate` makes a certificate for the
first start. `static` has the page.

Draw a sample and look for the label of a key:

    >>> from ui.scene import layout, paint
    >>> from ui.view_samples import view_samples
    >>> from ui.web.svg import svg_groups
    >>> groups = svg_groups(paint.draw_scene(view_samples()[0].scene()), layout.TEN_INCH_LAYOUT)
    >>> any("CALL 60" in group for group in groups.values())
    True
"""

"""The pit page: all tables of a room as tiles, with those first that need a person, see README.md.

`potkeeper pit` is a client of the sockets that `potkeeper room serve --live FOLDER` offers. `live_room` keeps the
newest state of every table, and `tile` turns it into texts. `open_tables` follows the tables that people have opened.
`routes` and `app` add these to the routes of `ui.web`. `static` has the page.

Make a tile and look at its texts:

    >>> from controller.view import live_protocol, table_summary
    >>> from ui.pit.tile import make_tile
    >>> summary = table_summary.TableSummary(blinds=(2, 5), prefix="$", seats="otta", pot=640)
    >>> state = live_protocol.TableState(table="Table 4", summary=summary, connected=True, recorded=True)
    >>> tile = make_tile(3, "Table 4", state, "en")
    >>> tile.game, tile.pot, tile.open_seats
    ("No-Limit Hold'em $2/$5", '$640', 1)
"""

"""Check the feed for video streams: nothing too early, nothing that is not public, and never a card."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from ui.view_samples import view_samples
from ui.web.__main__ import arguments
from ui.web.feed import MAX_PICTURES, DelayedFeed, FeedPicture, FeedSeat, feed_picture

VIEW = view_samples()[0].view


def test_feed_shows_nothing_before_the_delay_and_then_the_newest_old_picture() -> None:
    now_s = [0.0]
    feed = DelayedFeed(300, lambda: now_s[0])
    for second, pot in ((0.0, 10), (100.0, 20), (250.0, 30)):
        now_s[0] = second
        feed.add(msgspec.structs.replace(VIEW, pot=pot))
    shown = []
    for second in (250, 299.9, 300, 399.9, 400, 549.9, 550, 9999):
        now_s[0] = second
        picture = feed.current()
        shown.append(msgspec.json.decode(picture, type=FeedPicture).pot if picture else None)
    assert shown == [None, None, 10, 10, 20, 20, 30, 30]


def test_command_passes_each_option_to_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda program, arguments: calls.append(arguments))
    given = [
        "--webhook",
        "https://h/",
        "--socket",
        "a.sock",
        "--folder",
        "web",
        "--feed-delay",
        "300",
        "--setup",
        "b.sock",
        "--port",
        "1234",
    ]
    assert CliRunner().invoke(main, ["web", *given]).exit_code == 0
    options = arguments(calls[0][3:])
    assert (str(options.socket), str(options.folder), options.feed_delay) == ("a.sock", "web", 300)
    assert (str(options.setup), options.port, options.webhook) == ("b.sock", 1234, "https://h/")


def test_too_many_pictures_leave_out_the_oldest_and_show_none_too_early() -> None:
    now_s = [0.0]
    feed = DelayedFeed(10, lambda: now_s[0])
    for pot in range(MAX_PICTURES + 5):
        feed.add(msgspec.structs.replace(VIEW, pot=pot))
    now_s[0] = 9.9
    assert feed.current() == b""
    now_s[0] = 10
    assert msgspec.json.decode(feed.current(), type=FeedPicture).pot == MAX_PICTURES + 4


@pytest.mark.parametrize("show_pot", ["on-request", "never"])
def test_feed_leaves_out_a_pot_that_the_house_hides(show_pot: str) -> None:
    view = msgspec.structs.replace(VIEW, show_pot=show_pot)
    assert (feed_picture(VIEW).pot, feed_picture(view).pot) == (185, None)


def test_fields_of_the_feed_are_the_public_ones() -> None:
    """A new field of the feed must be added here, by somebody who knows that everybody may see it."""
    assert FeedPicture.__struct_fields__ == (
        "table", "hand", "phase", "round", "pot", "turn", "to_call", "prefix", "decimals", "seats",
    )  # fmt: skip
    assert FeedSeat.__struct_fields__ == ("seat", "name", "stack", "bet", "status", "button")

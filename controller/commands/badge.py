"""The commands `potkeeper badge …`, for the house's signed list of badges and the cards that belong to it."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import click
import msgspec

from controller.commands.error_exit import OneLineErrorGroup
from controller.commands.private_key_file import read_private_key
from hardware.badges import (
    Badge,
    BadgeList,
    BadgeSeen,
    CardGoneError,
    PcscError,
    Role,
    UnresponsiveCardError,
    compress_public_key,
    format_badge_list,
    load_badge_list,
    parse_badge_list,
    parse_badges,
    read_public_key,
    read_uid,
    request_proof,
    request_signature,
    select_piv,
    store_key,
)
from hardware.chip_register import derive_public_key, sign_text
from hardware.chip_set import is_random_uid
from hardware.file_replacement import replace_file
from hardware.text_input_validation import BadInputError, read_file

if TYPE_CHECKING:
    from hardware.badges.pcsc import CardConnection, ScardSession

EXIT_REFUSED: Final = 1
"""Exit code of `try` if the card gives no rights."""
CARD_TIMEOUT_S: Final = 30.0
"""Maximum time in seconds for which a command waits for a card. A person needs some seconds to find the card."""
POLL_MS: Final = 250
"""Interval in milliseconds at which a command looks for a card."""
KEY_BYTES: Final = 32
"""Bytes of a new badge's key, which is the length of an HMAC-SHA-256."""
MAX_PEM_BYTES: Final = 10_000
"""Maximum size of a file with the public key of a card, which has about 200 bytes."""
_READER: Final = click.option("--reader", default="", help="Name of the card reader. Default: the one with a card.")


@click.group(cls=OneLineErrorGroup)
def badge() -> None:
    """Make, list and revoke badges.

    A list of badges is signed by the house, and every table takes up a newer list between two hands. The private key of
    the house must not be on a table.
    """


@badge.command()
@click.argument("file", type=click.Path(path_type=Path))
def key(file: Path) -> None:
    """Create the private key of the house in FILE, and its public key in FILE.pub.

    Tables need FILE.pub for `serve --badges-key`. Keep FILE away from the tables.
    """
    from controller.integrity import create_key_file

    click.echo(create_key_file(file))


@badge.command()
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="Private key of the house.")
@click.option("--name", required=True, help="Name of the person who carries the badge.")
@click.option("--role", required=True, type=click.Choice(get_args(Role)), help="Role of this person.")
@click.option("--house", default="", help="Name of the house. Only a new list needs it.")
@click.option("--uid", default="", help="UID of a card that is written elsewhere. The command then prints its key.")
@click.option(
    "--public-key",
    "pem_file",
    type=click.Path(path_type=Path),
    help="Public key of a PIV card without a certificate in slot 9E, as a PEM file.",
)
@_READER
def make(
    listed: Path, key_file: Path, name: str, role: str, house: str, uid: str, pem_file: Path | None, reader: str
) -> None:
    """Make a badge of the card on the reader, and add the badge to LIST.

    A PIV card keeps the key in its slot 9E, and LIST gets the public key. A card with the badge applet gets a random
    key, and LIST has this secret key too. The list gets the next number and a new signature.
    """
    private, badge_list = _read_lists(listed, key_file, house)
    public_key = _read_pem(pem_file) if pem_file is not None else ""
    card_key = secrets.token_bytes(KEY_BYTES)
    if uid:
        if pem_file is not None:
            raise BadInputError("--public-key: expected the card on the reader instead of --uid")
        _write_list(listed, private, _with_new_badge(badge_list, uid, name, role, key=card_key.hex()))
        click.echo(f"key of the card: {card_key.hex()}")
    else:
        if not os.access(listed.absolute().parent, os.W_OK):
            # Checked before the card gets its key, because a card takes a key only once.
            raise BadInputError(f"{listed.absolute().parent}: expected a folder that can be written")
        with _card_on_reader(reader) as (connection, card_uid):
            if not card_uid:
                raise BadInputError("card: no UID, expected a contactless card on a contactless reader")
            if is_random_uid(card_uid):
                raise BadInputError(f"card: {card_uid} is a random UID, expected a card that always has the same UID")
            if select_piv(connection):
                public_key = _prove_public_key(connection, public_key)
                new = _with_new_badge(badge_list, card_uid, name, role, public_key=public_key)
            elif public_key:
                raise BadInputError("card: no PIV application, expected a PIV card for --public-key")
            else:
                new = _with_new_badge(badge_list, card_uid, name, role, key=card_key.hex())
                _store_key(connection, card_key)
            _write_list(listed, private, new)
    click.echo(f"{listed}: list {badge_list.number + 1}, {_count(len(badge_list.badges) + 1)}")


@badge.command("list")
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.option("--key", "key_file", type=click.Path(path_type=Path), help="Public key of the house (FILE.pub).")
def list_badges(listed: Path, key_file: Path | None) -> None:
    """Print the badges of LIST without their keys, and say if it has secret keys. With --key, check the signature."""
    from controller.integrity import read_public_key

    badge_list = load_badge_list(listed, read_public_key(key_file) if key_file is not None else None)
    signature = "signature not checked, because --key is missing" if key_file is None else "signed by the house"
    click.echo(f"list {badge_list.number} of {badge_list.house or 'no house'}, {signature}")
    for entry in badge_list.badges:
        state = "revoked" if entry.revoked else "valid" if entry.can_prove_itself else "no key, gives no rights"
        kind = "PIV card, " if entry.public_key else ""
        click.echo(f"{entry.uid:<20}  {entry.role:<10}  {entry.name}  {kind}{state}")
    secret = sum(bool(entry.key) and not entry.revoked for entry in badge_list.badges)
    if secret:
        click.echo(f"secret keys of {_count(secret)}: whoever has this file can copy these cards")


@badge.command()
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@click.argument("lost", metavar="NAME_OR_UID")
@click.option("--key", "key_file", required=True, type=click.Path(path_type=Path), help="Private key of the house.")
def revoke(listed: Path, lost: str, key_file: Path) -> None:
    """Revoke the badge with this name or UID.

    The badge stays on LIST with its key, so that `journal verify` can still check its earlier decisions.
    """
    private, badge_list = _read_lists(listed, key_file, "")
    matching = [entry for entry in badge_list.badges if not entry.revoked and lost.upper() in _names(entry)]
    if len(matching) != 1:
        raise BadInputError(f"{listed}: {_count(len(matching))} with this name or UID, expected one that is valid")
    [old] = matching
    revoked = msgspec.structs.replace(old, revoked=True)
    badges = tuple(revoked if entry is old else entry for entry in badge_list.badges)
    _write_list(listed, private, BadgeList(badge_list.house, badge_list.number + 1, badges))
    click.echo(f"{listed}: list {badge_list.number + 1}, {old.label} is revoked")


@badge.command("try")
@click.argument("listed", metavar="LIST", type=click.Path(path_type=Path))
@_READER
def try_card(listed: Path, reader: str) -> None:
    """Print what a table with LIST would say to the card on the reader. Exit with 1 if the card gives no rights."""
    from queue import Empty, Queue

    from hardware.badges import BadgeEvent, BadgeMonitor

    events: Queue[BadgeEvent] = Queue()
    monitor = BadgeMonitor(load_badge_list(listed).badges, events.put)
    monitor.start()
    try:
        end_s = time.monotonic() + CARD_TIMEOUT_S
        while (left_s := end_s - time.monotonic()) > 0:
            try:
                event = events.get(timeout=left_s)
            except Empty:
                break
            is_card = isinstance(event, BadgeSeen) and event.refusal != "unreadable"  # A card that moves is read again.
            if isinstance(event, BadgeSeen) and is_card and reader in ("", event.reader):
                click.echo(
                    f"{event.reader}: {event.label if event.role else 'unknown card'}, {event.refusal or 'valid'}"
                )
                sys.exit(0 if event.is_proven else EXIT_REFUSED)
    finally:
        monitor.stop()
    raise BadInputError(f"card readers: no card read in {CARD_TIMEOUT_S:.0f} s, expected pcscd, a reader and a card")


def _read_lists(listed: Path, key_file: Path, house: str) -> tuple[str, BadgeList]:
    """Return the private key of the house and the list that it has signed, or a new list. Raises BadInputError."""
    private = read_private_key(key_file)
    public = derive_public_key(private)
    if listed.exists():
        return private, load_badge_list(listed, public)
    if not house:
        raise BadInputError(f"{listed}: no such file, expected a list of badges, or --house for a new one")
    return private, BadgeList(house)


def _read_pem(file: Path) -> str:
    """Return the public key in a PEM file as compressed point in hex. Raises BadInputError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public_key = compress_public_key(load_pem_public_key(read_file(file, MAX_PEM_BYTES)))
    except OSError as error:
        raise BadInputError(f"{file}: {error.strerror or error}, expected a public key") from None
    except (ValueError, UnsupportedAlgorithm):
        public_key = None
    if public_key is None:
        raise BadInputError(f"{file}: expected an ECC P-256 public key in PEM, as `ykman piv keys generate` writes it")
    return public_key


def _prove_public_key(connection: CardConnection, given: str) -> str:
    """Return the public key of slot 9E after the card has signed with it. Raises BadInputError.

    `given` is the public key of a card without a certificate, or "".
    """
    public_key = given or read_public_key(connection)
    if public_key is None:
        raise BadInputError("card: no certificate of an ECC P-256 key in slot 9E, expected one, or --public-key")
    if request_signature(connection, public_key) is None:
        raise BadInputError(
            "card: no valid signature from slot 9E, expected the key of its certificate or of --public-key"
        )
    return public_key


def _store_key(connection: CardConnection, card_key: bytes) -> None:
    """Write the key to a card with the badge applet, and check that the card uses it. Raises BadInputError."""
    if not store_key(connection, card_key):
        raise BadInputError("card: it takes no key, expected a PIV card, or a new card with the badge applet")
    if request_proof(connection, card_key) is None:
        raise BadInputError("card: a wrong answer with its new key, expected a working card")


def _with_new_badge(badge_list: BadgeList, uid: str, name: str, role: str, **key: str) -> BadgeList:
    """Return the list with one more badge and the next number. `key` is `key` or `public_key`. Raises BadgeError."""
    [new] = parse_badges([{"uid": uid, "name": name, "role": role, **key}], "badge")
    if any(entry.uid == new.uid for entry in badge_list.badges):
        raise BadInputError(f"card: {new.uid} is on the list already, expected a new card")
    return BadgeList(badge_list.house, badge_list.number + 1, (*badge_list.badges, new))


def _write_list(path: Path, private: str, badge_list: BadgeList) -> None:
    """Sign a list and write it completely or not at all."""
    data = sign_text(format_badge_list(badge_list), private)
    parse_badge_list(data, str(path), derive_public_key(private))
    try:
        with replace_file(path) as file:  # It may contain secret keys of cards.
            file.write(data)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}, expected a file that can be written") from None


@contextmanager
def _card_on_reader(reader: str) -> Iterator[tuple[CardConnection, str]]:
    """Wait for a card on the reader, or on any reader. Yield a connection to it and its UID. Raises BadInputError."""
    from hardware.badges import ScardSession

    try:
        session = ScardSession()
        try:
            connection, uid = _connect_to_card(session, reader)
            try:
                yield connection, uid
            finally:
                connection.close()
        finally:
            session.close()
    except PcscError as error:
        raise BadInputError(f"card readers: {error}, expected pcscd and a card reader") from None
    except (CardGoneError, UnresponsiveCardError) as error:
        raise BadInputError(f"card: {error}, expected a card that stays on the reader") from None


def _connect_to_card(session: ScardSession, reader: str) -> tuple[CardConnection, str]:
    """Return a connection to the card on the reader, and its UID, as soon as there is a card that can be read.

    Raises BadInputError if there are two cards, or none within some seconds.
    """
    from hardware.badges import ReaderState

    states: dict[str, ReaderState] = {}
    end_s = time.monotonic() + CARD_TIMEOUT_S
    while time.monotonic() < end_s:
        names = [name for name in session.readers() if reader in ("", name)]
        states = {name: states.get(name, ReaderState(is_working=False)) for name in names}
        if states:
            states.update(session.wait_for_changes(states, POLL_MS))
        with_card = [name for name, state in states.items() if state.is_working and state.has_card]
        if len(with_card) > 1:
            raise BadInputError(f"cards on {len(with_card)} readers, expected one card, or --reader")
        try:
            for name in with_card:
                connection = session.connect(name)
                return connection, read_uid(connection)
        except (CardGoneError, UnresponsiveCardError):
            # The card is still moving, or pcscd has not noticed yet that another one was taken away.
            states = {}
        time.sleep(POLL_MS / 1000)
    raise BadInputError(f"card readers: no card within {CARD_TIMEOUT_S:.0f} s, expected a reader with a card")


def _names(entry: Badge) -> tuple[str, str]:
    return entry.name.upper(), entry.uid


def _count(number: int) -> str:
    return f"{number} badge{'' if number == 1 else 's'}"

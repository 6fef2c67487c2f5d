"""Commands of the command line that form a group, and options that several commands share.

Theory of operation: `controller/cli.py` builds the command line with click and adds the commands of this package to it.
A command imports what it needs when it runs, so that `potkeeper --help` and small commands start fast. Bad input ends a
command with one line on standard error and exit code 2. A failed check ends it with exit code 1.

Example: list the options of a group.

```
potkeeper journal --help
```
"""

from typing import Final

from controller.commands.badge import badge
from controller.commands.chips import chips
from controller.commands.display import pit, practice, screen, web
from controller.commands.error_exit import (
    EXIT_BAD_INPUT,
    EXIT_CHECK_FAILED,
    MainGroup,
    exit_on,
    exit_on_bad_input,
)
from controller.commands.guided_setup import enroll, find, tune
from controller.commands.journal import journal_group
from controller.commands.laboratory import bench, demo, replay, simulate
from controller.commands.maintenance import backup, bundle, put_back, restore, setup_door
from controller.commands.option_values import (
    log_level_option,
    parse_archive_days,
    parse_archive_mb,
    parse_port_option,
)
from controller.commands.options_file import OPTIONS_PARAMETER, with_options_file
from controller.commands.room import room_group, uplink
from controller.commands.script_files import print_bytes, script
from controller.commands.updates import release, rollback, update, verify_program
from controller.commands.wiring import wiring

COMMANDS: Final = (
    backup,
    badge,
    bench,
    bundle,
    chips,
    demo,
    enroll,
    find,
    journal_group,
    pit,
    practice,
    put_back,
    release,
    replay,
    restore,
    rollback,
    room_group,
    screen,
    script,
    setup_door,
    simulate,
    tune,
    update,
    uplink,
    verify_program,
    web,
    wiring,
)
"""All commands and groups except `serve` and `check`, which `controller/cli.py` contains."""

__all__ = [
    "COMMANDS",
    "EXIT_BAD_INPUT",
    "EXIT_CHECK_FAILED",
    "OPTIONS_PARAMETER",
    "MainGroup",
    "exit_on",
    "exit_on_bad_input",
    "log_level_option",
    "parse_archive_days",
    "parse_archive_mb",
    "parse_port_option",
    "print_bytes",
    "with_options_file",
]

"""The files with which a table starts, and what replaces a file that cannot be used.

`ServeOptions` reads the files that the options of `serve` name. `read_start_files` replaces each file that cannot be
used by what worked before, or by a safe default, and returns the faults. Import the names from this package, not from
its modules.
"""

from controller.service.start_files.badge_list_watch import BADGE_LIST_POLL_S, BadgeListChange, BadgeListWatch
from controller.service.start_files.file_watch import FileReading, FileWatch
from controller.service.start_files.last_good import LAST_GOOD_SUFFIX, StartFiles, read_start_files, with_groups
from controller.service.start_files.serve_options import DEFAULT_CONFIG, ServeOptions

__all__ = [
    "BADGE_LIST_POLL_S",
    "DEFAULT_CONFIG",
    "LAST_GOOD_SUFFIX",
    "BadgeListChange",
    "BadgeListWatch",
    "FileReading",
    "FileWatch",
    "ServeOptions",
    "StartFiles",
    "read_start_files",
    "with_groups",
]

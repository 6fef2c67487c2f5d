"""Compiled files of a release, which can be compared with the source from which they were made.

Python runs a compiled file in `__pycache__` instead of its source, if the file names the time and size of the source.
A forged one would therefore run although the source is the signed one. Python's own compiled files cannot be compared,
because their bytes depend on what else the process has loaded, and on the folder. These files can:

- the format 2 of `marshal` has no references to other objects, so that the same code always gives the same bytes
- the path of the source is the one within the environment. Python replaces it when it loads the file
"""

from __future__ import annotations

import importlib.util
import marshal
import sys
import warnings
from pathlib import Path, PurePosixPath
from typing import Final

CACHE_FOLDER: Final = "__pycache__"
_MARSHAL_FORMAT: Final = 2
_HEADER: Final = importlib.util.MAGIC_NUMBER + bytes(4)
"""Beginning of a compiled file: the version of the bytecode, and that the time and size of the source come next."""
_HEADER_BYTES: Final = 16
_SUFFIX: Final = f".{sys.implementation.cache_tag}.pyc"


def compiled_path(source: str) -> str:
    """Return the path of the compiled file of a source. Both are paths within the environment."""
    path = PurePosixPath(source)
    return str(path.parent / CACHE_FOLDER / f"{path.stem}{_SUFFIX}")


def source_path(compiled: str) -> str:
    """Return the path of the source of a compiled file of this Python, or "" for any other file."""
    path = PurePosixPath(compiled)
    if path.parent.name != CACHE_FOLDER or not path.name.endswith(_SUFFIX):
        return ""
    return str(path.parent.parent / f"{path.name.removesuffix(_SUFFIX)}.py")


def write_compiled_file(environment: Path, source: str) -> None:
    """Write the compiled file of a source. A source that cannot be compiled gets none. Raises OSError."""
    path, status = environment / source, (environment / source).stat()
    code = _compile(path.read_bytes(), source)
    if code:
        stamp = b"".join(
            (int(number) & 0xFFFF_FFFF).to_bytes(4, "little") for number in (status.st_mtime, status.st_size)
        )
        compiled = environment / compiled_path(source)
        compiled.parent.mkdir(exist_ok=True)
        compiled.write_bytes(_HEADER + stamp + code)


def is_compiled_from(compiled: bytes, content: bytes, source: str) -> bool:
    """Return True if a compiled file has the code that this Python makes from the content of its source."""
    code = _compile(content, source)
    return bool(code) and compiled.startswith(_HEADER) and compiled[_HEADER_BYTES:] == code


def _compile(content: bytes, source: str) -> bytes:
    """Return the code of a source as bytes, or b"" if it cannot be compiled or stored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return marshal.dumps(compile(content, source, "exec", dont_inherit=True, optimize=0), _MARSHAL_FORMAT)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return b""

"""Stage the documentation site: put every document and every page of the public API into `build/docs`.

The documents stay where they are in the repository, beside the code that they describe. MkDocs wants one folder, so
this module copies them under the same paths:

    python -m docs.site_sources build/docs

A link to a file that is no document is kept, and the file is copied as well. A link to a folder becomes a link to its
README, to the page of a topic of the rules, or to a list of the folder's files. Each package whose `__init__` names
what others may use gets a page under `api/`, which mkdocstrings fills from the docstrings.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = ("firmware_bridge", "hardware", "controller", "ui")
FOLDERS: Final = (*PACKAGES, "tests")
TOPICS: Final = "tests/scripts"
"""Folder of the scripts. Each of its folders has a page, which `python -m controller.rule_pages` writes."""
TOPIC_PAGES: Final = "controller/rules/pages"
LINK: Final = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE: Final = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def documents(root: Path) -> list[str]:
    """Return the paths of all documents of the repository, relative to its root."""
    found = [*root.glob("*.md"), *(path for name in FOLDERS for path in (root / name).rglob("*.md"))]
    return sorted(path.relative_to(root).as_posix() for path in found)


def public_packages(root: Path) -> list[str]:
    """Return the dotted names of the packages whose `__init__` has a list `__all__` with names in it."""
    found = [path for name in PACKAGES for path in (root / name).rglob("__init__.py") if _exports(path)]
    return sorted(".".join(path.parent.relative_to(root).parts) for path in found)


def _exports(path: Path) -> bool:
    """Return True if a module names what others may use."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return bool(ast.literal_eval(node.value))
    return False


def site_path(root: Path, path: str) -> str:
    """Return the page or file of the site that shows a file or folder of the repository."""
    if not (root / path).is_dir():
        return path
    topic = PurePosixPath(path)
    if topic.parent == PurePosixPath(TOPICS):
        return f"{TOPIC_PAGES}/{topic.name}.md"
    if path == TOPICS:
        return f"{TOPIC_PAGES}/index.md"
    return f"{path}/README.md" if (root / path / "README.md").exists() else f"{path}/files.md"


def local_links(text: str) -> Iterator[str]:
    """Yield the links of a document that lead to a file or folder of the repository, without their anchors."""
    for _, target, _ in LINK.findall(FENCE.sub("", text)):
        path = target.partition("#")[0]
        if path and "://" not in path and not path.startswith("mailto:"):
            yield path


def linked_paths(text: str, document: str) -> set[str]:
    """Return the files and folders that a document links to, relative to the root."""
    folder = os.path.dirname(document)
    return {os.path.normpath(os.path.join(folder, link)) for link in local_links(text)}


def staged_text(root: Path, document: str) -> str:
    """Return the text of a document with its links to folders replaced by links to pages of the site."""
    folder = os.path.dirname(document)

    def staged(match: re.Match[str]) -> str:
        path, mark, anchor = match[2].partition("#")
        if not path or "://" in path or path.startswith("mailto:"):
            return match[0]
        target = site_path(root, os.path.normpath(os.path.join(folder, path)))
        return f"{match[1]}{os.path.relpath(target, folder or '.')}{mark}{anchor}{match[3]}"

    parts = FENCE.split((root / document).read_text(encoding="utf-8"))
    # Every second part is code, in which a bracket is no link.
    return "".join(part if at % 2 else LINK.sub(staged, part) for at, part in enumerate(parts))


def file_list(root: Path, folder: str) -> str:
    """Return the page of a folder without a README: a link to each of its files."""
    names = sorted(path.name for path in (root / folder).iterdir() if path.is_file())
    return "\n".join([f"# Files of {folder}\n", *(f"- [{name}]({name})" for name in names), ""])


def api_page(package: str) -> str:
    """Return the page of a package, which mkdocstrings fills."""
    return f"# `{package}`\n\n::: {package}\n"


def api_index(packages: list[str]) -> str:
    """Return the page that lists the pages of all packages."""
    lines = [
        "# Public API\n",
        "What each package offers to the others, in the order of the imports from right to left.\n",
    ]
    return "\n".join([*lines, *(f"- [`{package}`]({package}.md)" for package in packages), ""])


def staged_files(root: Path) -> tuple[dict[str, str], set[str]]:
    """Return the text of each generated page by its path, and the paths of the files that are copied as they are."""
    found = documents(root)
    pages = {document: staged_text(root, document) for document in found}
    linked = set[str]()
    for document in found:
        linked |= linked_paths((root / document).read_text(encoding="utf-8"), document)
    copied = {path for path in linked if (root / path).is_file() and path not in pages}
    for folder in sorted(path for path in linked if (root / path).is_dir()):
        page = site_path(root, folder)
        if page.endswith("/files.md"):
            pages[page] = file_list(root, folder)
            copied |= {f"{folder}/{path.name}" for path in (root / folder).iterdir() if path.is_file()}
    packages = public_packages(root)
    pages |= {f"api/{package}.md": api_page(package) for package in packages}
    pages["api/index.md"] = api_index(packages)
    return pages, copied


def stage(root: Path, folder: Path) -> None:
    """Replace a folder by the staged site: documents, API pages, linked files and the pages of the rules."""
    from controller.rule_pages import write_pages

    pages, copied = staged_files(root)
    shutil.rmtree(folder, ignore_errors=True)
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for path in sorted(copied):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, folder / path)
    write_pages(folder / TOPIC_PAGES)


if __name__ == "__main__":
    stage(ROOT, Path(sys.argv[1]))

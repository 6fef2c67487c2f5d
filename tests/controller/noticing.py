"""Plays tests with a fault planted in the program, until one fails: those that reach the fault, the cheapest first.

pytest collects the tests once. They are played once as they are, which says what each costs and which code it reaches.
Each fault is tried in a process of its own, forked from there.
"""

from __future__ import annotations

import ast
import gc
import itertools
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.controller.planting import ROOT, SOURCES, Site, faulty
from tests.controller.reaching import OUTSIDE, Instead, Reached

FORK = get_context("fork")
_CACHE = type(lru_cache(lambda: None))
IMPORTS_CPU_S = 60.0
LEAST_CPU_S, TIMES_ITS_COST = 1.0, 5.0
"""What makes a loop endless is noticed by these: for all imports, and for a test by what it costs without a fault. Time
of the processor: a busy machine is no fault."""
FIRST_ERROR = "first-error"
"""What Hypothesis finds is noticed as it is: nobody reads a smaller example."""
OPTIONS = [
    *("-s", "-W", "ignore", "--assert=plain", "-o", "faulthandler_timeout=0"),
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("--hypothesis-seed=0", f"--hypothesis-profile={FIRST_ERROR}"),
]
_BROKEN = 3
_ANEW = ("controller", "tests")
settings.register_profile(
    FIRST_ERROR,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class Unit(NamedTuple):
    """Tests that are played together: they share what is made for them."""

    items: tuple[pytest.Item, ...]

    @property
    def name(self) -> str:
        return self.items[0].nodeid

    @property
    def path(self) -> Path:
        return self.items[0].path


class Played(NamedTuple):
    """A unit without any fault."""

    failed: bool
    cpu_s: float
    reached: bytes


class _Loop:
    """Takes over from pytest when it has collected the tests."""

    def __init__(self, work: Callable[[_Loop, list[Unit]], None]) -> None:
        self._work, self._failed = work, False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        def shared(item: pytest.Item) -> tuple[Path, str]:
            callspec = getattr(item, "callspec", None)
            return item.path, callspec.id if callspec else item.name

        if not session.testsfailed:  # in collecting them
            self._work(self, [Unit(tuple(group)) for _, group in itertools.groupby(session.items, shared)])
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
        """No time is spent on the words of a failure."""
        if call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception):
            return None
        self._failed = True
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", None, "call")

    def fails(self, unit: Unit) -> bool:
        """Plays a unit."""
        self._failed = False
        for item, following in zip(unit.items, (*unit.items[1:], None), strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self._failed


class Trial:
    """The tests, collected and ready to try faults; only while `collected` runs what it was given."""

    def __init__(self, files: Sequence[Path], every: Mapping[Path, int], cores: int) -> None:
        """`files`: those of the tests; `every`: of which only each n-th unit is played."""
        self._files, self._every, self._cores = files, every, cores
        self._reached = Reached(SOURCES)
        self._instead = Instead(ROOT, self._reached.trees, self._reached.marks)
        self._units: list[Unit] = []
        self._played: dict[str, Played] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []

    def collected(self, work: Callable[[], None]) -> bool:
        """Collects the tests and does the work; False where they cannot be collected."""
        done = False

        def begin(loop: _Loop, units: list[Unit]) -> None:
            nonlocal done
            self._loop, self._imported = loop, self._reached.take()
            self._units = [unit for number, unit in enumerate(units) if number % self._every.get(unit.path, 1) == 0]
            for thing in gc.get_objects():
                if isinstance(thing, _CACHE) and (getattr(thing, "__module__", None) or "").split(".")[0] in _ANEW:
                    self._caches.append(thing)
                if isinstance(thing, FunctionType) and "<lambda>" not in thing.__qualname__:
                    self._functions[thing.__code__.co_filename].append(thing)
            gc.freeze()
            work()
            done = True

        sys.meta_path.insert(0, self._instead)
        _collect(self._files, begin)
        return done

    def play(self) -> Iterator[str]:
        """Plays all tests without any fault; those that fail. Raises EOFError where one ends the process."""
        running = []
        for first in range(self._cores):
            here, there = FORK.Pipe(duplex=False)
            process = FORK.Process(target=self._play, args=(self._units[first :: self._cores], there))
            process.start()
            there.close()
            running.append((process, here))
        for process, here in running:
            self._played |= here.recv()
            process.join()
        yield from (name for name, played in self._played.items() if played.failed)

    def _play(self, units: Sequence[Unit], there: Connection) -> None:
        _silence()
        played = {}
        for unit in units:
            for cache in self._caches:  # what it holds would not be reached again
                cache.cache_clear()
            self._reached.take()
            began = time.process_time()
            failed = self._loop.fails(unit)
            played[unit.name] = Played(failed, time.process_time() - began, self._reached.take())
        there.send(played)
        os._exit(0)

    def tried(self, faults: Sequence[Site]) -> Iterator[tuple[Site, bool]]:
        """Each fault and whether it was noticed, in the order in which they are done."""
        running: dict[int, tuple[ForkProcess, Site]] = {}
        waiting = list(reversed(faults))
        while waiting or running:
            while waiting and len(running) < self._cores:
                site = waiting.pop()
                process = FORK.Process(target=self._try, args=(site,))
                process.start()
                running[process.sentinel] = process, site
            for sentinel in wait(list(running)):
                process, site = running.pop(cast(int, sentinel))
                process.join()
                if process.exitcode == _BROKEN:
                    raise RuntimeError(f"the fault could not be tried: {site}")
                yield site, process.exitcode != 0

    def _try(self, site: Site) -> None:
        """Ends the process with 0 where no test notices the fault, with a signal where its time is over."""
        _silence()
        code = _BROKEN
        try:
            block = self._reached.block(site.path, site.line)
            is_imported = block == OUTSIDE or bool(self._imported[block])
            units = [
                unit
                for unit in sorted(self._units, key=lambda unit: self._played[unit.name].cpu_s)
                if is_imported or self._played[unit.name].reached[block]
            ]
            tree = faulty(site)
            if is_imported or not self._planted(site.path, tree):
                code = int(self._noticed_anew(site.path, tree, units))
            else:
                code = int(self._noticed(self._loop, units))
        finally:
            os._exit(code)

    def _planted(self, path: Path, tree: ast.Module) -> bool:
        """Gives the functions of a module the code that has the fault; False where they are of another shape."""
        made = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(tree, str(path), "exec"))}
        try:
            for function in self._functions[str(path)]:
                function.__code__ = made[function.__code__.co_qualname, function.__code__.co_firstlineno]
        except (KeyError, ValueError):
            return False
        return True

    def _noticed(self, loop: _Loop, units: Sequence[Unit]) -> bool:
        for unit in units:
            _bound(LEAST_CPU_S + TIMES_ITS_COST * self._played[unit.name].cpu_s)
            if loop.fails(unit):
                return True
        return False

    def _noticed_anew(self, path: Path, tree: ast.Module, units: Sequence[Unit]) -> bool:
        """Whether one of the units fails where everything is imported anew, or cannot even be collected."""
        noticed = True

        def begin(loop: _Loop, again: list[Unit]) -> None:
            nonlocal noticed
            found = {unit.name: unit for unit in again}
            noticed = self._noticed(loop, [found[unit.name] for unit in units])

        _bound(IMPORTS_CPU_S)
        for name, module in list(sys.modules.items()):
            if Path(getattr(module, "__file__", None) or ".") in self._files or name.split(".")[0] in _ANEW:
                del sys.modules[name]
        sys.meta_path.remove(self._instead)
        sys.meta_path.insert(0, Instead(ROOT, {path: tree}, bytearray()))
        _collect(self._files, begin)
        return noticed


def _collect(files: Sequence[Path], begin: Callable[[_Loop, list[Unit]], None]) -> None:
    pytest.main([*OPTIONS, f"--rootdir={ROOT}", *map(str, files)], plugins=[_Loop(begin)])


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions in this one."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


def _bound(cpu_s: float) -> None:
    """From now on this process has so much time of the processor; then it is ended."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s)

"""Plant one fault in the program, and run the tests, fastest first, until a test fails.

pytest collects the tests once. A baseline run without faults measures the processor time of every test, and which code
the test reaches. Each fault is then tried in a separate process, which is a fork of this process. The fork runs only
the tests that reach the fault.
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

from tests.controller.block_coverage import MODULE_BLOCK, BlockCoverage, TreeImporter
from tests.controller.mutant_sites import ROOT, SOURCES, MutationSite, mutated_module

FORK = get_context("fork")
_CACHE = type(lru_cache(lambda: None))
IMPORTS_CPU_S = 60.0
MIN_CPU_S, CPU_TIME_FACTOR = 1.0, 5.0
"""Limits of processor time in seconds, so that a fault that loops forever is noticed.

`IMPORTS_CPU_S` is the limit for all imports. A test may use `MIN_CPU_S` plus `CPU_TIME_FACTOR` times its time without a
fault. The limits use processor time because a busy machine must not look like a fault.
"""
FIRST_ERROR = "first-error"
"""Name of a Hypothesis profile that does not search for a smaller failing example, because nobody reads the example."""
OPTIONS = [
    *("-s", "-W", "ignore", "--assert=plain", "-o", "faulthandler_timeout=0"),
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("--hypothesis-seed=0", f"--hypothesis-profile={FIRST_ERROR}"),
]
_EXIT_NOT_TRIED = 3
_REIMPORTED_PACKAGES = ("controller", "tests")
settings.register_profile(
    FIRST_ERROR,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class TestUnit(NamedTuple):
    """Consecutive tests of one file that run together, because they share the same parametrized fixtures."""

    items: tuple[pytest.Item, ...]

    @property
    def name(self) -> str:
        return self.items[0].nodeid

    @property
    def path(self) -> Path:
        return self.items[0].path


class BaselineRun(NamedTuple):
    """Result of the tests that run together as one unit, in the program without faults."""

    failed: bool
    cpu_s: float
    coverage: bytes


class _Loop:
    """pytest plugin that passes the collected tests to a function instead of running them all."""

    def __init__(self, work: Callable[[_Loop, list[TestUnit]], None]) -> None:
        self._work, self._failed = work, False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        def shared(item: pytest.Item) -> tuple[Path, str]:
            callspec = getattr(item, "callspec", None)
            return item.path, callspec.id if callspec else item.name

        if not session.testsfailed:
            self._work(self, [TestUnit(tuple(group)) for _, group in itertools.groupby(session.items, shared)])
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
        """Report a failed test without its error text, because formatting the text takes time and nobody reads it."""
        if call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception):
            return None
        self._failed = True
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", None, "call")

    def fails(self, unit: TestUnit) -> bool:
        """Run the tests of a unit. Return True if a test fails."""
        self._failed = False
        for item, following in zip(unit.items, (*unit.items[1:], None), strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return self._failed


class MutantRunner:
    """Runner that collects the tests once and then runs them against one fault after another.

    Only the function that `run_collected` runs may call the methods `run_baseline` and `run_mutants`.
    """

    def __init__(self, files: Sequence[Path], every: Mapping[Path, int], cores: int) -> None:
        """Prepare the tests of these files.

        `every` may map the path of a test file to a number n. Of this file, only every n-th test unit then runs.
        """
        self._files, self._every, self._cores = files, every, cores
        self._coverage = BlockCoverage(SOURCES)
        self._importer = TreeImporter(ROOT, self._coverage.trees, self._coverage.marks)
        self._units: list[TestUnit] = []
        self._baseline: dict[str, BaselineRun] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []

    def run_collected(self, work: Callable[[], None]) -> bool:
        """Collect the tests and run the function `work`. Return False if the tests cannot be collected."""
        is_done = False

        def begin(loop: _Loop, units: list[TestUnit]) -> None:
            nonlocal is_done
            self._loop, self._imported = loop, self._coverage.take_marks()
            self._units = [unit for number, unit in enumerate(units) if number % self._every.get(unit.path, 1) == 0]
            for tracked in gc.get_objects():
                if (
                    isinstance(tracked, _CACHE)
                    and (getattr(tracked, "__module__", None) or "").split(".")[0] in _REIMPORTED_PACKAGES
                ):
                    self._caches.append(tracked)
                if isinstance(tracked, FunctionType) and "<lambda>" not in tracked.__qualname__:
                    self._functions[tracked.__code__.co_filename].append(tracked)
            gc.freeze()
            work()
            is_done = True

        sys.meta_path.insert(0, self._importer)
        _collect(self._files, begin)
        return is_done

    def run_baseline(self) -> Iterator[str]:
        """Run all tests without a fault, and yield the names of the test units that fail.

        Raise EOFError if a test ends the process in which it runs.
        """
        running = []
        for first in range(self._cores):
            receiver, sender = FORK.Pipe(duplex=False)
            process = FORK.Process(target=self._run_baseline_share, args=(self._units[first :: self._cores], sender))
            process.start()
            sender.close()
            running.append((process, receiver))
        for process, receiver in running:
            self._baseline |= receiver.recv()
            process.join()
        yield from (name for name, result in self._baseline.items() if result.failed)

    def _run_baseline_share(self, units: Sequence[TestUnit], sender: Connection) -> None:
        _silence()
        results = {}
        for unit in units:
            for cache in self._caches:  # A cached result would hide which code the test needs.
                cache.cache_clear()
            self._coverage.take_marks()
            started_s = time.process_time()
            failed = self._loop.fails(unit)
            results[unit.name] = BaselineRun(failed, time.process_time() - started_s, self._coverage.take_marks())
        sender.send(results)
        os._exit(0)

    def run_mutants(self, faults: Sequence[MutationSite]) -> Iterator[tuple[MutationSite, bool]]:
        """Try each fault, and yield the fault with True if a test noticed it, or False if no test did.

        Faults are tried in parallel, so that their order may differ from the order of `faults`.
        """
        running: dict[int, tuple[ForkProcess, MutationSite]] = {}
        waiting = list(reversed(faults))
        while waiting or running:
            while waiting and len(running) < self._cores:
                site = waiting.pop()
                process = FORK.Process(target=self._try_fault, args=(site,))
                process.start()
                running[process.sentinel] = process, site
            for sentinel in wait(list(running)):
                process, site = running.pop(cast(int, sentinel))
                process.join()
                if process.exitcode == _EXIT_NOT_TRIED:
                    raise RuntimeError(f"the fault could not be tried: {site}")
                yield site, process.exitcode != 0

    def _try_fault(self, site: MutationSite) -> None:
        """End the process with exit code 1 if a test notices the fault, and with 0 if no test does.

        Exit code 3 means that the fault could not be tried. A signal ends the process at the limit of processor time.
        """
        _silence()
        code = _EXIT_NOT_TRIED
        try:
            block = self._coverage.block_at(site.path, site.line)
            is_imported = block == MODULE_BLOCK or bool(self._imported[block])
            units = [
                unit
                for unit in sorted(self._units, key=lambda unit: self._baseline[unit.name].cpu_s)
                if is_imported or self._baseline[unit.name].coverage[block]
            ]
            tree = mutated_module(site)
            if is_imported or not self._replace_code(site.path, tree):
                code = int(self._is_noticed_after_import(site.path, tree, units))
            else:
                code = int(self._is_noticed(self._loop, units))
        finally:
            os._exit(code)

    def _replace_code(self, path: Path, tree: ast.Module) -> bool:
        """Replace the code of every function of a module by the code that contains the fault.

        Return False if a function is missing, or uses other variables of its outer function than before. The code
        cannot be replaced then.
        """
        mutated = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(tree, str(path), "exec"))}
        try:
            for function in self._functions[str(path)]:
                function.__code__ = mutated[function.__code__.co_qualname, function.__code__.co_firstlineno]
        except (KeyError, ValueError):
            return False
        return True

    def _is_noticed(self, loop: _Loop, units: Sequence[TestUnit]) -> bool:
        for unit in units:
            _limit_cpu_time(MIN_CPU_S + CPU_TIME_FACTOR * self._baseline[unit.name].cpu_s)
            if loop.fails(unit):
                return True
        return False

    def _is_noticed_after_import(self, path: Path, tree: ast.Module, units: Sequence[TestUnit]) -> bool:
        """Import all modules again with the fault, and return True if a test unit fails.

        Also return True if the tests can no longer be collected.
        """
        noticed = True

        def begin(loop: _Loop, collected: list[TestUnit]) -> None:
            nonlocal noticed
            by_name = {unit.name: unit for unit in collected}
            noticed = self._is_noticed(loop, [by_name[unit.name] for unit in units])

        _limit_cpu_time(IMPORTS_CPU_S)
        for name, module in list(sys.modules.items()):
            if (
                Path(getattr(module, "__file__", None) or ".") in self._files
                or name.split(".")[0] in _REIMPORTED_PACKAGES
            ):
                del sys.modules[name]
        sys.meta_path.remove(self._importer)
        sys.meta_path.insert(0, TreeImporter(ROOT, {path: tree}, bytearray()))
        _collect(self._files, begin)
        return noticed


def _collect(files: Sequence[Path], begin: Callable[[_Loop, list[TestUnit]], None]) -> None:
    pytest.main([*OPTIONS, f"--rootdir={ROOT}", *map(str, files)], plugins=[_Loop(begin)])


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code object of every function that is defined inside this code object."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def _silence() -> None:
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, 1)
    os.dup2(null_device, 2)


def _limit_cpu_time(cpu_s: float) -> None:
    """Let a signal end this process after it has used this many more seconds of processor time."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s)

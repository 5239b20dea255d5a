"""Runs of tests in forks, which import and collect the tests once, and take another code of the package."""

from __future__ import annotations

import functools
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeVar

import pytest

Job = TypeVar("Job")
WAITS = 300
"""The most seconds in which a process waits for another one. A test is bounded by the time of the processor, as others
may use it meanwhile."""


def in_forks(jobs: Iterable[Job], work: Callable[[Job], Any], processes: int) -> Iterator[tuple[Job, Any]]:
    """Do each job in a fork of its own, so many at once: the job and what the work gives, as JSON keeps it.

    Of a fork that ends before, it is what `now` told last. The fork's temporary files are removed.
    """
    waiting, running = deque(jobs), dict[int, tuple[Job, Path]]()
    while waiting or running:
        while waiting and len(running) < processes:
            folder = Path(tempfile.mkdtemp(prefix="mutants-"))
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                alone(work, waiting[0], folder)
            running[child] = waiting.popleft(), folder
        ended, _ = os.wait()
        job, folder = running.pop(ended)
        with suppress(ProcessLookupError):  # what the fork started, and did not end
            os.killpg(ended, signal.SIGKILL)
        told = folder / "told.json"
        yield job, json.loads(told.read_text(encoding="utf-8")) if told.exists() else "ended before the first test"
        shutil.rmtree(folder, ignore_errors=True)


def alone(work: Callable[[Job], Any], job: Job, folder: Path) -> None:
    """Do a job, and end the process; what it makes in the folder of temporary files is its own."""
    try:
        os.setsid()
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        tell(work(job))
    except BaseException as error:
        tell(f"ended by {error!r}")
    finally:
        os._exit(0)


def tell(what: Any) -> None:
    """What the process that waits for this fork reads."""
    whole = Path(tempfile.gettempdir(), "told.new")
    whole.write_text(json.dumps(what), encoding="utf-8")
    whole.rename(whole.with_name("told.json"))


def quiet() -> None:
    """Let nothing be printed by this process, or by those that it starts."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


class Tests:
    """A plugin that collects tests, and does with them what is asked for in place of running them."""

    def __init__(self, folder: Path, files: Iterable[str], work: Callable[[Tests], Any]) -> None:
        self.work = work
        self.done: Any = "the tests cannot be collected"
        self.failed: list[str] = []
        os.chdir(folder)
        os.environ["PYTHONPATH"] = sys.path[0] = str(folder)
        # Where a test fails, nothing is said about it: to compare two texts of SQL takes long.
        pytest.main(["-s", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", *files], plugins=[self])

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        # The first example that fails is enough.
        found = settings.get_profile("sqlrp")
        settings.register_profile("mutants", found, phases=(Phase.explicit, Phase.generate), report_multiple_bugs=False)
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(name="terminalreporter")
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        if not session.testsfailed:
            self.done = self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def run(self, names: Sequence[str]) -> Iterator[str]:
        """Run the tests in this order; the name of each before it runs."""
        items = [self.items[name] for name in names if name in self.items]
        for item, following in zip_longest(items, items[1:]):
            yield item.nodeid
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def first_failed(self, names: Sequence[str], seconds: Mapping[str, float]) -> str:
        """The first of the tests that fails, or else nothing; the process ends in one that takes too long."""
        for name in self.run(names):
            if self.failed:
                break
            most = 30 + 10 * seconds[name]
            tell(f"more than {most:.0f} s in {name}")
            signal.setitimer(signal.ITIMER_PROF, most)
            signal.alarm(int(WAITS + most))
        signal.alarm(WAITS)
        self.session._setupstate.teardown_exact(None)
        found, self.failed = self.failed, []
        return next(iter(found), "")

    def close(self) -> None:
        """Remove what the tests made on servers."""
        from databases import stop_servers

        stop_servers()


class Loaded:
    """The functions and caches of modules that are loaded from a folder."""

    def __init__(self, folder: Path) -> None:
        gc.unfreeze()
        loaded = {name: str(getattr(module, "__file__", "")) for name, module in sys.modules.items()}
        names = {name for name, file in loaded.items() if file.startswith(str(folder))}
        self.caches: list[Any] = []
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        for found in gc.get_objects():
            if isinstance(found, functools._lru_cache_wrapper) and found.__module__ in names:
                self.caches.append(found)
            elif isinstance(found, FunctionType) and found.__code__.co_filename.startswith(str(folder)):
                self.functions.setdefault(place(found.__code__), []).append(found)
        gc.freeze()

    def forget(self) -> None:
        """Empty the caches."""
        for cache in self.caches:
            cache.cache_clear()

    def take(self, module: CodeType) -> None:
        """Give the code of a changed module to its functions, wherever they are held."""
        for code in module.co_consts:
            if isinstance(code, CodeType):
                for function in self.functions.get(place(code), ()):
                    function.__code__ = code
                self.take(code)


def place(code: CodeType) -> tuple[str, str, int]:
    """Where a function is defined."""
    return code.co_filename, code.co_qualname, code.co_firstlineno

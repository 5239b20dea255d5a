"""Processes of Python that have their modules already: forks of one process, which imports them once.

To import numpy, pandas, DuckDB and SQLAlchemy takes a second, and a test that starts ten processes waits ten times.
Each fork is a process of its own, and imports this package itself, from wherever it is told.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

LOOP = """
import gc, json, os, runpy, sys, types
gc.disable()
for name in sys.argv[1:]:
    __import__(name)
assert "sqlrp" not in sys.modules, "the package would be the same in every fork"
gc.freeze()
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
gc.enable()
call = json.loads(line)
for number, path in enumerate([os.devnull, call["out"], call["err"]]):
    file = os.open(path, os.O_WRONLY if number else os.O_RDONLY)
    os.dup2(file, number)
    os.close(file)
os.chdir(call["folder"])
os.environ.update(call["variables"])
sys.path.insert(0, call["folder"])
kind, what, *sys.argv[1:] = call["arguments"]
if kind == "-m":
    runpy.run_module(what, run_name="__main__", alter_sys=True)
else:
    sys.argv[0], sys.modules["__main__"] = "-c", types.ModuleType("__main__")
    exec(compile(what, "<string>", "exec"), vars(sys.modules["__main__"]))
"""


class Forks:
    """A process that has imported the modules, none of which imports this package."""

    def __init__(self, folder: Path, modules: Iterable[str]) -> None:
        self.out, self.err = folder / "out", folder / "err"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", LOOP, *modules], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Python in the folder, with `-c` and a code or `-m` and a module; it finds modules in the folder first."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.out.write_text("")
        self.err.write_text("")
        call = {
            "folder": str(folder),
            "variables": variables,
            "arguments": arguments,
            "out": str(self.out),
            "err": str(self.err),
        }
        print(json.dumps(call), file=self.process.stdin, flush=True)
        code = self.process.stdout.readline()
        assert code, "the process ended"
        return subprocess.CompletedProcess(arguments, int(code), self.out.read_text(), self.err.read_text())

    def close(self) -> None:
        """End the process."""
        self.process.communicate(timeout=60)

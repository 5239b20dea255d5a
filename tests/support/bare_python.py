"""A Python without this package and pandas: numpy and pyarrow alone, as on the workers of a cluster."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

LOOP = """
import pickle, sys, traceback
from importlib.util import find_spec
import pyarrow as pa
assert not any(find_spec(name) for name in ("sqlrp", "pandas", "scipy")), "other packages are here"
while size := int.from_bytes(sys.stdin.buffer.read(8), "little"):
    function, batches = pickle.loads(sys.stdin.buffer.read(size))
    try:
        done = True, list(pickle.loads(function)(iter(batches)))
    except Exception:
        done = False, traceback.format_exc()
    answer = pickle.dumps(done)
    sys.stdout.buffer.write(len(answer).to_bytes(8, "little") + answer)
    sys.stdout.buffer.flush()
"""


class BarePython:
    """A process of that Python, which calls functions that were pickled here."""

    def __init__(self, folder: Path) -> None:
        (folder / "modules").mkdir()
        cloudpickle = find_spec("pyspark.cloudpickle")
        assert cloudpickle is not None
        assert cloudpickle.origin is not None
        (folder / "modules" / "pyspark").mkdir()
        (folder / "modules" / "pyspark" / "__init__.py").touch()
        (folder / "modules" / "pyspark" / "cloudpickle").symlink_to(Path(cloudpickle.origin).parent)
        self.process = subprocess.Popen(
            [bare_python(folder), "-c", LOOP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )

    def call(self, function: Any, batches: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """The batches that the function gives there. Raises RuntimeError with the traceback if it fails."""
        from pyspark import cloudpickle

        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = pickle.dumps((cloudpickle.dumps(function), list(batches)))
        self.process.stdin.write(len(asked).to_bytes(8, "little") + asked)
        self.process.stdin.flush()
        size = int.from_bytes(self.process.stdout.read(8), "little")
        assert size, "the process ended"
        well, found = pickle.loads(self.process.stdout.read(size))
        if not well:
            raise RuntimeError(found)
        return list(found)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def bare_python(folder: Path) -> str:
    """A program in the folder that runs this Python with numpy, pyarrow and the folder's own modules alone."""
    modules = folder / "modules"
    modules.mkdir(exist_ok=True)
    for name in ("numpy", "pyarrow"):
        found = find_spec(name)
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).parent
        for path in (package, package.with_name(f"{name}.libs")):
            if path.exists():
                (modules / path.name).symlink_to(path)
    program = folder / "python"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{modules}" exec {sys.executable} -P -S "$@"\n'
    )
    program.chmod(0o755)
    return str(program)

"""The built site, for the tests of its pages and of its playground."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from pages import ROOT
from taking_part import missing, need

BUILDER = ROOT / "docs/builder/site.py"


def built() -> Path:
    """The folder of the site. The processes of one run build it once, so that none changes it while another reads."""
    need("site")
    absent = "npm" if shutil.which("npm") is None else "mkdocs" if find_spec("mkdocs") is None else None
    if absent:
        missing("the site", FileNotFoundError(f"there is no {absent}"))
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
        mark = folder / "site.run"
        if not mark.exists() or mark.read_text(encoding="utf-8") != run:
            done = subprocess.run([sys.executable, BUILDER], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            mark.write_text(run, encoding="utf-8")
    return folder / "site"

"""The built site, for the tests of its pages and of its playground."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers import required
from pages import ROOT

BUILDER = ROOT / "docs/builder/site.py"


def built() -> Path:
    """The folder of the site. What has changed is built again; two processes do not build side by side."""
    absent = "npm" if shutil.which("npm") is None else "mkdocs" if find_spec("mkdocs") is None else None
    if absent and not required():
        pytest.skip(f"the site was not built: there is no {absent}")
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run([sys.executable, BUILDER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"

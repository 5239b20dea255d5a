"""Packages that only a few tests need, in a folder of their own, `.venv/NAME`: delete it to install them again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from taking_part import missing, need_package


def installed(name: str, packages: Sequence[str]) -> Path:
    """The folder with the packages, which are installed without what they need. Skips the test if they cannot be."""
    need_package("dbt", f"packages of {name}")  # `make test` installs nothing, and runs nothing of this
    folder = Path(__file__).parents[2] / ".venv" / name
    if not folder.exists():
        _install(folder, packages)
    return folder


def _install(folder: Path, packages: Sequence[str]) -> None:
    """Install the packages beside the folder, which is then renamed: others may wait for it."""
    making = folder.with_name(f"{folder.name}-{os.getpid()}")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(making), *packages]
    try:
        subprocess.run(command, check=True, capture_output=True)
        making.rename(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(making, ignore_errors=True)
        if not folder.exists():
            missing(f"packages of {folder.name}", error)

"""Firebird in this process, by its embedded engine: an engine that is asked, as if sqlrp shipped no answers of it.

Debian's package firebird3.0-server-core has the engine. The packages of Python stand in a folder of their own, since
they ask for an older protobuf than dbt does.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa
from own_packages import installed
from taking_part import missing, need

from sqlrp._engines.generic import engine_file

_PACKAGES = ("sqlalchemy-firebird>=2.2", "firebird-driver>=2.1,<3", "firebird-base>=2,<3")
_ENGINES = "*/firebird/3.0/plugins/libEngine*.so"


@contextmanager
def made(path: Path) -> Iterator[sa.Engine]:
    """An engine of SQLAlchemy to a new database. The process is as before at the end.

    Skips the test without the engine or its packages.
    """
    need("firebird")
    if not list(Path("/usr/lib").glob(_ENGINES)):
        missing("Firebird", FileNotFoundError("apt-get install firebird3.0-server-core"))
    folder = installed("firebird", _PACKAGES)
    file = path / "made.fdb"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIREBIRD_LOCK", _locks())
        patch.setattr(sys, "path", [*sys.path, str(folder)])
        patch.delitem(engine_file.SHIPPED, "firebird.firebird", raising=False)
        import_module("firebird.driver").create_database(str(file), user="SYSDBA", charset="UTF8").close()
        engine = sa.create_engine(f"firebird+firebird://SYSDBA@/{file}?charset=UTF8")
        yield engine
        engine.dispose()


@cache
def _locks() -> str:
    """A folder for the locks of this process, which the engine reads once."""
    folder = tempfile.mkdtemp(prefix="sqlrp-firebird-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

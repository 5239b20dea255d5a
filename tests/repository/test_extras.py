"""The install hint for a missing package: it fits how sqlrp was installed, and names no index without sqlrp."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from forking import Forks

from sqlrp._core import extras

ROOT = Path(extras.__file__).parents[2]
REQUIRES = [
    "duckdb>=1.4",
    'scipy>=1.11; extra == "fast"',
    "threadpoolctl>=3 ; extra == 'fast'",
    'psycopg[binary]>=3.1; extra == "postgresql"',
]


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    """As if sqlrp had been installed so: `direct_url.json` is what pip leaves of a folder or URL."""
    place = folder / "sqlrp-0.1.0.dist-info"
    place.mkdir()
    lines = ["Metadata-Version: 2.1", "Name: sqlrp", "Version: 0.1.0", *(f"Requires-Dist: {r}" for r in REQUIRES)]
    (place / "METADATA").write_text("\n".join(lines) + "\n")
    if origin is not None:
        (place / "direct_url.json").write_text(json.dumps(origin))
    build = folder / "sqlrp.egg-info"  # what a build leaves in a clone, found first where the clone is the folder
    build.mkdir()
    (build / "PKG-INFO").write_text("\n".join(lines) + "\n")
    found = [metadata.PathDistribution(build), metadata.PathDistribution(place)]
    monkeypatch.setattr(extras, "distributions", lambda name: iter(found))


GIT = {"url": "https://example.org/a/sqlrp.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.mark.parametrize(
    ("origin", "extra", "said"),
    [
        ({"url": "file://FOLDER/my%20clone", "dir_info": {"editable": True}}, "fast", "-e 'FOLDER/my clone[fast]'"),
        ({"url": "file://FOLDER/my%20clone", "dir_info": {}}, "fast", "'FOLDER/my clone[fast]'"),
        ({"url": "file://FOLDER/gone", "dir_info": {"editable": True}}, "fast", "scipy threadpoolctl"),
        ({"url": "file://FOLDER/gone.whl", "archive_info": {}}, "fast", "scipy threadpoolctl"),
        (GIT, "fast", "'sqlrp[fast] @ git+https://example.org/a/sqlrp.git'"),
        (
            GIT | {"vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "abc"}},
            "fast",
            "'sqlrp[fast] @ git+https://example.org/a/sqlrp.git@v1'",
        ),
        ({"url": "https://u:hunter2@h/s.whl", "archive_info": {}}, "fast", "'sqlrp[fast] @ https://u:***@h/s.whl'"),
        (GIT, "none", "missing"),
        (None, "fast", "scipy threadpoolctl"),
        (None, "postgresql", "'psycopg[binary]'"),
        (None, "none", "missing"),
    ],
)
def test_the_hint_follows_how_sqlrp_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None, extra: str, said: str
) -> None:
    (tmp_path / "my clone").mkdir()
    given = None if origin is None else json.loads(json.dumps(origin).replace("FOLDER", str(tmp_path)))
    installed(tmp_path, monkeypatch, given)
    assert extras.command("missing", extra) == f"pip install {said.replace('FOLDER', str(tmp_path))}"
    shlex.split(extras.command("missing", extra))


def test_without_metadata_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "distributions", lambda name: iter(()))
    assert extras.needs("x", "matplotlib", "plot") == "x needs matplotlib: pip install matplotlib"


def test_every_hint_is_made_by_this_rule() -> None:
    """No message of the package names a command of its own, and every extra that is asked for exists."""
    texts = {p: p.read_text(encoding="utf-8") for p in (ROOT / "sqlrp").rglob("*.py")}
    assert [p.name for p, text in texts.items() if "pip install" in text] == ["extras.py"]
    asked = {e for text in texts.values() for e in re.findall(r'needs\([^\n]*["\'](\w+)["\']\)', text)}
    assert asked == {"fast", "plot", "private", "report", "sklearn"}
    assert all(extras._packages(metadata.distribution("sqlrp"), extra) for extra in asked | {"postgresql", "mariadb"})


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    process = Forks(tmp_path_factory.mktemp("forks"), ("click", "duckdb", "numpy", "pandas", "pyarrow", "sqlalchemy"))
    yield process
    process.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "code", "what"),
    [
        ("matplotlib.figure", "from sqlrp.quality import Report; Report.plot(None)", "Report.plot needs matplotlib"),
        ("sklearn.base", "import sqlrp.sklearn", "sqlrp.sklearn needs scikit-learn"),
        ("sklearn.svm", "from sqlrp.quality import svm_margin; svm_margin([[0.]], [0])", "svm_margin needs scikit"),
        ("scipy.stats", "from sqlrp.quality import friedman; friedman({'a': [1, 2], 'b': [2, 1]})", "needs scipy"),
        ("jinja2", "from sqlrp._cli.app import cli; cli.main(['report', 'x.csv', '-o', 'r.html'])", "needs jinja2"),
        ("pymysql", "from sqlrp._cli.app import cli; cli.main(['list', 'mysql://h/x'])", "needs the driver pymysql"),
        ("psycopg2", "from sqlrp._cli.app import cli; cli.main(['list', 'postgresql+psycopg2://h'])", "psycopg2"),
        ("psycopg", "from sqlrp._cli.app import cli; cli.main(['list', 'postgresql://h/x'])", "the driver psycopg"),
        ("psycopg", "import sqlrp; sqlrp.connect('postgresql://h/x')", "postgresql://h/x needs the driver psycopg:"),
        ("pymysql", "import sqlrp; sqlrp.connect('mariadb://u:pw@h/x')", "://u:***@h/x needs the driver pymysql"),
        ("opendp", "from sqlrp._learning.privacy import _opendp; _opendp()", "a private model needs opendp"),
        ("trino", "import sqlrp; sqlrp.connect('trino://h/x')", "trino://h/x needs the"),
    ],
)  # fmt: skip
def test_every_missing_package_is_one_line_with_a_command(
    forks: Forks, tmp_path: Path, package: str, code: str, what: str
) -> None:
    done = forks.run(tmp_path, "-c", f"import sys; sys.modules[{package!r}] = None; {code}")
    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert what in line
    assert re.search(r": pip install (-e )?\S+", line)
    assert "'sqlrp[" not in line


ALONE = """
import re, sys
from importlib import metadata

def needed(name, found):
    for line in metadata.requires(name) or ():
        other = re.split(r"[^\\w.-]", line)[0]
        if "extra ==" not in line and "platform" not in line and plain(other) not in found:
            found.add(plain(other))
            needed(other, found)
    return found

def plain(name):
    return re.sub("[-_.]+", "-", name).lower()

core = needed("sqlrp", {"sqlrp"})
others = {m for m, names in metadata.packages_distributions().items() if core.isdisjoint(map(plain, names))}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in others:
            raise ImportError(f"{name} is no core dependency", name=name)

sys.meta_path.insert(0, Missing())
from sqlrp._cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        "--help",
        "project --help",
        "methods",
        "project in.csv -o out.parquet -k 2 --no-key",
        "diagnose in.csv -k 2 --no-key",
    ],
)
def test_the_command_runs_with_the_core_dependencies_alone(forks: Forks, tmp_path: Path, given: str) -> None:
    """Every install makes the command `sqlrp`, so it needs no extra. Here all other packages cannot be imported."""
    (tmp_path / "in.csv").write_text("a,b,c\n" + "".join(f"{i},{i % 3}.5,{i % 5}\n" for i in range(40)))
    done = forks.run(tmp_path, "-c", ALONE, *given.split())
    assert done.returncode == 0, done.stderr

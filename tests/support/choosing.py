"""Which tests a run has, and in what order."""

from __future__ import annotations

import random
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cover import COVERS
from taking_part import takes_part

from sqlrp._engines.registry import ENGINES

SLOW_FOLDERS = ("engines", "site")
"""Folders that `make test` leaves out: they are about other engines than its own, and about pages."""
WHOLE_FOLDERS = ("repository",)
"""Folders whose cases are the files of the repository, each of which may have just been changed."""
CASES = 6
"""So many cases of one test `make test` runs, and `--few`, or a fifth of them where that is more."""
SLOW = re.compile(r"^pytestmark = pytest\.mark\.slow$", re.MULTILINE)
LONGEST = (
    "test_spark.py",
    "test_spark_databricks.py",
    "test_spark_native.py",
    "test_spark_cluster.py",
    "test_same_text.py",
    "test_accessibility.py",
    "test_release.py",
    "test_correcting.py",
    "test_kept_elsewhere.py",
    "test_readme.py",
    "test_older_duckdbs.py",
    "test_quality_kernels.py",
    "test_faults.py",
    "test_codes.py",
    "test_rights_and_modes.py",
    "test_extension.py",
    "test_settings_of_duckdb.py",
    "test_collations.py",
    "test_same_names.py",
    "test_site.py",
    "test_chosen_rows.py",
    "test_other_parsers.py",
    "test_hostile_records.py",
    "test_search.py",
    "test_bench.py",
    "test_source_matrix.py",
    "test_warehouses.py",
    "test_jdbc.py",
    "test_guide.py",
    "test_identity.py",
    "test_beside_writers.py",
    "test_duckdb_views.py",
    "test_extension_statements.py",
    "test_settings.py",
    "test_disk_full.py",
    "test_extension_contract.py",
    "test_repair.py",
    "test_drift.py",
    "test_duckdb_sql.py",
    "test_keeping.py",
    "test_bench_codes.py",
    "test_replacing.py",
    "test_far_from_zero.py",
    "test_inputs_stay.py",
    "test_materialize.py",
    "test_open_search.py",
    "test_cli_pipes.py",
)
"""The files that take the longest. They start first, so that no process ends long after the others."""


def is_slow(path: Path) -> bool:
    """Whether a whole file is slow: by its folder, or by its mark."""
    return path.parent.name in SLOW_FOLDERS or SLOW.search(path.read_text(encoding="utf-8")) is not None


def _takes_part(item: pytest.Item) -> bool:
    """Whether the engine of a test's parameter takes part, if the test opens it."""
    opens = {"db", "databases", "spark"} & set(getattr(item, "fixturenames", ()))
    named = {"spark"} & opens
    if opens and hasattr(item, "callspec"):
        named |= {value for key, value in item.callspec.params.items() if key in ("name", "engine")} & set(ENGINES)
    return all(map(takes_part, named))


def sampled(items: Sequence[pytest.Item]) -> set[str]:
    """The names of the tests that are left when those of many cases run a part of them, the same in every run.

    A cover is as small as it can be already.
    """
    cases: dict[str, list[str]] = defaultdict(list)
    for item in items:
        function: Any = getattr(item, "function", None)
        covers = function is not None and f"{function.__module__}.{function.__qualname__}" in COVERS
        whole = covers or item.path.parent.name in WHOLE_FOLDERS or not hasattr(item, "callspec")
        cases[item.nodeid if whole else item.nodeid.partition("[")[0]].append(item.nodeid)
    drawn = (sorted(names, key=lambda name: zlib.crc32(name.encode())) for names in cases.values())
    return {name for names in drawn for name in names[: max(CASES, len(names) // 5)]}


class Choosing:
    """The tests of the engines that take part, without what is slow if that is asked for, in their order."""

    def __init__(self, config: pytest.Config) -> None:
        self.quick = "not slow" in config.option.markexpr
        self.few = self.quick or config.getoption("--few")
        self.seed: int | None = config.getoption("--shuffle")
        self.files = self.tests = 0
        """how many slow ones were left out"""
        self.cases = 0
        """how many cases of tests of many cases were left out"""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """A file that is slow, or of an engine that takes no part, is not even imported."""
        if not (collection_path.is_file() and collection_path.name.startswith("test_")):
            return None
        if collection_path.name.startswith("test_spark") and not takes_part("spark"):
            return True
        if self.quick and is_slow(collection_path):
            self.files += 1
            return True
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """The longest files first, or any order. The tests of a file stay together: they share what they make."""
        left_out = [item for item in items if not _takes_part(item)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if _takes_part(item)]
        if self.quick:
            quick = [item for item in items if item.get_closest_marker("slow") is None]
            self.tests = len(items) - len(quick)
            items[:] = quick
        if self.few:
            left = sampled(items)
            self.cases = len(items) - len(left)
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in left])
            items[:] = [item for item in items if item.nodeid in left]
        places: dict[str, float] = {name: at for at, name in enumerate(LONGEST)}
        if self.seed is not None:
            draw = random.Random(self.seed)
            draw.shuffle(items)
            places = {name: draw.random() for name in sorted({item.path.name for item in items})}
        items.sort(key=lambda item: places.get(item.path.name, len(places)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """One process for files that share what takes long to start.

        Those of Spark share a JVM. Those of the site share the built site: another process would wait for it.
        """
        if config.getvalue("dist") != "loadfile":
            return None
        from xdist.scheduler import LoadFileScheduling

        class Files(LoadFileScheduling):
            def _split_scope(self, nodeid: str) -> str:
                scope = super()._split_scope(nodeid)
                scope = re.sub(r"test_spark_\w+\.py", "test_spark.py", scope)
                return scope.replace("test_playground.py", "test_site.py")

        return Files(config, log)

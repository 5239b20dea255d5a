"""Old module paths and names still work, with a warning that names the new ones."""

import importlib
import importlib.util
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import duckdb
import pytest

import sqlrp
from sqlrp.core.errors import ParameterError
from sqlrp.core.moved import MODULES, keyword_only, moved_names, renamed
from sqlrp.dbt import write

HERE = Path(sqlrp.__file__).parent.parent
SAME_NAME = [path for path in MODULES if path.removeprefix("sqlrp.") in sqlrp.__all__]


def own(module):
    """The names that a module defines itself."""
    return [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__ and n[0] != "_"]


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, targets in MODULES.items() for new in targets])
def test_old_paths_give_the_same_objects_and_a_warning(old, new):
    """Every name is the new module's own, and the warning is at the line that uses the old one."""
    module, names = importlib.import_module(new), own(importlib.import_module(new))
    assert names
    for name in names:
        home = "sqlrp" if getattr(sqlrp, name, None) is getattr(module, name) else new
        with pytest.warns(DeprecationWarning, match=f"{old}.{name} has moved: use {home}.{name}$") as caught:
            exec(compile(f"from {old} import {name} as found", "user.py", "exec"), scope := {})
        assert scope["found"] is getattr(module, name)
        assert caught[0].filename == "user.py"


@pytest.mark.parametrize("old", MODULES)
def test_no_file_stands_at_an_old_path(old):
    """A file there would be found first, and the table's entry would be dead."""
    path = HERE / old.replace(".", "/")
    assert not path.with_suffix(".py").exists()
    assert not (path / "__init__.py").exists()


def test_importlib_and_attributes_find_old_modules():
    """`import_module`, `find_spec` and an attribute of the package give the old module; the import alone is silent."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = importlib.import_module("sqlrp.errors")
        assert sqlrp.errors is module
        assert importlib.util.find_spec("sqlrp.errors") is not None
        assert "LimitError" in dir(module)
    with pytest.warns(DeprecationWarning, match=r"use sqlrp\.LimitError"):
        assert module.LimitError is sqlrp.LimitError
    with pytest.raises(AttributeError, match=r"now sqlrp\.core\.errors, has no attribute 'Nothing'"):
        _ = module.Nothing
    with pytest.raises(ImportError):
        exec("from sqlrp.errors import Nothing")


def test_packages_that_moved_hold_their_modules():
    """As `sqlrp.lower.job`, of which the package too is gone."""
    import sqlrp.lower.job

    with pytest.warns(DeprecationWarning, match=r"use sqlrp\.lowering\.job\.Job"):
        assert sqlrp.lower.job.Job.__module__ == "sqlrp.lowering.job"


def test_pickles_of_old_paths_are_read():
    """A pickle names the module that a class stood in when it was written."""
    with pytest.warns(DeprecationWarning, match=r"use sqlrp\.Wide"):
        assert pickle.loads(b"csqlrp.layouts\nWide\n.") is sqlrp.Wide


@pytest.mark.parametrize("old", SAME_NAME)
def test_functions_stay_where_an_old_module_has_their_name(old):
    """Importing `sqlrp.signs` does not hide the function `sqlrp.signs`, whichever comes first."""
    assert len(SAME_NAME) == 2
    name = old.removeprefix("sqlrp.")
    code = f"import {old}; import sqlrp; assert callable(sqlrp.{name}); import {old}; assert callable(sqlrp.{name})"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE)


def test_names_that_moved_out_of_a_module():
    """`moved_names` serves as the `__getattr__` of the module that they were in."""
    find = moved_names("sqlrp.somewhere", {"Old": "sqlrp.core.sources.Wide"})
    with pytest.warns(DeprecationWarning, match=r"sqlrp\.somewhere\.Old has moved: use sqlrp\.core\.sources\.Wide"):
        assert find("Old") is sqlrp.Wide
    with pytest.raises(AttributeError, match="has no attribute 'Other'"):
        find("Other")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sqlrp.projections.trained.PrincipalComponents", "sqlrp.PrincipalComponents"),
        ("sqlrp.projections.given.GivenTensorSketch", "sqlrp.GivenTensorSketch"),
        ("sqlrp.engines.engine_named", "sqlrp.engines.dialect_named"),
    ],
)
def test_names_that_moved_between_modules(old, new):
    """Of modules that are still there."""
    module, _, name = old.rpartition(".")
    home, _, own_name = new.rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"{old} has moved: use {new}$"):
        found = getattr(importlib.import_module(module), name)
    assert found is getattr(importlib.import_module(home), own_name)


def test_the_old_module_of_engines_warns_at_the_line_that_imports_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "sqlrp.engines.base", raising=False)
    with pytest.warns(DeprecationWarning, match=r"sqlrp\.engines\.base has moved: import Dialect") as caught:
        exec(compile("import sqlrp.engines.base", "user.py", "exec"), {})
    assert caught[0].filename == "user.py"


def test_an_engine_of_the_old_kind_recognises_no_connection_by_itself():
    with pytest.warns(DeprecationWarning, match="has moved"):
        old = importlib.reload(importlib.import_module("sqlrp.engines.base"))
    assert old.Engine.recognises(object(), None) is False


def test_keywords_that_were_renamed():
    """The old keyword is passed on by its new name."""

    @renamed(overwrite="replace")
    def write(*, replace: bool = False) -> bool:
        return replace

    with pytest.warns(DeprecationWarning, match="use replace=") as caught:
        assert write(overwrite=True)
    assert caught[0].filename == __file__
    with pytest.raises(ParameterError, match="give replace alone"):
        write(overwrite=True, replace=True)


def test_arguments_that_were_positional():
    """They are taken by position still, and too many are refused as ever."""

    @keyword_only("source")
    def save(connection: str, *, source: str | None = None) -> str | None:
        return source

    with pytest.warns(DeprecationWarning, match="save: pass source= by name") as caught:
        assert save("con", "t") == "t"  # type: ignore[call-arg]
    assert caught[0].filename == __file__
    assert save("con", source="t") == "t"
    with pytest.warns(DeprecationWarning, match="source="), pytest.raises(TypeError, match="positional"):
        save("con", "t", "more")  # type: ignore[call-arg]


def test_old_keywords_of_public_functions(tmp_path):
    """`overwrite`, `size` and a positional source reach the functions."""
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT range AS id, random() AS a, random() AS b, random() AS c FROM range(9)")
    p = sqlrp.SparseProjection(k=2, s=1, seed=1)
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    with pytest.warns(DeprecationWarning, match="use replace="):
        write(p, "t", con, tmp_path, "rp", overwrite=True)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="use sample="):
        assert sqlrp.back_projection_error(p, "t", con, size=5).rows == 5  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="pass source= by name"):
        assert sqlrp.save(p, con, "kept", "t").bound_to == ("a", "b", "c")  # type: ignore[call-arg]

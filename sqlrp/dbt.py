"""Models and macros for dbt, which runs a projection from a dbt project without sqlrp."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args

from sqlrp._core.driver_escapes import jinja
from sqlrp._core.driver_escapes import jinja_literal as _literal
from sqlrp._core.errors import LimitError, ParameterError, SourceError, check_choice, shorten
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.sources import Long, Output, Source, Standardized, TableName, as_source
from sqlrp._core.whole_files import check_apart, keep_rights, resolved
from sqlrp._core.whole_files import replace as put_in_place
from sqlrp._lowering.frame import PLACE
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections.projection import Projection
from sqlrp._run.files_read import files_read
from sqlrp._run.table_input import job_of
from sqlrp._store.row_changes import ROWS, Marks, check_track, marks_written

Materialized = Literal["incremental", "table", "view", "ephemeral"]
"""The materializations of dbt."""


def write(
    projection: Projection,
    source: Source | Standardized | str,
    engine: Any,
    project: str | Path,
    name: str,
    *,
    relation: str | None = None,
    materialized: Materialized = "incremental",
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
    dtype: Dtype = "auto",
    models: str = "models",
    macros: str = "macros",
    replace: bool = False,
    track: str | None = None,
    remove: bool = True,
) -> list[Path]:
    """Write a projection into a dbt project, compiled for the current columns of the source; returns the paths.

    - `macros`/sqlrp_{name}.sql: the SELECT as a macro, whose argument is the relation that it reads. So
      `select * from ({{ sqlrp_images_rp(ref('new_images')) }}) z` projects other rows with the same columns.
      Its comment contains the projection as JSON for `sqlrp.from_json`.
    - `models`/{name}.sql: the model, over `relation`. `images` means ref('images'), and `shop.images` means
      source('shop', 'images'). Without `relation` it is ref of the source's name.
    - `models`/{name}.yml: its description, and tests of the key: not_null and unique.

    `engine`: a connection, or the name of an engine if the source names its features. `materialized` "incremental"
    projects rows with a new key, once each. A changed row keeps its old result until `dbt run --full-refresh`, which
    projects all rows again. A full refresh is also necessary once after replacing the projection by another one.

    `track` makes an incremental model follow its source, as in `sqlrp.materialize`: a column that grows with every
    change of a row, or "rows" for fingerprints. Every run then projects new and changed rows. A post_hook removes the
    rows whose key is gone, unless `remove` is False or the source has no rows. The model has the marks as columns. dbt
    replaces the rows by its strategy delete+insert, on BigQuery and Spark by merge, which cannot replace the rows of
    output = "long".

    Existing files are kept unless `replace` is True. Either all three files are written, or none. A new model's own
    file is written last, so a killed process leaves no model; call again to write the rest. For an existing model, a
    different projection of the same source changes only the macro, in one step. If the key, the relation or
    `materialized` change too, the macro changes last, and a killed process may leave the new model with the old macro.
    Then call again with `replace` to write all files. Raises ParameterError for a folder that is not a dbt project, a
    name that dbt does not accept, an existing file, or "incremental" without a key. Raises SourceError for a file that
    cannot be written, LimitError if the projection is not one SELECT, and the errors of `sqlrp.sql`.

        >>> import pathlib, tempfile, sqlrp.dbt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (pathlib.Path(folder) / "dbt_project.yml").write_text("name: shop")
        ...     made = sqlrp.dbt.write(rp, "points", con, folder, "points_rp")
        ...     print(sorted(path.name for path in made))
        ['points_rp.sql', 'points_rp.yml', 'sqlrp_points_rp.sql']
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ParameterError(f"name = {shorten(name)} must be letters, digits and _ for dbt, not a digit first")
    check_choice("materialized", materialized, get_args(Materialized))
    root = Path(project).absolute()
    if not (root / "dbt_project.yml").is_file():
        raise ParameterError(f"project = {shorten(str(project))} has no dbt_project.yml: name a dbt project's folder")
    options = Options(output, scale, nulls, lowering, dtype)
    check_track(track)
    if track is not None and materialized != "incremental":
        raise ParameterError(
            f"track = {track!r} is for incremental models: dbt makes a {materialized} again in every run"
        )
    for path in places(root, name, models, macros):
        check_apart(path, files_read(engine, source))
    job = job_of(projection, _keeping(source, track), engine, options)
    if materialized == "incremental" and (job.frame.key is None or job.grouped):
        why = "sums groups, which may grow" if job.grouped else "has no key to know rows by"
        raise ParameterError(
            f"materialized = 'incremental' is not supported, as the model {why}: use 'table' or 'view'"
        )
    marks = None if track is None else marks_written(job, track)
    if marks is not None and job.output == "long" and job.dialect.replaces_rows == "merge":
        raise ParameterError(
            f"track with output = 'long' is not supported: dbt merges rows on {job.dialect.name}, and a merge leaves "
            "components that are gone; use 'columns' or 'array'"
        )
    bare = [name for name in job.frame.kept if not _plain(job, name)]
    if materialized == "incremental" and bare:
        raise SourceError(
            f"column {bare[0]!r} holds a quote, which dbt does not double in the statements of an incremental model: "
            "rename it in a model before, or use materialized = 'table'"
        )
    of = _relation(job.frame.table if relation is None else TableName.parse(relation))
    in_macros, in_model, described = places(root, name, models, macros)
    macro = in_macros.stem
    texts = {
        in_macros: _macro(job, macro, options.lowering, marks),
        in_model: _model(job, macro, of, materialized, marks, remove),
        described: _properties(job, name, of),
    }
    # The last file takes effect: a new model exists once its own file does, an old one changes with its macro.
    last = (described, in_model, in_macros) if in_model.exists() else (in_macros, described, in_model)
    _place(root, {path: texts[path] for path in last}, replace)
    return list(texts)


def places(project: Path, name: str, models: str, macros: str) -> tuple[Path, Path, Path]:
    """The files of the macro, of the model and of its properties."""
    model = project / models / name
    return project / macros / f"sqlrp_{name}.sql", model.with_suffix(".sql"), model.with_suffix(".yml")


def _keeping(source: Source | Standardized | str, track: str | None) -> Source | Standardized | str:
    """The source with its tracked column in `keep`."""
    if track is None or track == ROWS:
        return source
    if isinstance(source, Standardized):
        return dataclasses.replace(source, source=_keeping(source.source, track))
    of = as_source(source)
    if isinstance(of, Long) or track in of.keep:
        return of
    return dataclasses.replace(of, keep=(*of.keep, track))


def _relation(table: TableName) -> str:
    if table.is_file or len(table.parts) > 2:
        raise ParameterError(
            f"relation {table} must be the name of a model or seed, or source.table: name it by relation"
        )
    function = "ref" if len(table.parts) == 1 else "source"
    return f"{function}({', '.join(map(_literal, table.parts))})"


# -- the three files -------------------------------------------------------------------------------------


def _macro(job: Job, macro: str, lowering: str, marks: Marks | None) -> str:
    """The SELECT as a macro, whose argument is the relation after FROM."""
    frame = job.frame if marks is None else marks.kept(job.frame)
    job = dataclasses.replace(job, frame=dataclasses.replace(frame, place=True))
    script = plan(job, lowering, single_statement=True).bare()
    if marks is not None:
        script = script.around(marks.around(job, PLACE))
    if script.setup:
        raise LimitError(
            f"{job.dialect.name} takes {len(script.setup)} temporary tables for this, and a dbt model is one SELECT: "
            "use lowering = 'inline', or a smaller k"
        )
    kept = job.projection.to_json().replace("#", "\\u0023")  # so that it cannot end the comment
    return f"{{# {kept} #}}\n{{% macro {macro}(relation) %}}\n{_text(script.query)}\n{{% endmacro %}}\n"


def _model(job: Job, macro: str, of: str, materialized: Materialized, marks: Marks | None, remove: bool) -> str:
    """The model: the macro over the relation, or over its new rows, and the changed ones if they are tracked."""
    engine, end = job.dialect, _text(job.dialect.settings) + "\n"
    if materialized != "incremental":
        return f"{{{{ config(materialized={_literal(materialized)}) }}}}\n\n{{{{ {macro}({of}) }}}}{end}"
    quoted = engine.quote(job.frame.key or "")
    unique, key = _literal(quoted), _text(quoted)
    relation = f"{{{{ {of} }}}}"
    config, wanted = (
        f"unique_key={unique}",
        f"{key} IS NOT NULL AND NOT EXISTS ({_made(f'made.{key} = arrived.{key}')})",
    )
    if marks is not None:
        names = [_text(engine.quote(name)) for name in marks.columns]
        same = " AND ".join(f"made.{name} = now.{name}" for name in (key, *names))
        now = _text(marks.of_source(engine, quoted, PLACE)).replace("{{ relation }}", relation)
        wanted = f"{key} IN (SELECT now.{key} FROM ({now}) now WHERE NOT EXISTS ({_made(same)}))"
        config += f", incremental_strategy={_literal(engine.replaces_rows)}"
        if remove:
            there = f"SELECT {key} FROM {relation} WHERE {key} IS NOT NULL"
            some = f"EXISTS ({there})"  # a source that is being loaded, and that of `dbt build --empty`, has no rows
            config += f", post_hook={_literal(f'DELETE FROM {{{{ this }}}} WHERE {some} AND {key} NOT IN ({there})')}"
    elif job.output == "long":
        config = f"unique_key=[{unique}, 'component']"
    return f"""\
{{{{ config(materialized='incremental', {config}, on_schema_change='fail') }}}}

{{% set arrived %}}
(SELECT * FROM {relation} arrived
{{%- if is_incremental() %}}
WHERE {wanted}
{{%- endif %}}) arrived
{{%- endset %}}

{{{{ {macro}(arrived) }}}}{end}"""


def _made(where: str) -> str:
    """The query of a row that the model has already."""
    return f"SELECT 1 FROM {{{{ this }}}} made WHERE {where}"


def _properties(job: Job, name: str, of: str) -> str:
    """The model's description and tests, in YAML."""
    described = (
        f"Rows of {of}, projected. Made by sqlrp; the first line of the macro sqlrp_{name} is the projection, as "
        "sqlrp.from_json reads it."
    )
    lines = ["version: 2", "models:", f"  - name: {name}", f"    description: {_yaml(described)}"]
    if job.frame.key is not None:
        tests = "not_null" if job.output == "long" else "not_null, unique"
        lines += ["    columns:", *_column(job, job.frame.key), f"        data_tests: [{tests}]"]
    return "\n".join(lines) + "\n"


def _column(job: Job, key: str) -> list[str]:
    """The YAML of a column that dbt quotes. If dbt's quotes are not enough, the name is quoted here."""
    if _plain(job, key):
        return [f"      - name: {_yaml(key)}", "        quote: true"]
    return [f"      - name: {_yaml(job.dialect.quote(key))}"]


def _plain(job: Job, name: str) -> bool:
    """Whether the quotes that dbt puts around a name are enough."""
    return job.dialect.quote(name)[1:-1] == name


# -- Jinja and YAML --------------------------------------------------------------------------------------


def _text(sql: str) -> str:
    """SQL as a Jinja template that renders to the same text, with the relation filled in by the macro."""
    return "{{ relation }}".join(map(jinja, sql.split(PLACE)))


def _yaml(text: str) -> str:
    """A double-quoted YAML scalar that dbt renders to the text, although Jinja drops a line feed at the end."""
    if _text(text) != text:
        text = f"{{{{ {_literal(text)} }}}}"
    quoted = re.sub(r'["\\]', r"\\\g<0>", text)
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in quoted) + '"'


# -- writing ---------------------------------------------------------------------------------------------


def _place(root: Path, files: dict[Path, str], over: bool) -> None:
    """Write all files or none, in the given order. Each file is renamed into place when it is complete.

    If one file fails, the others are restored. Without `over`, a file may exist only if it has the same text and the
    last file is missing, as a killed process leaves them.
    """
    there = [path for path in files if path.exists()]
    last = [*files][-1]
    same = [path for path in there if path.is_file() and path.read_bytes() == files[path].encode()]
    others = there if last in there else [path for path in there if path not in same]
    if others and not over:
        found = str(others[-1])
        raise ParameterError(
            f"{found!r} is there already: choose another name, or overwrite it by replace=True "
            "(--replace on the command line)"
        )
    made: dict[Path, tuple[Path, Path]] = {}
    """the new file and the copy of the old one, by their target path"""
    done: list[Path] = []
    folders: list[Path] = []
    try:
        with tempfile.TemporaryDirectory(prefix=".sqlrp_", dir=root) as folder:
            try:
                for path, text in files.items():
                    if path in same:
                        continue
                    place = resolved(path)  # keep a symbolic link
                    folders += _make_folder(path.parent)
                    made[place] = Path(folder) / path.name, Path(folder) / f"{path.name}.old"
                    made[place][0].write_text(text, encoding="utf-8", newline="\n")
                    if path in there:
                        shutil.copyfile(place, made[place][1])
                        keep_rights(made[place][1], place)
                for place, (new, _) in made.items():
                    done.append(place)
                    put_in_place(new, place)
            except BaseException:
                _put_back(done, made)
                for made_folder in reversed(folders):
                    with suppress(OSError):  # another process has written a file into it
                        made_folder.rmdir()
                raise
    except OSError as error:
        raise SourceError(f"{str(error.filename)!r} cannot be written: {error.strerror}") from error


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder and its parents; returns the new ones, topmost first."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _put_back(done: Sequence[Path], made: Mapping[Path, tuple[Path, Path]]) -> None:
    """Restore the old files where new ones have been, or were about to be, written."""
    for place in done:
        new, old = made[place]
        if old.exists():
            put_in_place(old, place)
        elif not new.exists():
            place.unlink(missing_ok=True)


__all__ = ["write"]

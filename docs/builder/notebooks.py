"""Notebooks of the guide, made from its pages: `python docs/builder/notebooks.py FOLDER`.

A block of Python or SQL becomes a cell, and the text around it a cell of Markdown. The quickstarts are executed, and
show what their cells print here. The cells of the other pages show what the pages show, which the tests compare with
what their blocks print.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).parents[2]
EXECUTED = ("quickstart_sql", "quickstart_pandas")
PAGES = (
    *EXECUTED,
    *("tour", "functions", "choosing", "learning", "scoring", "preparing", "keeping", "embeddings", "text", "images"),
    *("embeddings_indexes", "statistics", "private", "plans", "operating", "writing_a_method", "writing_an_engine"),
)
"""The pages whose blocks need no server."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cells(page: str) -> Iterator[NotebookNode]:
    """The cells of a page, numbered, so that the same page always gives the same notebook."""
    last = number = 0
    code: NotebookNode | None = None
    for block in [*_BLOCK.finditer(page), None]:
        text = page[last : block.start() if block else len(page)].strip()
        if text:
            number += 1
            yield new_markdown_cell(_linked(text), id=f"cell-{number}")
        if block is None:
            return
        last = block.end()
        if block[1] in ("python", "sql"):
            number += 1
            source = block[2].strip() if block[1] == "python" else sql(block[2])
            code = new_code_cell(source, id=f"cell-{number}")
            yield code
        elif block[1] == "text" and code is not None:
            code.outputs = [new_output("stream", name="stdout", text=block[2])]


def sql(block: str) -> str:
    """Statements as Python: a query shows its rows."""
    lines = []
    for statement in duckdb.extract_statements(block):
        text = statement.query.strip().rstrip(";")
        quotes = '"""' if "\n" in text or '"' in text else '"'
        text = f"\n{text}\n" if "\n" in text else text
        query = statement.type == duckdb.StatementType.SELECT
        lines.append(f"con.{'sql' if query else 'execute'}({quotes}{text}{quotes}){'.show()' if query else ';'}")
    return "\n".join(lines)


def _linked(text: str) -> str:
    """Links between pages of the guide lead from the notebooks' folder to the pages of the site."""
    text = re.sub(r"\]\((?!https?:)\.\./README\.md\)", "](../overview.html)", text)
    return re.sub(r"\]\((?!https?:)([\w/]+)\.md(#[\w-]+)?\)", r"](../examples/\1.html\2)", text)


def notebook(name: str) -> NotebookNode:
    """The notebook of a page of the guide."""
    made = new_notebook(cells=list(cells((ROOT / "examples" / f"{name}.md").read_text(encoding="utf-8"))))
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    if name not in EXECUTED:
        return made
    with tempfile.TemporaryDirectory() as folder:
        for entry in ROOT.iterdir():
            (Path(folder) / entry.name).symlink_to(entry)
        client = NotebookClient(made, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}})
        # The machine that builds the site may have DuckDB's extension, and say how to allow it. Readers have none.
        client.execute(env={**os.environ, "PYTHONWARNINGS": "ignore:the functions run as plain SQL"})
    for cell in made.cells:
        cell.metadata.pop("execution", None)  # times of this run
    return made


def main(folder: Path) -> None:
    """Write all notebooks."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        nbformat.write(notebook(name), folder / f"{name}.ipynb")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

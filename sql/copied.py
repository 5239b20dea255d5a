"""Write the macros of sql/duckdb.sql as a file of DuckDB, which `sqlrp.install` copies: `python sql/copied.py`.

DuckDB copies them in a tenth of the time in which it reads their text. The same text gives the same bytes. The file is
next to them, `sql/macros-….duckdb`, or in the folder after `--out`, whose older files of the kind are removed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb

from sqlrp._core.shipped_files import copy_of
from sqlrp._store.installed import macros, marking

HERE = Path(__file__).parent
STORED = "v1.3.0"
"""The version of DuckDB whose form the file has. An older form loses how lambdas are written, and a newer one has a
random number, so that no two builds were alike."""
BLOCK = 16_384
"""The bytes of a block, the fewest that DuckDB takes: the file is copied whole, and packed in a wheel."""


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE)
    print(write(parser.parse_args().out))


def write(folder: Path, text: str | None = None) -> Path:
    """Write the macros of a text, by default that of sql/duckdb.sql, into a folder."""
    text = (HERE / "duckdb.sql").read_text(encoding="utf-8") if text is None else text
    name = copy_of(text).name
    with tempfile.TemporaryDirectory(dir=folder) as fresh, duckdb.connect() as connection:
        made = Path(fresh) / name
        file = "'" + str(made).replace("'", "''") + "'"
        connection.execute(f"ATTACH {file} AS made (STORAGE_VERSION '{STORED}', BLOCK_SIZE {BLOCK})")
        connection.execute(f"USE made; BEGIN;\n{text};\n{marking(macros(text))};\nCOMMIT; USE memory; DETACH made")
        for old in folder.glob("macros-*.duckdb"):
            old.unlink()
        return made.rename(folder / name)


if __name__ == "__main__":
    main()

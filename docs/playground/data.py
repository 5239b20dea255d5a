"""Write the playground's tables as Arrow files: `python docs/playground/data.py FOLDER`.

DuckDB-Wasm reads Arrow by itself. Parquet would need an extension, which it would fetch from another server.
The embeddings come with sqlrp, the other data with scikit-learn: handwritten digits, windows of two photographs, and
the words of the texts that describe its data sets.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import sklearn.datasets
from sklearn.datasets import load_digits, load_sample_images

from sqlrp import samples

WINDOW = 50
MODULES = 8


def docstrings() -> pa.Table:
    """Embeddings of text: the docstrings of the eight modules that have most, so that the page stays small."""
    found = samples.docstrings()
    modules = [name.partition(".")[0] for name in found["name"].to_pylist()]
    often = {module for module, _ in Counter(modules).most_common(MODULES)}
    table = found.append_column("label", pa.array(modules))
    kept = table.filter(pa.array([module in often for module in modules]))
    return kept.select(["id", "label", "name", "e"]).combine_chunks()


def digits() -> pa.Table:
    """One column per pixel: 1,797 rows of 8 × 8 pixels."""
    found = load_digits()
    pixels = {f"p{j}": pa.array(found.data[:, j].astype(np.uint8)) for j in range(found.data.shape[1])}
    return pa.table(
        {"id": pa.array(np.arange(len(found.data)), pa.int32()), "label": found.target.astype(str)} | pixels
    )


def photographs() -> pa.Table:
    """One array per row: windows of 50 × 50 pixels of two photographs, in grey."""
    images = load_sample_images()
    names = [Path(name).stem for name in images.filenames]
    windows = [
        np.lib.stride_tricks.sliding_window_view(image.mean(axis=2), (WINDOW, WINDOW))[::25, ::25].reshape(
            -1, WINDOW * WINDOW
        )
        for image in images.images
    ]
    pixels = np.concatenate(windows).astype(np.uint8)
    label = np.repeat(names, [len(part) for part in windows])
    array = pa.FixedSizeListArray.from_arrays(pa.array(pixels.reshape(-1)), WINDOW * WINDOW)
    return pa.table({"id": pa.array(np.arange(len(pixels)), pa.int32()), "label": label, "pixels": array})


def words() -> pa.Table:
    """One row per word of a paragraph: the texts that describe scikit-learn's data sets."""
    rows: list[tuple[int, str, str, int]] = []
    doc = 0
    for path in sorted((Path(sklearn.datasets.__file__).parent / "descr").glob("*.rst")):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            counts = Counter(re.findall(r"[a-z]{4,}", paragraph.lower()))
            if counts.total() >= 12:
                rows += [(doc, path.stem, word, n) for word, n in sorted(counts.items())]
                doc += 1
    doc_, label, word, n = zip(*rows, strict=True)
    return pa.table({"id": pa.array(doc_, pa.int32()), "label": label, "word": word, "n": pa.array(n, pa.int32())})


TABLES = {"docstrings": docstrings, "digits": digits, "photographs": photographs, "words": words}


def main(folder: Path) -> None:
    """Write all tables as streams of Arrow."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in TABLES.items():
        found = table()
        with pa.ipc.new_stream(str(folder / f"{name}.arrow"), found.schema) as writer:
            writer.write_table(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

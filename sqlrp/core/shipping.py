"""Code for processes that have not installed this package: a task travels with the text of the modules that it needs.

The text becomes modules of a package of another name, which belongs to this text alone. So it does not matter whether
sqlrp is installed there, or in which version, and tasks of several versions can run in one process.
"""

from __future__ import annotations

import ast
import hashlib
import pickle
import pickletools
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

_PACKAGE = __name__.partition(".")[0]


def shipped(task: Callable[[Iterable[Any]], Iterator[Any]]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A function that calls `task` with an iterator, in whichever process it is unpickled.

    It is pickled by value, by cloudpickle. The other process needs the packages that the task's modules import, and
    nothing of this one. It keeps the modules and the task for later calls.
    `task` is pickled here: its class and the classes of all that it refers to must be this package's, Python's, or of
    packages that the other process has.
    """
    pickled = pickle.dumps(task, protocol=5)
    named = {value for _, value, _ in pickletools.genops(pickled) if isinstance(value, str)}
    texts = _texts(frozenset(name for name in named if name.startswith(f"{_PACKAGE}.") and find_spec(name)))
    return _carrier(_PACKAGE, zlib.compress(repr(texts).encode()), pickled, hashlib.sha256(pickled).hexdigest())


@cache
def _texts(names: frozenset[str]) -> dict[str, tuple[bool, str]]:
    """The text of the modules and of all modules that they import, and whether each is a package.

    The text of the package itself is empty, as it imports what a program needs that calls it.
    """
    found: dict[str, tuple[bool, str]] = {_PACKAGE: (True, "")}
    waiting = sorted(names, reverse=True)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        spec = find_spec(name)
        text = spec.loader.get_source(name) if spec else None  # type: ignore[union-attr]
        if spec is None or text is None:
            raise RuntimeError(f"the text of the module {name} is missing")
        found[name] = (spec.submodule_search_locations is not None, text)
        waiting += [name.rpartition(".")[0], *_imported(ast.parse(text))]
    return found


def _imported(node: ast.AST) -> Iterator[str]:
    """The modules of the package that a text imports, within functions too; not those for type checkers alone."""
    if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == _PACKAGE:
        yield str(node.module)
        yield from (name for name in (f"{node.module}.{alias.name}" for alias in node.names) if _is_module(name))
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
        for child in ast.iter_child_nodes(node):
            yield from _imported(child)


@cache
def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the parent is a module without others in it
        return False


def _carrier(package: str, texts: bytes, pickled: bytes, token: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """The function that travels. It refers to nothing outside itself, so that cloudpickle takes it as a whole."""

    def carried(items: Iterable[Any]) -> Iterator[Any]:
        import ast
        import hashlib
        import io
        import pickle
        import sys
        import zlib
        from importlib.abc import Loader, MetaPathFinder
        from importlib.machinery import ModuleSpec
        from importlib.util import spec_from_loader

        own = f"_{package}_{hashlib.sha256(texts).hexdigest()[:16]}"

        def renamed(name: str) -> str:
            return own + name[len(package) :] if name == package or name.startswith(f"{package}.") else name

        class Texts(MetaPathFinder, Loader):
            """Modules of the texts under their new names."""

            def __init__(self) -> None:
                self.texts = {
                    renamed(name): text for name, text in ast.literal_eval(zlib.decompress(texts).decode()).items()
                }
                self.tasks: dict[str, Any] = {}

            def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
                known = self.texts.get(name)
                return None if known is None else spec_from_loader(name, self, is_package=known[0])

            def exec_module(self, module: Any) -> None:
                tree = ast.parse(self.texts[module.__name__][1])
                for node in ast.walk(tree):
                    if isinstance(node, ast.ImportFrom) and node.module:
                        node.module = renamed(node.module)
                module.__file__ = f"{module.__name__.replace('.', '/')}.py"
                exec(compile(tree, module.__file__, "exec"), module.__dict__)

        class Unpickler(pickle.Unpickler):
            """Reads classes of the package from the modules of the texts."""

            def find_class(self, module: str, name: str) -> Any:
                return super().find_class(renamed(module), name)

        finder = next((f for f in sys.meta_path if getattr(f, "sqlrp_texts", None) == own), None)
        if finder is None:
            finder = Texts()
            finder.sqlrp_texts = own
            sys.meta_path.append(finder)
        if token not in finder.tasks:
            while len(finder.tasks) >= 4:
                del finder.tasks[next(iter(finder.tasks))]
            finder.tasks[token] = Unpickler(io.BytesIO(pickled)).load()
        yield from finder.tasks[token](items)

    return carried

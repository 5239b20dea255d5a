"""Code for processes that have not installed this package: a task travels with the text of the modules that it needs.

The text becomes modules of a package of another name, which belongs to this text alone. So it does not matter whether
sqlrp is installed there, or in which version, and tasks of several versions can run in one process.

cloudpickle's `register_pickle_by_value` does not serve here. It cannot pickle locks, it pickles cached functions by
name, and it leaves out modules that are imported when they are used. It writes half a megabyte for each query, in 40
ms and not in 2, and every task makes the classes and draws the tables again.
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

from sqlrp._core.errors import UnsupportedError

Evaluate = Callable[[Iterable[Any]], Iterator[Any]]

_PACKAGE = __name__.partition(".")[0]


def shipped(task: Evaluate) -> Evaluate:
    """A function that calls `task`, in whichever process cloudpickle unpickles it.

    The other process needs the packages that the task's modules import, but not this one. It keeps the modules and the
    last tasks for later calls. The classes of the task's parts must belong to this package or to ones that it needs.
    """
    pickled = pickle.dumps(task, protocol=5)
    named = {value for _, value, _ in pickletools.genops(pickled) if isinstance(value, str)}
    names = frozenset(name for name in named if name.startswith(f"{_PACKAGE}.") and find_spec(name))
    return _carrier(_PACKAGE, _packed(names), pickled, hashlib.sha256(pickled).hexdigest())


@cache
def _packed(names: frozenset[str]) -> bytes:
    """The texts as they travel. To compress them takes longer than to make a task."""
    return zlib.compress(repr(_texts(names)).encode())


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
        is_package, text, imported = _module(name)
        found[name] = (is_package, text)
        waiting += [name.rpartition(".")[0], *imported]
    return found


@cache
def _module(name: str) -> tuple[bool, str, tuple[str, ...]]:
    """Whether a module is a package, its text, and the modules of this package that it imports."""
    spec = find_spec(name)
    source = getattr(spec.loader, "get_source", None) if spec else None
    text = source(name) if source else None
    if spec is None or text is None:
        raise UnsupportedError(f"the text of the module {name} cannot be read: install sqlrp with its .py files")
    return spec.submodule_search_locations is not None, text, tuple(_imported(ast.parse(text)))


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


def _carrier(package: str, texts: bytes, pickled: bytes, token: str) -> Evaluate:
    """The function that travels. It refers to nothing outside itself, so that cloudpickle takes it as a whole."""

    def carried(items: Iterable[Any]) -> Iterator[Any]:
        import ast
        import hashlib
        import io
        import pickle
        import sys
        import zlib
        from importlib import import_module
        from importlib.abc import Loader, MetaPathFinder
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec, spec_from_loader

        root = f"_{package}_{hashlib.sha256(texts).hexdigest()[:16]}"

        def inside(name: Any) -> bool:
            parts = name.split(".") if isinstance(name, str) else []
            return bool(parts) and parts[0] == package and all(part.isidentifier() for part in parts)

        def renamed(name: str) -> str:
            return root + name[len(package) :] if inside(name) else name

        class TextModules(MetaPathFinder, Loader):
            """The modules of the texts, under the new name of the package."""

            def __init__(self, texts: dict[str, tuple[bool, str]]) -> None:
                self.texts = {renamed(name): text for name, text in texts.items()}

            def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
                found = self.texts.get(name)
                return None if found is None else spec_from_loader(name, self, is_package=found[0])

            def get_source(self, name: str) -> str:
                return self.texts[name][1]

            def exec_module(self, module: Any) -> None:
                tree = ast.parse(self.get_source(module.__name__))
                for node in ast.walk(tree):
                    if isinstance(node, ast.ImportFrom) and node.module:
                        node.module = renamed(node.module)
                    elif isinstance(node, ast.Constant) and inside(node.value):
                        node.value = renamed(str(node.value))
                module.__file__ = f"{module.__name__.replace('.', '/')}.py"
                exec(compile(tree, module.__file__, "exec"), module.__dict__)

        class Unpickler(pickle.Unpickler):
            """Finds classes of the package in the modules of the texts."""

            def find_class(self, module: str, name: str) -> Any:
                return super().find_class(renamed(module), name)

        def installed(texts: dict[str, tuple[bool, str]]) -> bool:
            """Whether this process has the same modules anyway, and the library that belongs to them."""
            find: Any = find_spec
            try:
                return all(find(name).loader.get_source(name) == text for name, (_, text) in texts.items() if text)
            except (AttributeError, ImportError, OSError):
                return False

        if root not in sys.modules:
            sys.meta_path.append(TextModules(ast.literal_eval(zlib.decompress(texts).decode())))
        tasks = vars(import_module(root)).setdefault("tasks", {})
        if token not in tasks:
            while len(tasks) >= 4:
                del tasks[next(iter(tasks))]
            own = installed(ast.literal_eval(zlib.decompress(texts).decode()))
            tasks[token] = (pickle.Unpickler if own else Unpickler)(io.BytesIO(pickled)).load()
        yield from tasks[token](items)

    return carried

"""Options of commands, in sections of the help. A field of a dataclass says all of an option."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import Field, field, fields
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from sqlrp._cli.pipes import STDOUT
from sqlrp._cli.remedies import CALLED, as_options
from sqlrp._core.errors import SqlrpError, nearest
from sqlrp._core.whole_files import check_apart

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


_NAMES = 22  # characters for an option's names in the help; a longer one has a line of its own


class _Option(click.Option):
    """An option with the section of the help where it stands."""

    def __init__(self, *args: Any, section: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose help shows its options in sections, and its examples unwrapped."""

    def __init__(self, *args: Any, examples: str = "", **attributes: Any) -> None:
        """`examples` are shell commands, one per line."""
        super().__init__(*args, **attributes)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section in the order of its first option, and the options without a section last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if line is not None:
                (sections.setdefault(parameter.section, []) if isinstance(parameter, _Option) else others).append(line)
        for title, lines in (*sections.items(), ("Other options" if sections else "Options", others)):
            with formatter.section(title):
                formatter.write_dl(lines, col_max=_NAMES)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Its errors name options, not arguments in Python."""
        ctx.meta[CALLED] = self
        try:
            return super().invoke(ctx)
        except SqlrpError as error:
            error.args = (as_options(str(error), self), *error.args[1:])
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, unwrapped."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(f"  {line}\n")


def option(*names: str, section: str = "Options", **attributes: Any) -> Decorator:
    """An option in a section of the help."""
    return click.option(*names, cls=_Option, section=section, **attributes)


class NameChoice(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A choice of names. `told` maps another name to one of them, or returns the remedy for it."""

    def __init__(self, names: Iterable[str], told: Callable[[str], tuple[str, str]]) -> None:
        """`told` returns the name that is meant, or else a remedy; both may be empty."""
        super().__init__(list(names))
        self.told = told

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name; fails with the remedy for a name that belongs elsewhere."""
        if value not in self.choices:
            known, remedy = self.told(str(value))
            if remedy:
                self.fail(remedy, param, ctx)
            value = known or value
            if not known and nearest(str(value), self.choices):
                self.fail(f"{value!r} is unknown{nearest(str(value), self.choices)}", param, ctx)
        return super().convert(value, param, ctx)


def taking(*decorators: Decorator) -> Decorator:
    """Several decorators as one; the first comes first in the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def option_field(help_text: str, *names: str, default: Any = None, **attributes: Any) -> Any:
    """A field of a dataclass that `gathered` makes an option of. It has the field's name and type.

    `names`: other names. `default`: the option's; without one that of the function which `gathered` is told of.
    `help_text` ends in the default, which is added unless it ends in brackets. `attributes`: of `click.Option`.
    """
    return field(default=default, metadata={"help": help_text, "names": names, "attributes": attributes})


def gathered(name: str, kind: type, section: str = "Options", calls: Callable[..., Any] | None = None) -> Decorator:
    """Options that a command takes as one value, `name`, of the dataclass `kind`: its fields of `option_field`.

    `calls`: the function that is called with them; a field without a default has that of its parameter.
    """
    hints, known = get_type_hints(kind), signature(calls).parameters if calls else {}
    fielded = [each for each in fields(kind) if each.metadata]
    options = [_option_of(each, hints[each.name], known.get(each.name), section) for each in fielded]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**given: Any) -> Any:
            own = {each.name: given.pop(each.name) for each in fielded}
            return function(**given, **{name: kind(**own)})

        return taking(*options)(call)

    return decorate


def _option_of(each: Field[Any], hint: Any, parameter: Parameter | None, section: str) -> Decorator:
    """The option of a field. `parameter`: of the function that is called with it."""
    attributes, default = dict(each.metadata["attributes"]), each.default
    if default is None and parameter is not None and parameter.default is not Parameter.empty:
        default = parameter.default
    shown = _text(default)
    says_default = each.metadata["help"].endswith("]") or shown is None or shown is False
    text = each.metadata["help"] + ("" if says_default else f"  [{shown}]")
    spelt = each.metadata["names"] or (flag(each.name),)
    kinds = [hint] if get_origin(hint) is Literal else [k for k in get_args(hint) or [hint] if k is not type(None)]
    if "type" in attributes or "callback" in attributes:
        default = shown
    elif get_origin(kinds[0]) is Literal:
        attributes["type"] = click.Choice(get_args(kinds[0]))
    elif kinds == [bool]:
        attributes["is_flag"] = True
    elif kinds in ([int], [float]):
        attributes["type"] = kinds[0]
    elif kinds == [Path]:
        attributes["type"] = OutputPath(path_type=Path)
    if default is not None and default is not False:
        attributes["default"] = default
    return option(*spelt, each.name, section=section, help=text, **attributes)


def _text(default: Any) -> Any:
    """A default as a user writes it."""
    if isinstance(default, tuple):
        return ",".join(map(_text, default))
    return f"{default:g}" if isinstance(default, (int, float)) and not isinstance(default, bool) else default


def flag(name: str) -> str:
    """A parameter as an option: -k, --degree."""
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"


class OutputPath(click.Path):
    """The path of a file that the command writes. It must be no file that the command reads."""


_WRITTEN = "sqlrp.written"


def will_write(paths: Iterable[Path]) -> None:
    """Tell `check_written` of files that the current command writes besides those that its options name."""
    click.get_current_context().meta[_WRITTEN] = list(paths)


def check_written(read: Callable[[], Iterable[str | Path]]) -> None:
    """Raise ParameterError if a file that the current command writes is one that it reads, or writes twice.

    Those of the command's options are known here; `read` lists the others, and is called only if a file is there.
    """
    context = click.get_current_context()
    values = [(p.type, context.params.get(p.name or "")) for p in context.command.params]
    paths = [
        (kind, Path(v))
        for kind, v in values
        if isinstance(kind, click.Path) and isinstance(v, (str, Path)) and str(v) not in STDOUT
    ]
    written = [path for kind, path in paths if isinstance(kind, OutputPath)] + context.meta.get(_WRITTEN, [])
    options = [path for kind, path in paths if not isinstance(kind, OutputPath)]
    for at, path in enumerate(written):
        check_apart(path, [*options, *read()] if path.exists() else [], written[:at])

"""The commands that tell about the command line itself: methods, completion."""

from __future__ import annotations

import inspect
import json

import click
from click.shell_completion import get_completion_class

from sqlrp._cli.option_fields import Command, flag
from sqlrp._cli.screen import print_table
from sqlrp._cli.shared_options import JSON, METHODS, parameters, shown


@click.command(
    cls=Command,
    examples="""
sqlrp methods
sqlrp methods pk
""",
)
@click.argument("method", required=False, type=click.Choice(list(METHODS)), metavar="[METHOD]")
@JSON
def methods(method: str | None, as_json: bool) -> None:
    """List the methods, or describe one method and its parameters with their defaults."""
    chosen = {method: METHODS[method]} if method else METHODS
    if as_json:
        found = [
            {
                "method": name,
                "class": cls.__name__,
                "use": cls.use,
                "parameters": parameters(cls),
                "about": inspect.getdoc(cls),
            }
            for name, cls in chosen.items()
        ]
        click.echo(json.dumps(found))
    elif method:
        cls = METHODS[method]
        click.echo(f"{method}: {cls.__name__}, for {cls.use}\n\n{inspect.getdoc(cls)}\n")
        width = max(len(flag(name)) for name in parameters(cls))
        for name, default in parameters(cls).items():
            click.echo(f"  {flag(name):<{width}}  {cls.help_by_parameter().get(name, '')}  [{shown(default)}]")
    else:
        rows = [
            {
                "method": name,
                "class": cls.__name__,
                "use it for": cls.use,
                "parameters": " ".join(f"{flag(p)} {shown(d)}" for p, d in parameters(cls).items()),
            }
            for name, cls in METHODS.items()
        ]
        print_table("Methods", rows)


@click.command(
    cls=Command,
    examples="""
echo 'eval "$(sqlrp completion bash)"' >> ~/.bashrc
echo 'eval "$(sqlrp completion zsh)"' >> ~/.zshrc
sqlrp completion fish > ~/.config/fish/completions/sqlrp.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script with which a shell completes commands, options, methods and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(click.get_current_context().find_root().command, {}, "sqlrp", "_SQLRP_COMPLETE").source())

"""The command that installs a missing optional package. It depends on how sqlrp itself was installed."""

from __future__ import annotations

import json
import re
import shlex
from importlib.metadata import Distribution, distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlrp._core.passwords import without_passwords


def needs(what: str, package: str, extra: str) -> str:
    """The message for a missing package: what needs it, and the command that installs the extra."""
    return f"{what} needs {package}: {command(package, extra)}"


def command(package: str, extra: str) -> str:
    """The pip command for an extra: from the folder or URL that sqlrp came from, else the names of its packages.

    The command names only `package` if sqlrp has no such extra, or runs without being installed.
    """
    installed = _installed()
    if installed is None:
        return f"pip install {shlex.quote(package)}"
    packages = _packages(installed, extra)
    again = _again(installed, extra) if packages else None
    return again or f"pip install {' '.join(map(shlex.quote, packages or [package]))}"


def _installed() -> Distribution | None:
    """The installed distribution. A clone in the current folder may have build metadata too, but without an origin."""
    found = list(distributions(name="sqlrp"))
    recorded = [one for one in found if one.read_text("direct_url.json") is not None]
    return next(iter(recorded + found), None)


def _again(installed: Distribution, extra: str) -> str | None:
    """The command that reinstalls sqlrp from its origin with the extra; None for an index or if the origin is gone."""
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    url = origin.get("url", "")
    if url.startswith("file:"):
        path = Path(unquote(urlsplit(url).path))
        if not path.exists():
            return None
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f"pip install {editable}{shlex.quote(f'{path}[{extra}]')}"
    if not url:
        return None
    vcs = origin.get("vcs_info", {})
    source = f"{vcs['vcs']}+{url}" if vcs else url
    revision = f"@{vcs['requested_revision']}" if vcs.get("requested_revision") else ""
    return f"pip install {shlex.quote(without_passwords(f'sqlrp[{extra}] @ {source}{revision}'))}"


def _packages(installed: Distribution, extra: str) -> list[str]:
    """The packages of an extra, without their versions."""
    wanted = re.compile(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]")
    lines = [line.partition(";") for line in installed.requires or ()]
    return [re.split(r"[\s<>=!~]", name.strip())[0] for name, _, marker in lines if wanted.search(marker)]

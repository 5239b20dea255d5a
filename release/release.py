"""Walk the checklist of a release: `make release`, or `python release/release.py --dry-run` to see what is missing.

Each step checks or makes one thing, and the first that fails stops the walk. Run it again to continue: a step that is
done is passed over. Nothing is pushed or uploaded. A dry run makes no change and runs no test.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from building import ROOT, build, hashes

CLONED = "pip install .   # in a clone of this repository, with Python 3.11 or newer"
UPLOADED = "pip install sqlrp   # with Python 3.11 or newer"
"""How the first pages say to install it: before the first upload, and from it on."""
PAGES = ("README.md", "docs/site/index.md")
"""The first pages."""
URLS = ("Documentation", "Repository", "Changelog")
"""The addresses that the metadata must name, as pyproject.toml spells them."""


class NotReadyError(Exception):
    """A step failed; the message says what to do."""


@dataclass(frozen=True)
class Release:
    """A release of the files in a folder."""

    root: Path
    dry: bool
    address: str = ""
    """where the repository stands, which a first release writes down"""

    @property
    def version(self) -> str:
        """The version in sqlrp/_core/version.py."""
        text = (self.root / "sqlrp" / "_core" / "version.py").read_text(encoding="utf-8")
        found = re.search(r'^VERSION = "(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)"$', text, re.MULTILINE)
        if found is None:
            raise NotReadyError("sqlrp/_core/version.py states no version such as 0.2.0")
        return found[1]

    # -- the steps ----------------------------------------------------------------------------------------------------

    def tree(self) -> str:
        """Everything is committed."""
        if changed := self.git("status", "--porcelain"):
            raise NotReadyError(f"commit or remove these first: {', '.join(line[3:] for line in changed.splitlines())}")
        return f"clean, at {self.git('rev-parse', '--short', 'HEAD')}"

    def one_version(self) -> str:
        """CITATION.cff and the SQL that ships state the version of sqlrp/_core/version.py, which is not tagged yet."""
        wanted = f"version: {self.version}"
        if wanted not in (self.root / "CITATION.cff").read_text(encoding="utf-8").splitlines():
            raise NotReadyError(f"write `{wanted}` into CITATION.cff")
        if not self.succeeds(sys.executable, "sql/build.py", "--check"):
            raise NotReadyError("run make sql, and commit the files")
        tagged = self.git("tag", "--list", f"v{self.version}", "--format=%(objectname)")
        if tagged and self.git("rev-list", "-n", "1", f"v{self.version}") != self.git("rev-parse", "HEAD"):
            raise NotReadyError(f"v{self.version} is tagged at another commit: raise the version")
        return self.version

    def metadata(self) -> str:
        """The package names where it lives. A first release is told, and commits it."""
        path = self.root / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        urls = tomllib.loads(text)["project"].get("urls", {})
        missing = [name for name in URLS if name not in urls]
        if not missing:
            return ", ".join(urls.values())
        if not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+)+", self.address):
            raise NotReadyError(
                f"[project.urls] in pyproject.toml lacks {', '.join(missing)}: add them, or say where the repository "
                "stands, as in make release ADDRESS=https://host/owner/sqlrp"
            )
        found = {"Documentation": "#readme", "Repository": "", "Changelog": "/blob/main/CHANGELOG.md"}
        added = {name: f"{self.address}{found[name]}" for name in missing}
        if self.dry:
            return f"would write and commit {', '.join(added.values())}"
        lines = "".join(f'{name} = "{address}"\n' for name, address in added.items())
        head = "[project.urls]\n"
        path.write_text(
            text.replace(head, head + lines, 1) if head in text else f"{text}\n{head}{lines}", encoding="utf-8"
        )
        self.git("commit", "--quiet", "--message", "Name where the package lives", "--", "pyproject.toml")
        return ", ".join(added.values())

    def changes(self) -> str:
        """CHANGELOG.md has a section for the version, or an Unreleased one with entries that becomes it."""
        entries = re.findall(r"^- ", self._section(self.version) or self._section("Unreleased"), re.MULTILINE)
        if not entries:
            raise NotReadyError("CHANGELOG.md has nothing under [Unreleased]: say what changed")
        return f"{len(entries)} entries"

    def tests(self) -> str:
        """All that continuous integration runs."""
        return self.run(".ci/run")

    def faults(self) -> str:
        """Every fault at every call that writes."""
        return self.run("make", "faults")

    def matrix(self) -> str:
        """The wheel on every Python at hand, with the lowest and the newest dependencies."""
        return self.run(sys.executable, "release/matrix.py")

    def site(self) -> str:
        """The site builds."""
        return self.run("make", "site")

    def cut(self) -> str:
        """Give the Unreleased section the version and the date, open a new one, name the upload, and commit."""
        heading = f"## [{self.version}] - {datetime.now(UTC):%Y-%m-%d}"
        if self._section(self.version):
            return "done already"
        if self.dry:
            return f"would write {heading!r} and commit it"
        path = self.root / "CHANGELOG.md"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("## [Unreleased]\n", f"## [Unreleased]\n\n{heading}\n", 1), encoding="utf-8")
        for page in (self.root / name for name in PAGES):
            page.write_text(page.read_text(encoding="utf-8").replace(CLONED, UPLOADED), encoding="utf-8")
        self.git("commit", "--quiet", "--message", f"Release {self.version}", "--", "CHANGELOG.md", *PAGES)
        return heading

    def artefacts(self) -> str:
        """The wheel and the source archive, built twice with the same bytes, and their hashes."""
        if self.dry:
            return "would build dist/ twice, compare, and write dist/SHA256SUMS"
        with tempfile.TemporaryDirectory() as folder:
            first, second = build(self.root / "dist"), build(Path(folder))
            if hashes(first) != hashes(second):
                raise NotReadyError("two builds of one commit differ: compare the files in dist/ with another build")
        (self.root / "dist" / "SHA256SUMS").write_text(hashes(first), encoding="utf-8")
        return "dist/\n" + hashes(first).rstrip()

    def tag(self) -> str:
        """An annotated tag of the commit."""
        name = f"v{self.version}"
        if self.git("tag", "--list", name):
            return f"{name}, done already"
        if self.dry:
            return f"would tag {name}"
        self.git("tag", "--annotate", name, "--message", f"sqlrp {self.version}")
        return name

    # -- how they run -------------------------------------------------------------------------------------------------

    def _section(self, name: str) -> str:
        """The text of a section of the changelog; empty if there is none."""
        text = (self.root / "CHANGELOG.md").read_text(encoding="utf-8")
        found = re.search(rf"^## \[{re.escape(name)}\][^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        return found[1] if found else ""

    def git(self, *arguments: str) -> str:
        """The output of git."""
        ran = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise NotReadyError(f"git {arguments[0]}: {ran.stderr.strip() or ran.stdout.strip()}")
        return ran.stdout.rstrip()  # a line of `git status` may begin with a space

    def succeeds(self, *command: str) -> bool:
        """Whether a quick command succeeds; it also runs in a dry run."""
        return subprocess.run(command, cwd=self.root, capture_output=True, check=False).returncode == 0

    def run(self, *command: str) -> str:
        """Run a long command, with its output; a dry run only names it."""
        shown = " ".join(word.replace(sys.executable, "python") for word in command)
        if self.dry:
            return f"would run {shown}"
        if subprocess.run(command, cwd=self.root, check=False).returncode:
            raise NotReadyError(f"{shown} failed")
        return shown


STEPS: tuple[Callable[[Release], str], ...] = (
    Release.tree,
    Release.one_version,
    Release.metadata,
    Release.changes,
    Release.tests,
    Release.faults,
    Release.matrix,
    Release.site,
    Release.cut,
    Release.artefacts,
    Release.tag,
)
"""The checklist, in order."""


def main(given: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Walk the steps; returns 1 if one is not ready. A dry run walks all of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="change nothing: check what is quick, and name the rest")
    parser.add_argument("--address", default="", help="where the repository stands: https://host/owner/sqlrp")
    options = parser.parse_args(given)
    release = Release(root, options.dry_run, options.address)
    failed = 0
    for number, step in enumerate(STEPS, 1):
        name = step.__name__.replace("_", " ")
        try:
            print(f"{number:>2}. {name}: {step(release)}", flush=True)
        except NotReadyError as error:
            failed += 1
            print(f"{number:>2}. {name}: NOT READY: {error}", flush=True)
            if not release.dry:
                return 1
    if not failed:
        print("Then: git push --follow-tags, and upload the files in dist/. See CONTRIBUTING.md.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""A server of MySQL for the tests, where SQLRP_MYSQL names none: it is started from a folder with Debian's package.

Debian has MySQL in its newest suite only. `python tests/support/mysqls.py` unpacks it from there, once, as root. All
processes of a run share a server: the first one starts it, and it ends with the last one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

ROOT = Path(os.environ.get("SQLRP_MYSQL_ROOT", "/opt/sqlrp-mysql"))
"""The folder of a Debian system with the package mysql-server-core, or / where that is installed."""
SETTINGS = (
    "--no-defaults",
    "--user=root",
    "--bind-address=127.0.0.1",
    "--skip-log-bin",
    "--mysqlx=OFF",
    "--secure-file-priv=",
    "--performance-schema=OFF",
    "--innodb-buffer-pool-size=64M",
    "--innodb-redo-log-capacity=8M",
    "--innodb-data-file-path=ibdata1:5M:autoextend",
    "--innodb-doublewrite=OFF",  # no crash is tested
    "--log-error-verbosity=1",
)


def install() -> None:
    """Unpack Debian's package, and what it needs, into the folder."""
    if not (ROOT / "usr/sbin/mysqld").exists():
        subprocess.run(["debootstrap", "--variant=minbase", "sid", str(ROOT)], check=True)
        asked = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "mysql-server-core"]
        subprocess.run(
            ["chroot", str(ROOT), *asked], check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        )


def _program() -> list[str]:
    """The command of the server: with the libraries of its own system, not with those of this one."""
    libraries = ROOT / "usr/lib/x86_64-linux-gnu"
    server = ROOT / "usr/sbin/mysqld"
    if not server.exists():
        raise FileNotFoundError("no MySQL: set SQLRP_MYSQL to a URL, or run `python tests/support/mysqls.py` as root")
    loader = next((ROOT / "usr/lib64").glob("ld-linux-*"), None)
    return [
        *([str(loader), "--library-path", str(libraries)] if loader and Path("/") != ROOT else []),
        str(server),
        *SETTINGS,
        f"--basedir={ROOT / 'usr'}",
        f"--lc-messages-dir={ROOT / 'usr/share/mysql'}",
        f"--character-sets-dir={ROOT / 'usr/share/mysql/charsets'}",
        f"--plugin-dir={ROOT / 'usr/lib/mysql/plugin'}",
    ]


def folder() -> Path:
    """Where the server of this run has its files."""
    return Path(tempfile.gettempdir()) / f"sqlrp-mysql-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"


def start() -> sa.URL:
    """The URL of the run's server, which is started unless another process has done so. Raises OSError without one."""
    program = _program()
    with _alone():
        users, port = folder() / "users", folder() / "port"
        if not port.exists():
            port.write_text(str(_started(program, folder())))
            with_md5(_url(port.read_text()))
        with users.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return _url(port.read_text())


def with_md5(url: sa.URL) -> sa.URL:
    """The URL of a server, after its md5 was installed if it lacks one."""
    made = sa.create_engine(url)
    with made.connect() as connection:
        try:
            connection.exec_driver_sql("SELECT md5('')")
        except sa.exc.DBAPIError:
            connection.exec_driver_sql("INSTALL COMPONENT 'file://component_classic_hashing'")
    made.dispose()
    return url


def stop() -> None:
    """Leave the server; the last process ends it and removes its files."""
    with _alone():
        users = folder() / "users"
        left = [line for line in users.read_text().split() if int(line) != os.getpid() and _runs(int(line))]
        users.write_text("".join(f"{line}\n" for line in left))
        if left:
            return
        server = int((folder() / "pid").read_text())
        os.kill(server, signal.SIGTERM)
        while _runs(server):
            time.sleep(0.05)
    shutil.rmtree(folder(), ignore_errors=True)


def _url(port: object) -> sa.URL:
    return sa.make_url(f"mysql+pymysql://root@127.0.0.1:{port}/?ssl_disabled=true")


@contextmanager
def _alone() -> Iterator[None]:
    folder().mkdir(exist_ok=True)
    with (folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def _started(program: list[str], home: Path) -> int:
    """Start the server; its port."""
    program = [*program, f"--datadir={home / 'data'}"]
    with (home / "log").open("w") as log:
        if subprocess.run([*program, "--initialize-insecure"], stdout=log, stderr=log, check=False).returncode:
            raise OSError(f"MySQL makes no database: {(home / 'log').read_text()[-500:]}")
        end = [f"--socket={home / 'socket'}", f"--pid-file={home / 'pid'}"]
        for _ in range(3):
            port = _free_port()
            server = subprocess.Popen(
                [*program, f"--port={port}", *end], stdout=log, stderr=log, start_new_session=True
            )
            deadline = time.monotonic() + 20
            while server.poll() is None and time.monotonic() < deadline:
                if _answers(port):
                    return port
                time.sleep(0.1)
    raise OSError(f"MySQL does not start: {(home / 'log').read_text()[-500:]}")


def _free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    made = sa.create_engine(_url(port))
    try:
        made.connect().close()
    except sa.exc.SQLAlchemyError:
        return False
    finally:
        made.dispose()
    return True


if __name__ == "__main__":
    install()

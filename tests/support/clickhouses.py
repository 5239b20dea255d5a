"""ClickHouse as a server: the embedded one, behind HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


class Embedded:
    """ClickHouse in this process, for the drivers of a server."""

    def __init__(self) -> None:
        from chdb.session import Session

        self.session, self.lock = Session(), threading.Lock()
        self.asked: list[dict[str, str]] = []
        """the settings of each request"""

    def query(self, sql: str, form: str, settings: dict[str, Any]) -> bytes:
        """Run a statement with settings of its own, as a server does."""
        known = {k: v for k, v in settings.items() if k.startswith("max_")}
        before = {k: self.session.query(f"SELECT getSetting('{k}')", "TSV").data().strip() for k in known}
        with self.lock:
            try:
                self._set(known)
                return bytes(self.session.query(sql, form).bytes())
            finally:
                self._set(before)

    def _set(self, values: dict[str, Any]) -> None:
        if values:
            self.session.query(f"SET {', '.join(f'{k} = {v}' for k, v in values.items())}")

    def from_url(self, _: str) -> Embedded:
        """As the class of clickhouse-driver's clients."""
        return self

    def disconnect(self) -> None:
        """Nothing is open."""

    def execute(
        self, sql: str, with_column_types: bool = False, columnar: bool = False, settings: Any = None, **_: Any
    ) -> Any:
        """As a client of clickhouse-driver does it."""
        if not with_column_types:
            self.query(sql, "Null", settings or {})
            return []
        found = json.loads(self.query(sql, "JSONCompact", settings or {}))
        described = [(column["name"], column["type"]) for column in found["meta"]]
        return [list(values) for values in zip(*found["data"], strict=True)] if columnar else found["data"], described


@contextmanager
def clickhouse_server(embedded: Embedded) -> Iterator[int]:
    """The port of a server with ClickHouse's HTTP interface."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            settings = dict(parse_qsl(urlsplit(self.path).query))
            embedded.asked.append(settings)
            sql = self.rfile.read(int(self.headers["Content-Length"])).decode()
            try:
                code, answer = 200, embedded.query(sql, settings["default_format"], settings)
            except RuntimeError as error:
                code, answer = 500, str(error).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_port
        running.shutdown()

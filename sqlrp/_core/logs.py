"""The logger `sqlrp`: statements at the level DEBUG, choices at INFO, and no password at any."""

from __future__ import annotations

import logging

from sqlrp._core.passwords import anonymous

LOG = logging.getLogger("sqlrp")


def _cleaned(record: logging.LogRecord) -> bool:
    """Take the passwords out of a record, which is then logged."""
    record.msg, record.args = anonymous(record.getMessage()), ()
    return True


LOG.addFilter(_cleaned)

_LONGEST = 2_000  # characters of a statement; some have millions


def log_statement(engine: str, sql: str) -> None:
    """Log a statement before it runs, cut after 2,000 characters."""
    if LOG.isEnabledFor(logging.DEBUG):
        more = f"… {len(sql) - _LONGEST:,} characters more" if len(sql) > _LONGEST else ""
        LOG.debug("%s: %s%s", engine, anonymous(sql[: 2 * _LONGEST])[:_LONGEST], more)

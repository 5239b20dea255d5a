"""Remove passwords from messages: three stars replace everything that looks like a password."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus, unquote, unquote_plus

HIDDEN = "***"

# The patterns are texts, which `re` compiles where they are first used: no call needs them before something fails.
_KEY = (
    r"(?:[\w-]*[_-])?(?:ssl)?(?:password|passwd|passphrase|pass|pwd|secret|token|signature|sig"
    r"|(?:secret|account|access|api|shared|private)[_-]?(?:access[_-]?)?key)"
)
_SCHEME = (
    r"(?:(?:postgres(?:ql)?|mysql|mariadb|mssql|oracle|redshift|snowflake|trino|clickhouse)(?:\+\w+)?[:/\\][\s:/\\]*"
    r"|[A-Za-z][\w+.-]*(?::?[/\\]{2,}|:[/\\])[\s:/\\]*)"
)
"""postgresql://, and the same with a sign missing or doubled: postgresql:/, postgresql//, postgresql/."""

_FILE = r"(?:(?:duckdb|sqlite)(?:\+\w+)?|file):///"
"""The URL of a file, or of a database in memory, has no user: what follows is a path, such as :memory: or C:/x."""

_PORT = r"\d+(?:[/?#,;.\s'\")\]]|$)"
_LONGEST = 2_000  # characters of a user or a password, so that a long text takes no time

_URL = (
    rf"(?i)(?<![\w+.-])(?!{_FILE})({_SCHEME}[^:@\s\[]{{0,{_LONGEST}}}?:)(?!{_PORT}|\*\*\*@)"
    rf"[^@]{{0,{_LONGEST}}}@(?:[^@'\"]{{0,{_LONGEST}}}@)*"
)
"""scheme://user:password@, where the password may hold spaces, slashes and further @."""
_CUT = rf"(?i)(?<![\w+.-])(?!{_FILE})({_SCHEME}[^:@/\s\[]*:)(?![/\\]|{_PORT}|\*\*\*@)[^\s'\"]+"
"""scheme://user:password without an @; a number is a port."""
_BARE = rf"(?<![^\s'\"(\[,/=\\])([^\s:@/'\"]{{1,{_LONGEST}}}:)(?![/:]|\*\*\*@)[^\s@]{{1,{_LONGEST}}}@"
"""user:password@ without a scheme."""
_SETTING = (
    rf"(?i)((?<![A-Za-z0-9]){_KEY}\\*['\"]?\s*[=:]\s*)"
    r"(?:'(?:[^'\\]|\\.|'')*(?:'|$)|\"(?:[^\"\\]|\\.|\"\")*(?:\"|$)|[^\s&;,'\")\]}]+)"
)
"""password=… of a DSN or of a URL's query, and 'password': '…'."""

_FILE_QUERY = r"(?i)(?<![\w+.-])((?:https?|s3a?|gs|gcs|r2|abfss?|azure|az|wasbs?)://[^\s'\"?]*\?)(?!\*\*\*)[^\s'\"]+"
"""The query of the URL of a file, which may sign it or hold keys under any name: it is cut whole."""


def anonymous(text: str) -> str:
    """A text without passwords, and without the users of addresses such as s3://user:key@host."""
    return re.sub(_USER, f"{HIDDEN}@", without_passwords(text))


_USER = r"(?<=://)[^/\s@'\"]*@"


def without_passwords(text: str) -> str:
    """The text with *** instead of the passwords in URLs and DSNs, even in malformed ones."""
    text = re.sub(_FILE_QUERY, rf"\1{HIDDEN}", text)
    addresses = "@" in text  # without one, two of the patterns need not look at a long text
    if addresses:
        text = re.sub(_URL, rf"\1{HIDDEN}@", text)
    text = re.sub(_CUT, rf"\1{HIDDEN}", text)
    if addresses:
        text = re.sub(_BARE, rf"\1{HIDDEN}@", text)
    return re.sub(_SETTING, rf"\1{HIDDEN}", text)


def holds_password(text: str) -> bool:
    """Whether a text is a URL or DSN with a password, and not a name with a colon and an @."""
    return any(re.search(pattern, text) for pattern in (_URL, _CUT, _SETTING, _FILE_QUERY))


def scrubbed(text: str, arguments: Iterable[str]) -> str:
    """The text without the passwords in it and without those in the arguments, in any form that a driver writes."""
    secrets = {form for argument in arguments for secret in _secrets(argument) for form in _forms(secret)}
    for secret in sorted(secrets, key=len, reverse=True):  # first, as the patterns may cut one in two
        # A password may be a part of a word of the message's own, such as postgres.
        text = re.sub(rf"{_BEFORE}{re.escape(secret)}(?!\w)", HIDDEN, text)
    return without_passwords(text)


_BEFORE = (
    r"(?:(?<!\w)|(?<=\\[abfnrtv])|(?<=\\x[0-9a-f]{2})|(?<=\\u[0-9a-f]{4})|(?<=\\U[0-9a-f]{8})|(?<=%[0-9A-Fa-f]{2}))"
)
"""A word begins here, or an escape ends."""


def _secrets(argument: str) -> set[str]:
    """Everything in an argument that may be a password, and its parts, as a malformed URL can be split in many ways."""
    found = {value.strip("'\"") for value in re.findall(_VALUE, argument)}
    scheme = re.match(rf"(?:--?[\w-]+=)?\s*(?:[a-z]+:)?{_SCHEME}", argument, re.IGNORECASE)
    rest = argument[scheme.end() :] if scheme else argument
    before_at = {rest.partition("@")[0], rest.rpartition("@")[0]} if "@" in rest else {rest} if scheme else set()
    for part in before_at:
        found.add(part.partition(":")[2])
        if scheme and scheme[0].count(":") > 1:  # no user
            found.add(part)
    if scheme:  # a password in the place of a port
        found |= set(re.findall(r"@[^/?#]*:(\D[^/?#@]*)", re.sub(_ADDRESS, "@", rest)))
    pieces = {
        piece for secret in found for cut in (r"[:@/\\?&=#]+", r"[:@/\\?&=#\s]+") for piece in re.split(cut, secret)
    }
    return {piece for piece in found | pieces if piece and not (scheme and "@" not in rest and piece.isdigit())}


_VALUE = r"(?i)[^=&?;\s]*(?:pass|pwd|secret|token)[^=&?;\s]*\s*=\s*('[^']*'|\"[^\"]*\"|[^&;\s]+)"
"""password=… as in a DSN or in a URL's query, with more keys than in a message."""


_ADDRESS = r"@\[[0-9A-Fa-f:.]+\]"
"""The host of a URL by its IPv6 address, whose colons separate no port."""


def _forms(secret: str) -> set[str]:
    """The forms of a secret in messages: decoded, escaped, quoted, with its white space folded."""
    plain = {secret, unquote(secret), unquote_plus(secret), " ".join(secret.split())} - {""}
    escaped = {re.sub(r"(['\"\\])", r"\\\1", text) for text in plain}
    return plain | escaped | {form(text) for text in plain for form in (quote, quote_plus, lambda t: repr(t)[1:-1])}

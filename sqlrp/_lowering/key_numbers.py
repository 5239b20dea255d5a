"""The number of a row's key, and the hash of that number, as SQL: `sqlrp._evaluator.row_keys` computes the same."""

from __future__ import annotations

import numpy as np

from sqlrp._core.draw import P, Purpose, component_coefficients
from sqlrp._core.numbers import BOOLEAN, DOUBLE, WHOLE
from sqlrp._dialects.dialect import Column, Dialect
from sqlrp._evaluator.row_keys import FINE, LARGE


def has_number(dialect: Dialect, key: Column) -> bool:
    """Whether SQL computes the number of the key: of numbers always, of others by md5 or by `key_function`."""
    return _is_whole(key) or _is_fraction(key) or dialect.has_md5 or bool(dialect.key_function)


def key_number(dialect: Dialect, key: Column) -> str:
    """A whole number n mod P in place of the key: the remainder of a number, or the number of its text by md5.

    A number with a fraction is counted in steps of 1/`FINE`, as engines write it as text in their own ways. Ask
    `has_number` first.
    """
    name, number = dialect.quote(key.name), key.type.number
    if _is_whole(key) and number is not None:
        if number == BOOLEAN:
            return dialect.widen(name, BOOLEAN, WHOLE)
        # What has more bits than a signed number is cast once it is small.
        small = number.bits <= WHOLE.bits
        own = dialect.remainder(dialect.cast(name, WHOLE) if small else name, P)
        return dialect.remainder(f"({own if small else dialect.cast(own, WHOLE)} + {P})", P)
    if _is_fraction(key):
        x = dialect.cast(name, DOUBLE)
        steps = dialect.cast(dialect.floor(f"CASE WHEN {x} = {dialect.floor(x)} THEN {x} ELSE {x} * {FINE} END"), WHOLE)
        positive = dialect.remainder(f"({dialect.remainder(steps, P)} + {P})", P)
        return f"CASE WHEN {dialect.absolute(x)} < {LARGE} THEN {positive} ELSE {dialect.cast('0', WHOLE)} END"
    if not dialect.has_md5:
        return f"{dialect.key_function}({name})"
    return dialect.hash_name(name if key.type.is_text else dialect.as_text(name))


def hash_text(dialect: Dialect, seed: int, purpose: Purpose, number: str) -> str:
    """`draw.hashes` of component 0 and a number, by Horner's rule in exact 64-bit integers."""
    b = component_coefficients(seed, purpose, np.zeros(1, dtype=np.int64))[:, 0].tolist()
    text = dialect.cast(str(b[7]), WHOLE)
    for coefficient in reversed(b[:7]):
        text = dialect.remainder(f"({text} * {number} + {coefficient})", P)
    return text


def _is_whole(key: Column) -> bool:
    number = key.type.number
    return number is not None and not key.type.is_array and number.exact and number.digits == 0


def _is_fraction(key: Column) -> bool:
    return key.type.number is not None and not key.type.is_array and not _is_whole(key)


__all__ = ["has_number", "hash_text", "key_number"]

"""Bytes as text of 85 characters, as Python's `base64.b85encode` writes it, in whole arrays instead of byte by byte."""

from __future__ import annotations

import base64

import numpy as np

_GROUPS = 1 << 18
"""The groups of 4 bytes that are written or read at once."""
_WRONG = 255
_POWERS = 85 ** np.arange(4, -1, -1, dtype=np.int64)
_CHARACTERS = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", np.uint8
)
_DIGITS = np.full(256, _WRONG, np.uint8)
_DIGITS[_CHARACTERS] = np.arange(85)


def encode(data: bytes) -> str:
    """The text of bytes."""
    whole, parts = len(data) // 4 * 4, []
    for start in range(0, whole, 4 * _GROUPS):
        words = np.frombuffer(data[start : min(start + 4 * _GROUPS, whole)], ">u4").astype(np.int64)
        parts.append(_CHARACTERS[words[:, None] // _POWERS % 85].tobytes())
    return b"".join([*parts, base64.b85encode(data[whole:])]).decode()


def decode(text: str) -> bytes:
    """The bytes of a text that `encode` wrote. Raises ValueError for any other text."""
    data = text.encode("ascii")
    whole, parts = len(data) // 5 * 5, []
    for start in range(0, whole, 5 * _GROUPS):
        digits = _DIGITS[np.frombuffer(data[start : min(start + 5 * _GROUPS, whole)], np.uint8)].reshape(-1, 5)
        words = digits @ _POWERS
        if (digits == _WRONG).any() or (words >> 32).any():
            raise ValueError("a character or a group of 5 is none that is written")
        parts.append(words.astype(">u4").tobytes())
    return b"".join([*parts, base64.b85decode(data[whole:])])


__all__ = ["decode", "encode"]

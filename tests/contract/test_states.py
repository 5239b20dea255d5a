"""The state of a fitted projection, as text: a truncated or changed state gives an error of sqlrp."""

from __future__ import annotations

import base64
import warnings
import zlib

import numpy as np
import pytest
from helpers import assert_one_line

import sqlrp
from sqlrp import ParameterError
from sqlrp._projections.held_arrays import pack, unpack

SHAPES = {"weights": ("n", 2), "signs": ("n",), "table": (2, 2, 2), "flags": (3,), "scale": ()}
ARRAYS = {
    "weights": np.asfortranarray([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]]),
    "signs": np.array([1, -1, 0], np.int8),
    "table": np.arange(8, dtype=np.int64).reshape(2, 2, 2),
    "flags": np.array([True, False, True]),
    "scale": np.array(0.5, np.float32),
}


def packed(archive: bytes) -> str:
    return base64.b64encode(zlib.compress(archive)).decode()


def test_arrays_come_back_as_they_were() -> None:
    found = unpack(pack(**ARRAYS), SHAPES)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


BYTES = (0, 255, *b"[](){}'\"#\\\n 9O")
"""Those that mean something in the header of an array. A third of them is tried at each place."""


@pytest.mark.slow
def test_a_state_with_any_byte_changed_is_refused_or_the_same() -> None:
    archive = zlib.decompress(base64.b64decode(pack(**ARRAYS)))
    assert len(archive) > 1000
    refused = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for place in range(len(archive)):
            for byte in {*BYTES[place % 3 :: 3], archive[place] ^ 1} - {archive[place]}:
                state = packed(archive[:place] + bytes([byte]) + archive[place + 1 :])
                try:
                    found = unpack(state, SHAPES)
                except ParameterError as error:
                    refused.append(str(error))
                else:
                    assert all(np.array_equal(found[name], array) for name, array in ARRAYS.items())
    assert len(refused) > 2 * len(archive)
    assert all(words.startswith("state cannot be read as arrays: ") for words in refused)


def test_a_state_cut_anywhere_is_refused() -> None:
    state = pack(**ARRAYS)
    for end in range(len(state)):
        with pytest.raises(ParameterError):
            unpack(state[:end], SHAPES)


@pytest.mark.parametrize("array", [np.array([b"ab"] * 3), np.array(["x"] * 3), np.zeros(3, np.complex128)])
def test_what_is_no_number_is_refused(array: np.ndarray) -> None:
    with pytest.raises(ParameterError) as caught:
        unpack(pack(flags=array), {"flags": (3,)})
    assert_one_line(caught, "state cannot be read as arrays", "not of numbers")


def test_a_fitted_projection_with_a_changed_state_is_refused() -> None:
    fitted = sqlrp.PrincipalComponents(k=1).fit(np.eye(3))
    text = fitted.to_json().replace(fitted.state, fitted.state[::-1])  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="state cannot be read as arrays"):
        sqlrp.from_json(text)


def test_a_state_in_base85_is_read() -> None:
    state = pack(**ARRAYS)
    before = base64.b85encode(base64.b64decode(state)).decode()
    assert before != state
    for name, array in unpack(before, SHAPES).items():
        np.testing.assert_array_equal(array, ARRAYS[name])

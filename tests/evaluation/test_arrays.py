"""Rows with arrays into PostgreSQL, to the last bit."""

import numpy as np
import pytest
from django.db import DatabaseError, connection, transaction

from evaluation import arrays

pytestmark = pytest.mark.django_db
COLUMNS = "whole bigint, real float8, nothing float8, few int[], keys bigint[], numbers float8[]"


def kept(**row: arrays.Value) -> tuple[object, ...]:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE kept ({COLUMNS}) ON COMMIT DROP")
        arrays.insert("kept", row)
        cursor.execute(f"SELECT {', '.join(row)} FROM kept")
        return tuple(cursor.fetchone())


def test_numbers_and_arrays_come_back_as_they_were() -> None:
    numbers = np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, 2 / 3, 1e16])
    keys = np.array([1, -1, 2**63 - 1])
    found = kept(
        whole=2**40,
        real=0.1 + 0.2,
        nothing=None,
        few=np.array([7, 8], dtype=np.int32),
        keys=keys,
        numbers=numbers,
    )
    assert found[:5] == (2**40, 0.1 + 0.2, None, [7, 8], keys.tolist())
    assert np.array(found[5]).tobytes() == numbers.tobytes()


def test_any_doubles_keep_all_their_bits() -> None:
    numbers = np.random.default_rng(1).integers(0, 2**63, 60_000).view(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    assert np.array(kept(numbers=numbers)[0]).tobytes() == numbers.tobytes()


def test_an_empty_array_is_one_like_any_other() -> None:
    assert kept(whole=1, numbers=np.empty(0)) == (1, [])
    with connection.cursor() as cursor:
        cursor.execute("SELECT numbers = '{}', cardinality(numbers) FROM kept")
        assert cursor.fetchone() == (True, 0)


def test_a_number_of_another_kind_is_refused() -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        kept(keys=np.array([0.5]))

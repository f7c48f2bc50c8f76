"""One process at a time is at some work: claimed, renewed, given back, and free when one dies."""

import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from tests.config.helpers import until
from tests.database import Elsewhere, at_once, kept_connections
from web.background import leases
from web.background.leases import LeaseLost, check_lease, lease, lock_lease_until_commit
from web.models import Lease

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(leases, "RENEWAL_SECONDS", 0.05)


def claims() -> bool:
    with lease("work") as acquired:
        return acquired


def run_out() -> None:
    Lease.objects.update(until=F("until") - timedelta(hours=1))


@pytest.mark.parametrize("is_left", [False, True], ids=["none", "one that ran out"])
def test_of_many_at_once_who_find_it_free_one_has_it(is_left):
    def hold():
        with lease("work") as acquired:
            time.sleep(0.3 if acquired else 0)
            return acquired

    with kept_connections():
        for _ in range(3):
            if is_left:
                Lease.objects.create(name="work", holder=uuid4(), until="2001-01-01T00:00Z")
            assert sum(at_once(*[hold] * 8)) == 1
    assert not Lease.objects.exists()


def test_it_is_given_back_whatever_happens_and_others_are_free_meanwhile():
    def die():
        with lease("work") as acquired:
            assert acquired
            assert not Elsewhere(claims).result()
            with lease("other work") as other:
                assert other
            raise SystemExit

    with pytest.raises(SystemExit):
        die()
    assert claims()


def test_it_is_renewed_while_its_holder_is_at_work(short):
    with lease("work"):
        run_out()
        until(lambda: leases.active_leases("wo") == ["rk"], 20)
        assert not Elsewhere(claims).result()
        check_lease()


def test_a_holder_that_dies_is_followed_after_a_while():
    Lease.objects.create(name="work", holder=uuid4(), until=Now() + timedelta(seconds=1))
    assert not claims()
    until(claims, 20)


def test_one_of_a_time_before_the_clock_was_set_back_is_free():
    Lease.objects.create(name="work", holder=uuid4(), until=Now() + timedelta(hours=1))
    assert claims()


def test_one_that_stood_still_learns_that_another_goes_on(short):
    with lease("work"), transaction.atomic():
        lock_lease_until_commit()
    with lease("work"):
        Lease.objects.update(holder=uuid4())  # as another, after it ran out
        with pytest.raises(LeaseLost), transaction.atomic():
            lock_lease_until_commit()

        def is_lost():
            try:
                check_lease()
            except LeaseLost:
                return True
            return False

        until(is_lost, 20)
    assert Lease.objects.exists(), "it is the other's"
    check_lease()  # outside there is nothing to check


def test_nobody_claims_what_is_being_committed():
    with lease("work"):
        run_out()
        with transaction.atomic():
            lock_lease_until_commit()
            waits = Elsewhere(claims)
            waits.join(0.3)
            assert waits.is_alive()
        assert waits.result()
        with pytest.raises(LeaseLost), transaction.atomic():
            lock_lease_until_commit()


def test_a_lost_connection_does_not_lose_the_lease(short):
    with lease("work"):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        run_out()
        until(lambda: leases.active_leases("work") == [""], 20)
        check_lease()

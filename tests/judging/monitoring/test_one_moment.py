"""A monitoring page is of one moment, whatever is stored meanwhile."""

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from judging.models import CheckFailure
from tests.factory.crowds import crowded_study


@pytest.mark.django_db(transaction=True)
def test_a_page_is_of_one_moment_whatever_happens_meanwhile(desk):
    with transaction.atomic():
        study = crowded_study(timezone.now(), topics=1, live=10, crowd=100)
    failures = CheckFailure.objects.filter(assignment__study=study)

    def delete_them():
        failures.all().delete()
        connection.close()

    def meanwhile(execute, sql, *rest):
        result = execute(sql, *rest)
        if "judging_checkfailure" in sql and not deleting.ident:
            deleting.start()
            deleting.join()
        return result

    deleting = threading.Thread(target=delete_them)
    with connection.execute_wrapper(meanwhile):
        response = desk.get(f"/studies/{study.slug}/monitor/?open=newest")
    assert not failures.exists()
    watch = response.context["watch"]
    by_topic, by_worker = (sum(t.failures for t in them) for them in (watch.topics, watch.workers))
    assert by_topic == by_worker == response.context["n_matching"] > 0

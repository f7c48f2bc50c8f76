"""A run's way: made, started, paused, resumed, and stopped or done."""

from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.models import User
from crowd.language_model.work import end
from crowd.models import ModelRun
from judging.models import Study
from judging.studies import trail
from judging.studies.conduct.opening import open_study
from judging.studies.conduct.stages import CannotRun
from web import clock

State = ModelRun.State
CHANGEABLE = ("key", "price_in", "price_out", "max_cost", "requests_per_minute", "parallel")


def _locked(study: Study) -> ModelRun:
    run = ModelRun.objects.select_for_update().filter(study=study).first()
    if run is None:
        raise CannotRun(f"Study {study} is not judged by a language model.")
    return run


@transaction.atomic
def start(study: Study, by: User | None, *, may_send: bool = False) -> ModelRun:
    """Begin, or resume. may_send: the texts of topics and documents may be sent to the endpoint.

    Raises BadStudy: that was never confirmed, the site has no such endpoint, the run is over, or
    the study cannot open.
    """
    run = _locked(study)
    if run.state == State.RUNNING:
        return run
    if run.state not in (State.DRAFT, State.PAUSED):
        raise CannotRun(f"The run in study {study} is {run.state}.")
    if run.endpoint not in settings.MODEL_ENDPOINTS:
        raise CannotRun(f"The site has no endpoint {run.endpoint}.")
    if may_send:
        run.may_send_by, run.may_send_at = by, clock.now()
    elif run.may_send_at is None:
        raise CannotRun("Confirm that the texts may be sent.", field="may_send")
    if study.stage == Study.Stage.DRAFT:
        open_study(study.slug, by)
    run.state, run.why, run.began_at = State.RUNNING, "", run.began_at or clock.now()
    run.save(update_fields=["state", "why", "began_at", "may_send_by", "may_send_at"])
    trail.record(study, by, "let the model judge", model=run.model, endpoint=run.endpoint)
    return run


@transaction.atomic
def pause(study: Study, by: User | None) -> ModelRun:
    """Requests under way are finished; what they answer is kept."""
    run = _locked(study)
    if run.state == State.RUNNING:
        run.state = State.PAUSED
        run.save(update_fields=["state"])
        trail.record(study, by, "paused the model")
    return run


@transaction.atomic
def stop(study: Study, by: User | None) -> ModelRun:
    """For good; the units that were judged count."""
    run = _locked(study)
    if run.state == State.DRAFT:
        raise CannotRun(f"The run in study {study} has not begun.")
    if run.state in (State.RUNNING, State.PAUSED):
        end(run, State.STOPPED, by)
        run.refresh_from_db()
    return run


@transaction.atomic
def change(study: Study, by: User | None, **values: Any) -> ModelRun:
    """Change what answers do not depend on: `CHANGEABLE`. A slice under way goes on as before."""
    run = _locked(study)
    for name, value in values.items():
        setattr(run, name, value)
    run.full_clean(exclude=["study"])
    run.save(update_fields=list(values))
    changed = {name: str(value) for name, value in values.items() if name != "key"}
    trail.record(study, by, "changed the model's run", **changed)
    return run

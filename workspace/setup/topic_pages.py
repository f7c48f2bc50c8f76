from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from accounts.models import logged_in
from judging.collections.content import relevant_only_sets
from judging.models import Document, Role, Study, StudyTopic
from judging.settings import Step
from judging.studies.access import study_for, topic_of
from judging.studies.configuration.anchors import (
    accept_anchors,
    all_contradictions,
    apply_proposals,
    contradictions,
    levels_of,
    propose_anchors,
)
from judging.studies.configuration.changing import (
    change_topic,
    change_topics,
    choose_topics,
    draw_topics,
)
from judging.studies.configuration.missing import has_question, without_question
from judging.studies.configuration.pooling import PoolDepths, pool_depths
from judging.studies.configuration.question_hints import find_giveaways
from judging.studies.configuration.questions import (
    COLUMNS,
    propose_question,
    question_rows,
    read_tables,
)
from judging.studies.configuration.versions import EditConflict
from judging.studies.faults import BadStudy
from magnitudes.files.containers.archives import StoredFile
from magnitudes.files.containers.recoding import UnknownEncoding
from magnitudes.files.errors import BadFile
from magnitudes.files.words import count
from web.files import accepts_files, attachment
from web.formats import csv_lines
from web.text import natural, whole_number
from workspace.decorators import staff_page
from workspace.setup import forms
from workspace.setup.setting_pages import settings_page
from workspace.setup.steps import page_name, step_after
from workspace.setup.whole_study import step_page, study_of_step

HOUR = 3600
DEPTHS = (5, 10, 20, 50, 100)


@staff_page
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    study, refusal = study_of_step(request, slug), None
    is_drawing = request.POST.get("action") == "draw"
    drawing = forms.DrawnTopics(request.POST if is_drawing else None)
    chosen = set(study.topics.values_list("topic__query_id", flat=True))
    version = whole_number(request.POST.get("version", ""))
    version = study.version if version is None else version
    if is_drawing and drawing.is_valid():
        with drawing.faults_added():
            draw_topics(slug, **drawing.cleaned_data, by=logged_in(request), version=version)
            messages.success(request, f"{count(drawing.cleaned_data['number'], 'topic')} drawn.")
            return redirect("setup-topics", slug)
        study.refresh_from_db()
    elif request.method == "POST" and not is_drawing:
        chosen = set(request.POST.getlist("topic"))
        try:
            choose_topics(slug, chosen, logged_in(request), version)
        except BadStudy as fault:
            refusal = fault
            study.refresh_from_db()
        else:
            messages.success(request, f"{count(len(chosen), 'topic')} chosen.")
            return redirect("setup-pool", slug)
    of_collection = study.collection.topics.annotate(lists_of=Count("lists"))
    rows = sorted(of_collection, key=lambda topic: natural(topic.query_id))
    if ticked := request.GET.get("ticked"):
        chosen = {row.query_id for row in rows} if ticked == "all" else set()
    more: dict[str, Any] = {"topics": rows, "chosen": chosen, "refusal": refusal}
    return step_page(request, study, Step.TOPICS, form=drawing, **more)


@staff_page
def pool(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    by = request.GET.get("by", "") if request.GET.get("by") in ("rank", "order") else study.pool_by
    depths = sorted({*DEPTHS, study.pool_depth})
    pools = pools_of(study, depths, by)
    current = next(each for each in pools.unjudged if each.depth == study.pool_depth)
    more = {
        "by": by or "rank",
        "pools": pools,
        "runs": list(zip(pools.runs, (100 * current.share).tolist(), strict=True)),
        "left": [
            (
                each,
                (100 * each.means).tolist(),
                each.units * study.payment * (1 + study.platform_fee),
            )
            for each in pools.unjudged
        ],
        "topics": _in_order(study),
    }
    return settings_page(request, study, Step.POOL, **more)


def pools_of(study: Study, depths: list[int], by: str) -> PoolDepths:
    """Cached until something that they depend on changes."""
    topics = list(study.topics.order_by("pk").values_list("topic", "pool", "h_k", "n_k"))
    units = study.unit_size, study.redundancy
    inputs = repr((study.collection.revision, units, depths, by, topics))
    key = f"pools-{study.pk}-{sha256(inputs.encode()).hexdigest()}"
    pools: PoolDepths | None = cache.get(key)
    if pools is None:
        pools = pool_depths(study, depths, by)
        cache.set(key, pools, HOUR)
    return pools


@staff_page
def anchors(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    rows = _in_order(study)
    against = all_contradictions(study, rows)
    more = {
        "topics": [(row, against[row.pk]) for row in rows],
        "first": next(iter(_without_anchors(rows)), ""),
        "without": sum(not (row.h_k and row.n_k) for row in rows),
        "unread": [row.topic.query_id for row in rows if row.anchors_unread],
        "relevant_alone": study.labels in relevant_only_sets(study.collection),
    }
    return settings_page(request, study, Step.ANCHORS, **more)


@require_POST
@login_required
def take_proposed(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.EDITOR)
    try:
        taken, without = apply_proposals(study, logged_in(request))
    except BadStudy as refusal:
        messages.error(request, str(refusal))
    else:
        if taken:
            filled = f"Proposals are filled in for {count(taken, 'topic')}"
            messages.success(request, f"{filled}: read them, one after the other.")
        if without:
            none = f"Labels call no document of its pool relevant for {', '.join(without)}"
            messages.error(request, f"{none}: choose the relevant anchor there by hand.")
    return redirect("setup-anchors", slug)


def _without_anchors(rows: Iterable[StudyTopic]) -> list[str]:
    """The numbers of topics whose anchors nobody has chosen or read."""
    lacking = (row for row in rows if row.anchors_unread or not (row.h_k and row.n_k))
    return [row.topic.query_id for row in lacking]


def _after(query_id: str, ids: Sequence[str]) -> str:
    """The one of these topics that comes next, from the beginning after the last; else empty."""
    later = [each for each in ids if natural(each) > natural(query_id)]
    return next((each for each in [*later, *ids] if each != query_id), "")


def _in_order(study: Study) -> list[StudyTopic]:
    topics = study.topics.select_related("topic")
    return sorted(topics, key=lambda each: natural(each.topic.query_id))


def _neighbours(rows: Sequence[StudyTopic], query_id: str) -> dict[str, str]:
    ids = [row.topic.query_id for row in rows]
    place = ids.index(query_id)
    return {
        "before": ids[place - 1] if place else "",
        "after": ids[place + 1] if place + 1 < len(ids) else "",
    }


def _save_topic(request: HttpRequest, study: Study, query_id: str, form: Any) -> bool:
    """Returns whether it was saved; if not, the form has the faults."""
    values = {name: form.cleaned_data[name] for name in form.cleaned_data if name != "version"}
    values = form.values() if hasattr(form, "values") else values
    try:
        change_topic(study.slug, query_id, values, logged_in(request), form.cleaned_data["version"])
    except BadStudy as refusal:
        form.add_faults(refusal)
        if isinstance(refusal, EditConflict):  # what was typed stays; saved again, it holds
            version = Study.objects.values_list("version", flat=True).get(pk=study.pk)
            form.data = {**form.data.dict(), "version": version}
        return False
    messages.success(request, f"Topic {query_id} is saved.")
    return True


@staff_page
def topic_anchors(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    study = study_of_step(request, slug)
    topic = topic_of(study, query_id)
    is_accepting = request.method == "POST" and request.POST.get("action") == "accept"
    accepting = forms.AcceptedAnchors(request.POST if is_accepting else None)
    form = forms.Anchors(
        None if is_accepting else request.POST or None, initial={"version": study.version}
    )
    rows = _in_order(study)
    around, open_topics = _neighbours(rows, query_id), _without_anchors(rows)
    following = _after(query_id, open_topics)
    if is_accepting and _accept(request, study, query_id, accepting):
        return redirect("setup-topic-anchors", slug, query_id)
    if form.is_bound and form.is_valid() and _save_topic(request, study, query_id, form):
        is_done = query_id in open_topics and not any(all_contradictions(study, rows).values())
        if is_done and not following and (first := next(iter(without_question(rows)), "")):
            return redirect("setup-topic-questions", slug, first)
        return _next(study, Step.ANCHORS, following, is_done=is_done)
    proposals = propose_anchors(study, query_id)
    query = request.POST if request.method == "POST" else request.GET
    pair = {
        "h_k": query.get("h_k") or topic.h_k or _first(proposals.h_k),
        "n_k": query.get("n_k") or topic.n_k or _first(proposals.n_k),
    }
    saved = (topic.h_k, topic.n_k)
    topic.h_k, topic.n_k = pair["h_k"], pair["n_k"]
    levels = levels_of(study, topic)
    return step_page(
        request,
        study,
        Step.ANCHORS,
        form=form,
        topic=topic.topic,
        pair=_texts(study, pair, levels),
        is_saved=saved == tuple(pair.values()),
        is_unread=topic.anchors_unread,
        proposals=proposals,
        warnings=contradictions(topic, levels),
        accepted=topic.anchors_reason if saved == tuple(pair.values()) else "",
        accepting=accepting,
        following=following,
        template="topic_anchors",
        **pair,
        **around,
    )


def _accept(request: HttpRequest, study: Study, query_id: str, form: Any) -> bool:
    """Accept anchors that labels contradict; returns whether, else the form has the faults."""
    if form.is_valid():
        with form.faults_added():
            reason = form.cleaned_data["anchors_reason"]
            accept_anchors(study.slug, query_id, reason, logged_in(request))
            messages.success(request, f"The anchors of topic {query_id} are accepted.")
            return True
    return False


def _first(candidates: Any) -> str:
    return candidates[0].doc_id if candidates else ""


def _texts(
    study: Study, pair: Mapping[str, str], levels: Mapping[str, float]
) -> list[dict[str, Any]]:
    rows = Document.objects.filter(collection=study.collection_id, doc_id__in=pair.values())
    documents = {document.doc_id: document for document in rows}
    return [
        {"role": role, "doc_id": id_, "document": documents.get(id_), "level": levels.get(id_)}
        for role, id_ in pair.items()
    ]


@staff_page
@accepts_files
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_of_step(request, slug)
    form = forms.File(
        request.POST or None, request.FILES or None, initial={"version": study.version}
    )
    if request.method == "POST" and form.is_valid() and _save_table(request, study, form):
        return redirect("setup-questions", slug)
    listed = [
        (row, has_question(row), find_giveaways(row.options, row.answer, row.topic.title))
        for row in _in_order(study)
    ]
    lacking = without_question(row for row, *_ in listed)
    more: dict[str, Any] = {"topics": listed, "without": len(lacking)}
    more["first"] = next(iter(lacking), "")
    return step_page(request, study, Step.QUESTIONS, form=form, **more)


@staff_page
@require_safe
def question_file(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug)
    lines = csv_lines(COLUMNS, question_rows(study), for_spreadsheet=False)
    name = study.file_name("questions", "csv")
    return HttpResponse(
        "".join(lines), content_type="text/csv; charset=utf-8", headers=attachment(name)
    )


def _save_table(request: HttpRequest, study: Study, form: forms.File) -> bool:
    typed = form.cleaned_data
    try:
        file = StoredFile(Path(typed["file"].temporary_file_path()), typed["file"].name)
        tables = read_tables(file, typed["encoding"])
        change_topics(study.slug, tables, logged_in(request), typed["version"])
    except BadStudy as refusal:
        form.add_faults(refusal)
    except (BadFile, UnknownEncoding) as fault:
        form.add_error("file", str(fault))
    else:
        messages.success(request, f"{count(len(tables), 'topic')} read from {typed['file'].name}.")
        return True
    return False


@staff_page
def question(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    study = study_of_step(request, slug)
    topic, rows = topic_of(study, query_id), _in_order(study)
    lacking = without_question(rows)
    is_proposed = not topic.question and propose_question(topic, rows)
    form = forms.Question(request.POST or None, topic, study.version)
    following = _after(query_id, lacking)
    if request.method == "POST" and form.is_valid() and _save_topic(request, study, query_id, form):
        return _next(study, Step.QUESTIONS, following, is_done=query_id in lacking)
    return step_page(
        request,
        study,
        Step.QUESTIONS,
        form=form,
        topic=topic.topic,
        study_topic=topic,
        is_proposed=is_proposed,
        hints=find_giveaways(topic.options, topic.answer, topic.topic.title),
        button=f"Save and continue to topic {following}" if following else "Save",
        template="question",
        **_neighbours(rows, query_id),
    )


def _next(study: Study, step: str, following: str, *, is_done: bool) -> HttpResponse:
    """To the next topic that lacks something; after the last to the next step, or the overview."""
    if following:
        return redirect(f"setup-topic-{step}", study.slug, following)
    return redirect(page_name(step_after(study, step) if is_done else step), study.slug)


@staff_page
def own_pool(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    study = study_of_step(request, slug)
    topic = topic_of(study, query_id)
    initial = {"version": study.version, "documents": topic.pool}
    form = forms.OwnPool(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid() and _save_topic(request, study, query_id, form):
        return redirect("setup-pool", slug)
    return step_page(request, study, Step.POOL, form=form, topic=topic.topic, template="own_pool")

"""A study by REST, from its files to its end, with a client made from the site's description.

    pip install openapi-python-client
    python docs/examples/study_by_rest.py http://localhost:8000 TOKEN mine demo/study.toml \\
        demo/topics.trec demo/documents.trec demo/qrels.txt demo/runs/*

The token has the scope write; `mine` is the name of a new collection, of these files. The script
then waits for workers: people, or artificial ones, for which an operator runs beside it

    python manage.py simulate_crowd by-rest --over-http http://localhost:8000 --workers 4 \\
        --seed 1 --speedup 1000
"""

import subprocess
import sys
import time
import tomllib
from base64 import b64encode
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SLUG = "by-rest"
PIECE = 1 << 20  # bytes of a file that are sent at once, the most that may be
TUS = "1.0.0"  # the version of the protocol of uploads
# Zips and pieces of files are passed on as they are; nothing is formatted; the description may take
# a while.
GENERATOR = """
content_type_overrides:
  application/zip: application/octet-stream
  application/offset+octet-stream: application/octet-stream
post_hooks: []
http_timeout: 60
"""


class Site:
    """The site, by a client that is generated into a folder: `site("studies_list")`."""

    def __init__(self, url: str, token: str, folder: str) -> None:
        settings = Path(folder) / "generator.yaml"
        settings.write_text(GENERATOR)
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        command += ["--url", f"{url}/api/schema/?format=json", "--config", str(settings)]
        command += ["--output-path", str(Path(folder) / "rest_client")]
        subprocess.run(command, check=True, capture_output=True)
        sys.path.insert(0, folder)
        self.url, self.folder = url, Path(folder)
        client = import_module("rest_client")
        self.client = client.AuthenticatedClient(base_url=url, token=token, prefix="Token")

    def __call__(self, operation: str, *place: str, body: Any = None, **given: Any) -> Any:
        """What an operation answers; the script ends where one is refused."""
        (file,) = self.folder.glob(f"rest_client/api/*/{operation}.py")
        module = import_module(f"rest_client.api.{file.parent.name}.{operation}")
        if isinstance(body, bytes):
            given["body"] = import_module("rest_client.types").File(BytesIO(body))
        elif body is not None:
            kind, fields = body
            given["body"] = getattr(import_module("rest_client.models"), kind).from_dict(fields)
        answer = module.sync_detailed(*place, client=self.client, **given)
        if answer.status_code >= 400:
            raise SystemExit(f"{operation}: {answer.content.decode()}")
        return answer.parsed if answer.parsed is not None else answer.content


def send(site: Site, path: Path) -> dict[str, str]:
    """Send a file in pieces; what an import says of it, with the kind that it looks like."""
    name = b64encode(path.name.encode()).decode()
    size, about = path.stat().st_size, f"filename {name}"
    begun = site("uploads_create", tus_resumable=TUS, upload_length=size, upload_metadata=about)
    key = begun.key
    with path.open("rb") as file:
        for offset in range(0, size, PIECE):
            piece = file.read(PIECE)
            site("uploads_partial_update", key, body=piece, tus_resumable=TUS, upload_offset=offset)
    return {"upload": str(key), "kind": site("uploads_retrieve", key).kind}


def bring(site: Site, collection: str, paths: list[Path]) -> None:
    """Make a collection of files; the script ends where one of them is wrong."""
    files = [send(site, path) for path in paths]
    new = {"collection": collection, "files": files}
    job = site("imports_create", body=("NewImport", new))
    print("Waiting until the files are imported.")
    while (job := site("imports_retrieve", job.id)).state not in ("done", "failed"):
        time.sleep(1)
    if job.state == "failed":
        raise SystemExit(job.fault)
    content = site("collections_retrieve", collection)
    print(f"{len(content.topics)} topics, {content.documents} documents, {len(content.runs)} runs")


def make(site: Site, collection: str, config: dict[str, Any]) -> None:
    """Make the study: its settings and questions, its plan, what it costs, a rehearsal."""
    config = {**config, "demo": False, "payment": "0.30", "redundancy": 2, "minimum_seconds": 0.02}
    new = {"slug": SLUG, "collection": collection, "title": "Made by REST", "config": config}
    # A key of our own: sent again after a broken connection, it makes no second study.
    study = site("studies_create", body=("NewStudy", new), idempotency_key="the one study")
    change = {"contact": "rosa@example.org", "version": study.version}
    site("studies_partial_update", SLUG, body=("PatchedSettings", change))
    for topic in site("studies_topics_list", SLUG):
        print(f"topic {topic.query_id}: {topic.h_k} and {topic.n_k}, {topic.question}")
    plan = site("studies_plan_create", SLUG, body=("NewPlan", {"seed": 7}))
    while not plan.result:  # it is made in the background
        if plan.state == "failed":
            raise SystemExit(plan.fault)
        time.sleep(1)
        plan = site("studies_plan_retrieve", SLUG)
    costs = site("studies_costs_retrieve", SLUG)
    print(f"{plan.result.units} units, {costs.hours:.1f} hours, {costs.total} {costs.currency}")
    site("studies_forecast_create", SLUG, body=("NewForecast", {}))
    rehearsal = site("studies_rehearsals_create", SLUG, body=("NewRehearsal", {"units": 1}))
    print(f"rehearse at /study/{rehearsal.slug}/")
    site("studies_rehearsals_destroy", SLUG, rehearsal.slug)
    for lack in site("studies_missing_list", SLUG):
        raise SystemExit(lack.what)
    terms = site("studies_open_retrieve", SLUG)
    opening = {"confirm": terms.confirm, "low_pay_reason": "Artificial workers."}
    site("studies_open_create", SLUG, body=("Confirmed", opening))


def wait(site: Site) -> None:
    """Wait until all units are completed and evaluated, and say so."""
    print(f"Waiting for workers at {site.url}/study/{SLUG}/ (artificial ones: simulate_crowd)")
    before = ""
    while True:
        now = site("studies_progress_retrieve", SLUG)
        state = f"{now.completed} of {now.units} units completed, {now.evaluated_units} evaluated"
        if state != before:
            print(state, flush=True)
        if now.evaluated_units >= now.units:
            return
        before = state
        time.sleep(1)


def run(site: Site) -> list[str]:
    """Run the study to its end; returns its systems, the best first."""
    site("studies_pause_create", SLUG)
    site("studies_raise_payment_create", SLUG, body=("NewPayment", {"payment": "0.40"}))
    site("studies_resume_create", SLUG)
    wait(site)
    topics = site("studies_topics_list", SLUG)
    anchors = {doc_id for topic in topics for doc_id in (topic.h_k, topic.n_k)}
    judgments = site("studies_judgments_list", SLUG).results
    first = next(row for row in judgments if row.doc_id not in anchors)
    more = {"documents": {first.query_id: [first.doc_id]}, "redundancy": 1}
    site("studies_batches_create", SLUG, body=("NewBatch", more), idempotency_key="batch 1")
    reason = {"worker": first.worker, "reason": "The same text in every field."}
    site("studies_exclusions_create", SLUG, body=("NewExclusion", reason))
    site("studies_exclusions_destroy", SLUG, first.worker)
    guest = {"note": "Otto", "role": "viewer"}
    print(site("studies_invitations_create", SLUG, body=("NewMember", guest)).link)
    site("studies_close_create", SLUG, body=("ForGood", {"final": True}))
    for entry in site("studies_trail_list", SLUG).results:
        print(entry.at, entry.by, entry.action)
    systems = site("studies_rankings_retrieve", SLUG, measure="nDCG@10").results
    return [system.run for system in systems]


def main(url: str, token: str, collection: str, toml: str, *paths: str) -> list[str]:
    """Bring files, make a study, wait until it is judged, end it; its systems, the best first."""
    config = tomllib.loads(Path(toml).read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        site = Site(url, token, folder)
        with site.client:
            bring(site, collection, [Path(path) for path in paths])
            make(site, collection, config)
            systems = run(site)
            Path(f"{SLUG}.qrels").write_text(site("studies_qrels_retrieve", SLUG))
    return systems


if __name__ == "__main__":
    print("\n".join(main(*sys.argv[1:])))

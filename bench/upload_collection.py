"""How long 129 runs take to be sent over HTTP and imported in the background, and by command.

    python -m bench.upload_collection --data FOLDER --site URL --login NAME PASSWORD

FOLDER has topics, labels and runs of TREC-8; the site is `make run` on this machine, with its
VAR_DIR in the environment of this command, too.
"""

import argparse
import re
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

import httpx

FILES = {
    "topics.401-450.txt": "topics",
    "qrels.trec8.adhoc.txt": "qrels",
    "runs_129_18topics_depth1000.tar.xz": "runs",
}
PIECE = 4 << 20
TUS = {"Tus-Resumable": "1.0.0"}
LOOK_SECONDS = 0.2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--site", default="http://localhost:8000")
    parser.add_argument("--login", nargs=2, required=True)
    options = parser.parse_args()
    mark = str(int(time.time()))
    command = by_command(options.data, f"command-{mark}")
    sent, ready = by_upload(options.data, options.site, options.login, f"upload-{mark}")
    print(f"command {command:.1f} s; sent in {sent:.1f} s, ready after {ready:.1f} s")
    print(f"ratio {ready / command:.2f}, at most 1.5 wanted")


def by_command(data: Path, slug: str) -> float:
    """Seconds that the command takes."""
    options = [word for name, part in FILES.items() for word in (f"--{part}", str(data / name))]
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "manage.py", "import_collection", slug, *options],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return time.monotonic() - began


def by_upload(data: Path, site: str, login: list[str], slug: str) -> tuple[float, float]:
    """Seconds until the files are sent, and until the collection is ready."""
    with httpx.Client(base_url=site, timeout=120, follow_redirects=True) as client:
        page = client.get("/login/").text
        sent = {"login": login[0], "password": login[1], "csrfmiddlewaretoken": token_of(page)}
        client.post("/login/", data=sent, headers={"Referer": f"{site}/login/"})
        page = client.get("/collections/new/").text
        headers = TUS | {"X-CSRFToken": token_of(page), "Referer": site}
        began = time.monotonic()
        for name in FILES:
            send(client, data / name, headers)
        seconds = time.monotonic() - began
        page = client.get("/collections/new/").text
        form = {"csrfmiddlewaretoken": token_of(page), "name": slug}
        kinds = re.findall(r'<select name="([0-9a-f]+)-kind".*?value="(\w*)" selected', page, re.S)
        form |= {f"{key}-kind": kind for key, kind in kinds}
        page = client.post("/collections/new/", data=form, headers={"Referer": site})
        while "Everything is in" not in page.text:
            assert "Nothing was imported" not in page.text, page.text
            time.sleep(LOOK_SECONDS)
            page = client.get(page.url)
        return seconds, time.monotonic() - began


def send(client: httpx.Client, file: Path, headers: dict[str, str]) -> None:
    """Send a file in pieces, as tus has it."""
    size = file.stat().st_size
    metadata = f"filename {b64encode(file.name.encode()).decode()}"
    about = headers | {"Upload-Length": str(size), "Upload-Metadata": metadata}
    answer = client.post("/api/v1/uploads/", headers=about)
    address, offset = answer.raise_for_status().headers["Location"], 0
    kind = {"Content-Type": "application/offset+octet-stream"}
    with file.open("rb") as data:
        while piece := data.read(PIECE):
            place = {"Upload-Offset": str(offset)}
            client.patch(address, content=piece, headers=headers | kind | place).raise_for_status()
            offset += len(piece)


def token_of(page: str) -> str:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token, page
    return token[1]


if __name__ == "__main__":
    main()

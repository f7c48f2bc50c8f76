// Sends files in pieces, as tus 1.0 has it, and goes on where it was cut. Without it, the form sends
// them whole.
(() => {
  const form = document.getElementById("upload");
  const bar = form.querySelector("progress");
  const status = document.getElementById("sent");
  const field = form.elements.file;
  const headers = { "Tus-Resumable": "1.0.0", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
  const TRIES = 6;
  const wait = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });
  const coded = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

  class Refused extends Error {}

  // Asks until the server answers: a connection may break, a server may start again.
  const ask = async (address, options) => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await fetch(address, { credentials: "same-origin", ...options, headers: { ...headers, ...options.headers } });
        if (answer.ok || answer.status === 409) return answer;
        if (answer.status < 500 && answer.status !== 429) {
          const problem = await answer.json().catch(() => ({}));
          throw new Refused(problem.detail || `The server answers ${answer.status}.`);
        }
      } catch (fault) {
        if (fault instanceof Refused) throw fault;
      }
      if (tries === TRIES) throw new Refused("The server cannot be reached. Choose the file again later, and it is sent on.");
      status.textContent = "The connection is broken: trying again.";
      await wait(2 ** tries);
    }
  };

  const begin = async (file) => {
    const metadata = [["filename", file.name], ["encoding", form.elements.encoding.value.trim()]]
      .filter((pair) => pair[1]).map(([name, text]) => `${name} ${coded(text)}`).join(",");
    const answer = await ask(form.dataset.uploads, { method: "POST", headers: { "Upload-Length": file.size, "Upload-Metadata": metadata } });
    return new URL(answer.headers.get("Location")).pathname;
  };

  const offsetOf = async (address) =>
    Number((await ask(address, { method: "HEAD" })).headers.get("Upload-Offset"));

  const send = async (file, tell) => {
    const known = [...document.querySelectorAll("[data-unfinished]")]
      .find((item) => item.dataset.name === file.name && Number(item.dataset.size) === file.size);
    const address = known ? known.dataset.unfinished : await begin(file);
    let offset = known ? await offsetOf(address) : 0;
    while (offset < file.size) {
      tell(offset);
      const body = file.slice(offset, offset + Number(form.dataset.piece));
      const answer = await ask(address, { method: "PATCH", body, headers: { "Upload-Offset": offset, "Content-Type": "application/offset+octet-stream" } });
      // After a break the piece may have come already: the server says what is here.
      offset = answer.status === 409 ? await offsetOf(address) : Number(answer.headers.get("Upload-Offset"));
    }
    tell(file.size);
  };

  // What was refused is said, a line a file, on the page that then has the others.
  const REFUSED = "refused";
  const say = (faults) => {
    const list = document.createElement("ul");
    list.className = "errors";
    for (const fault of faults) list.append(Object.assign(document.createElement("li"), { textContent: fault }));
    status.replaceChildren(list);
  };
  try {
    const before = JSON.parse(sessionStorage.getItem(REFUSED));
    sessionStorage.removeItem(REFUSED);
    if (before) say(before);
  } catch {
    // The browser keeps nothing for this site: see below.
  }

  document.getElementById("at-once").hidden = false;
  field.addEventListener("change", () => form.requestSubmit());
  form.addEventListener("submit", async (event) => {
    const files = [...field.files];
    if (!files.length) return;
    event.preventDefault();
    const total = files.reduce((sum, file) => sum + file.size, 0) || 1;
    const button = form.querySelector("button");
    const faults = [];
    let before = 0;
    const listed = document.getElementById("choose")?.closest("section"); // not to be imported without these
    button.disabled = true;
    if (listed) listed.inert = true;
    bar.hidden = false;
    for (const file of files) {
      status.textContent = `Sending ${file.name}.`;
      try {
        await send(file, (sent) => { bar.value = (before + sent) / total; });
      } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        faults.push(fault.message);
      }
      before += file.size;
    }
    if (!faults.length) { location.reload(); return; }
    if (faults.length < files.length) {
      try {
        sessionStorage.setItem(REFUSED, JSON.stringify(faults));
        location.reload();
        return;
      } catch {
        // Then the files that are here are listed when the page is loaded next.
      }
    }
    bar.hidden = true;
    if (listed) listed.inert = false;
    button.disabled = false;
    field.value = "";
    say(faults);
  });
})();

// Small helps on every page of a worker. Everything works without them.
(() => {
  const main = document.querySelector("main");

  // What is typed stays in this tab until the server has it: through a reload, a lost connection, a
  // way through the browser's history. A draft remembers what the server had when it was typed; if
  // the server has something else now, that is newer. A set that has ended leaves nothing behind.
  const form = document.querySelector("form.answer");
  const forget = (except) => {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith("draft:") && !(except && key.startsWith(except))) sessionStorage.removeItem(key);
    }
  };
  const same = (a, b) => a.every((text, n) => text.trim() === b[n].trim());
  try {
    if (["done", "failed", "left"].includes(main.dataset.step)) forget();
    if (form) {
      const levels = [...form.querySelectorAll("[type=radio][name=score]")];
      const boxes = [...form.querySelectorAll("#score:not([type=radio]), #justification")];
      if (levels.length) boxes.unshift({ // all of them are one box, with the value of the chosen one
        get value() { return levels.find((level) => level.checked)?.value ?? ""; },
        set value(value) { for (const level of levels) level.checked = level.value === value; },
        defaultValue: levels.find((level) => level.defaultChecked)?.value ?? "",
      });
      const page = form.elements.page.value; // begins with the name of the set
      const key = `draft:${page}:${main.dataset.position ?? ""}`;
      forget(`draft:${page.split(":")[0]}:`);
      const given = boxes.map((box) => box.defaultValue);
      const draft = JSON.parse(sessionStorage.getItem(key));
      const wanted = draft && (same(draft.over, given) || given.join("") === "") ? draft.typed : given;
      boxes.forEach((box, n) => { box.value = wanted[n]; });
      if (same(wanted, given)) sessionStorage.removeItem(key);
      form.addEventListener("input", () => {
        sessionStorage.setItem(key, JSON.stringify({ typed: boxes.map((box) => box.value), over: given }));
      });
    }
  } catch {
    // The browser keeps nothing for this site; then what was sent is all there is.
  }

  // A page that the browser had kept may be out of date, and the server would not know of the visit.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // The sheet of instructions closes with Escape, or when the page under it is used.
  const help = document.getElementById("instructions");
  if (help) {
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !help.open) return;
      help.open = false;
      help.querySelector("summary").focus();
    });
    for (const kind of ["pointerdown", "focusin"]) {
      document.addEventListener(kind, (event) => {
        if (!help.contains(event.target)) help.open = false;
      });
    }
    document.querySelector(".to-help")?.addEventListener("click", (event) => {
      event.preventDefault();
      help.open = true;
      help.querySelector("summary").focus();
    });
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue; // there only where the connection is secure
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
})();

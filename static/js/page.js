// Small helps on every page of a worker. Everything works without them.
(() => {
  const main = document.querySelector("main");
  const preview = document.getElementById("preview"); // a researcher's, in which nothing is kept

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
    if (!preview && ["done", "failed", "left"].includes(main.dataset.step)) forget();
    const page = form?.elements.page?.value; // begins with the name of the set; of a page without one, nothing
    if (page && !preview) {
      const levels = [...form.querySelectorAll("[type=radio][name=score]")];
      const boxes = [...form.querySelectorAll("#score:not([type=radio]), #justification, #note")];
      if (levels.length) boxes.unshift({ // all of them are one box, with the value of the chosen one
        get value() { return levels.find((level) => level.checked)?.value ?? ""; },
        set value(value) { for (const level of levels) level.checked = level.value === value; },
        defaultValue: levels.find((level) => level.defaultChecked)?.value ?? "",
      });
      const { kind } = form.elements; // of a note on the document, which the server has when a button is pressed
      if (kind) boxes.push({
        get value() { return kind.value; },
        set value(value) { kind.value = value; },
        defaultValue: [...kind.options].find((option) => option.defaultSelected)?.value ?? "",
      });
      const key = `draft:${page}:${main.dataset.position ?? ""}`;
      forget(`draft:${page.split(":")[0]}:`);
      let given = boxes.map((box) => box.defaultValue);
      const draft = JSON.parse(sessionStorage.getItem(key));
      const wanted = draft && (same(draft.over, given) || given.join("") === "") ? draft.typed : given;
      boxes.forEach((box, n) => { box.value = wanted[n]; });
      if (wanted.slice(2).some(Boolean)) form.querySelector(".fault").open = true;
      if (same(wanted, given)) sessionStorage.removeItem(key);
      const remember = () => {
        sessionStorage.setItem(key, JSON.stringify({ typed: boxes.map((box) => box.value), over: given }));
      };
      form.addEventListener("input", remember);

      // The server has a draft too, for another device; never more often than this, and only of what
      // has changed. It takes none any more when something else has happened to the set meanwhile.
      const EVERY = 30000; // milliseconds
      const LONGEST = [64, 2000, 1000];
      const { since } = form.elements;
      let waiting = false;
      const send = async () => {
        waiting = false;
        const typed = boxes.map((box) => box.value);
        if (same(typed, given) || typed.some((text, n) => text.length > LONGEST[n])) return;
        const draft = new URLSearchParams(new FormData(form));
        draft.set("action", "draft");
        try {
          const answer = await fetch(location.pathname, { method: "POST", body: draft });
          since.value = answer.ok && !answer.redirected ? await answer.text() : "";
        } catch {
          return; // there is no connection just now; the next draft is as good
        }
        if (!since.value) return;
        given = [...typed.slice(0, 2), ...given.slice(2)]; // a draft has no note
        remember();
      };
      form.addEventListener("input", () => {
        if (waiting || !since?.value) return;
        waiting = true;
        setTimeout(send, EVERY);
      });
    }

    // A comment that was not sent stands there again at the next end of a set.
    const comment = document.getElementById("comment");
    if (comment && !preview) {
      const key = `comment:${location.pathname}`;
      comment.value = sessionStorage.getItem(key) ?? "";
      comment.addEventListener("input", () => sessionStorage.setItem(key, comment.value));
      comment.form.addEventListener("submit", () => sessionStorage.removeItem(key));
    }
  } catch {
    // The browser keeps nothing for this site; then what was sent is all there is.
  }

  // The resume code stays in this tab too, for when the cookies are gone.
  try {
    const key = `resume:${location.pathname.split("/")[2]}`; // of the study
    const code = document.querySelector(".resume-code code")?.textContent;
    if (code && !preview) sessionStorage.setItem(key, code);
    const kept = sessionStorage.getItem(key);
    const sentence = document.getElementById("kept-code");
    if (kept && sentence && !preview) {
      sentence.querySelector("code").textContent = kept;
      sentence.hidden = false;
    }
    const box = document.querySelector("[data-step=resume] #code");
    if (kept && box && !preview) box.value ||= kept;
  } catch {
    // The browser keeps nothing for this site; the code stands at the foot of the other pages.
  }

  // A page that the browser had kept may be out of date, and the server would not know of the visit.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // The sheet of instructions closes with Escape, or when the page under it is used.
  // Focus returns to where the sheet was opened, and the page under it stays where it was.
  const help = document.getElementById("instructions");
  if (help) {
    const summary = help.querySelector("summary");
    const button = help.querySelector(".close");
    let opener = summary;
    const close = () => {
      help.open = false;
      opener.focus({ preventScroll: true });
      opener = summary;
    };
    button.hidden = false;
    button.addEventListener("click", close);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && help.open) close();
    });
    for (const kind of ["pointerdown", "focusin"]) {
      document.addEventListener(kind, (event) => {
        if (!help.contains(event.target)) help.open = false;
      });
    }
    const below = document.querySelector(".to-help");
    below?.addEventListener("click", (event) => {
      event.preventDefault();
      opener = below;
      help.open = true;
      button.focus({ preventScroll: true });
    });
  }

  // Some minutes before a set would be given back, the page says so. The server says how long that
  // is from now; the clock of this computer only counts the time since, also while it slept.
  const kept = document.getElementById("kept");
  if (kept) {
    const SOON = 5 * 60;
    const EVERY = 5000; // milliseconds
    const button = kept.querySelector("button");
    let since;
    const tell = () => {
      const left = Number(kept.dataset.seconds) - (Date.now() - since) / 1000;
      kept.classList.toggle("soon", left <= SOON);
    };
    const start = () => {
      since = Date.now();
      const time = kept.querySelector("time");
      const clock = new Date(time.dateTime).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
      time.textContent = kept.querySelector("p").dataset.time.replace("{time}", clock);
      kept.querySelector(".from-now").remove();
      tell();
    };
    start();
    setInterval(tell, EVERY);
    document.addEventListener("visibilitychange", tell);
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      const form = new FormData(button.form);
      form.set("action", "keep");
      try {
        const answer = await fetch(location.href, { method: "POST", body: new URLSearchParams(form) });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.getElementById("kept");
        if (!fresh) return location.assign(answer.url); // the set has ended
        const { since } = page.getElementById("page-form")?.elements ?? {};
        if (since) document.getElementById("page-form").elements.since.value = since.value;
        kept.dataset.seconds = fresh.dataset.seconds;
        kept.querySelector("p").replaceWith(fresh.querySelector("p"));
        start();
      } catch {
        kept.querySelector("p").textContent = kept.dataset.failed;
      }
    });
  }

  // Other moments are shown by the clock of the computer, too; without scripts in UTC, and say so.
  for (const time of document.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    const day = at.toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "long" };
    const words = { ...day, hour: "2-digit", minute: "2-digit" };
    time.textContent = at.toLocaleString([], words);
  }

  // Size and colours change at once, and what is typed stays as it is; the server reads the cookie.
  const display = document.getElementById("display");
  display?.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    event.preventDefault();
    const [what, value] = button.value.split("=");
    document.documentElement.dataset[what] = value;
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `display_${what}=${value}; path=/; max-age=${365 * 24 * 60 * 60}; samesite=lax${secure}`;
    for (const other of button.parentElement.children) other.ariaPressed = String(other === button);
    const scheme = document.querySelector("meta[name=color-scheme]");
    if (what === "theme") scheme.content = value === "device" ? "light dark" : value;
  });
})();

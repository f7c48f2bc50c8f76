// What makes judging smoother where scripts run. Everything works without it.
(() => {
  const main = document.querySelector("main");
  const form = document.getElementById("judgment");
  const score = form.elements.score;
  const reason = form.elements.justification;

  // The topic lies folded above the document where there is no room beside it.
  const topic = document.querySelector(".topic");
  const beside = matchMedia("(min-width: 62rem)");
  const fold = () => { topic.open = beside.matches; };
  fold();
  beside.addEventListener("change", fold);

  // Enter moves on from the number to the reason; it never submits by surprise.
  score.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    reason.focus();
  });

  // What is typed stays in this tab until the server has it: through a reload, a lost connection, a
  // way through the browser's history. A draft remembers what the server had when it was typed; if
  // the server has something else now, that is newer.
  const given = [score.defaultValue, reason.defaultValue];
  const same = (a, b) => a[0] === b[0] && a[1].trim() === b[1].trim();
  const key = `draft:${main.dataset.unit}:${main.dataset.position}`;
  try {
    for (const other of Object.keys(sessionStorage)) {
      if (other.startsWith("draft:") && !other.startsWith(`draft:${main.dataset.unit}:`)) sessionStorage.removeItem(other);
    }
    const draft = JSON.parse(sessionStorage.getItem(key));
    const wanted = draft && same(draft.over, given) ? draft.typed : given;
    [score.value, reason.value] = wanted;
    if (same(wanted, given)) sessionStorage.removeItem(key);
    form.addEventListener("input", () => {
      sessionStorage.setItem(key, JSON.stringify({ typed: [score.value, reason.value], over: given }));
    });
  } catch {
    // The browser keeps nothing for this site; then what was sent is all there is.
  }

  // A page that the browser had kept may be out of date, and the server would not know of the visit.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // What scrolls can be scrolled from the keyboard.
  const reach = () => {
    for (const box of document.querySelectorAll(".document table, .document pre")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  new ResizeObserver(reach).observe(main);

  // Seconds for which the page could be seen: information only, the server has its own clock.
  let seconds = 0;
  let since = document.hidden ? null : performance.now();
  const count = () => {
    if (since !== null) seconds += (performance.now() - since) / 1000;
    since = document.hidden ? null : performance.now();
  };
  document.addEventListener("visibilitychange", count);
  form.addEventListener("submit", () => {
    count();
    form.elements.visible_seconds.value = seconds.toFixed(1);
  });
})();

// What makes judging smoother where scripts run. Everything works without it.
(() => {
  const form = document.getElementById("judgment");
  const { score, justification, visible_seconds: visible } = form.elements;

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
    justification.focus();
  });

  // What scrolls sideways can be scrolled from the keyboard.
  const wide = document.querySelectorAll(".document table, .document pre");
  const reach = () => {
    for (const box of wide) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  if (wide.length) new ResizeObserver(reach).observe(form);

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
    visible.value = seconds.toFixed(1);
  });
})();

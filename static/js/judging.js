// What makes judging smoother where scripts run. Everything works without it.
(() => {
  const main = document.querySelector("main");
  const form = document.getElementById("judgment");
  const score = form.elements.score;
  const reason = form.elements.justification;

  // On a narrow screen the topic starts folded.
  if (!matchMedia("(min-width: 66rem)").matches) document.querySelector(".topic").open = false;

  document.getElementById("errors")?.focus();

  // Enter moves on from the number to the reason; it never submits by surprise.
  score.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      reason.focus();
    }
  });

  // What is typed survives a reload or a dropped connection.
  const key = `${main.dataset.unit}:${main.dataset.position}`;
  const typed = () => JSON.stringify([score.value, reason.value.trim()]);
  const kept = sessionStorage.getItem(key);
  if (kept !== null && kept !== typed()) [score.value, reason.value] = JSON.parse(kept);
  else sessionStorage.removeItem(key);
  form.addEventListener("input", () => sessionStorage.setItem(key, typed()));

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

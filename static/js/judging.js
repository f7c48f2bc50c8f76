// What makes judging smoother where scripts run. Everything works without it.
(() => {
  const form = document.getElementById("page-form");
  const { justification, visible_seconds: visible } = form.elements;
  const scores = [...form.querySelectorAll("[name=score]")]; // a number box, or a button a level

  // The topic lies folded above the document where there is no room beside it.
  const topic = document.querySelector(".topic");
  const beside = matchMedia("(min-width: 62rem)");
  const fold = () => { topic.open = beside.matches; };
  fold();
  beside.addEventListener("change", fold);

  // Enter moves on from the score to the reason; it never submits by surprise.
  for (const score of scores) {
    score.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      justification.focus();
    });
  }

  // The keys 1 to 9 choose a level wherever one reads; where one types they are text. Who speaks to
  // the computer may press them by accident, and can turn them off, for later pages too.
  const keys = document.getElementById("keys");
  if (keys) {
    const button = keys.querySelector("button");
    const texts = [button.textContent, button.dataset.off];
    let off = localStorage.getItem("keys") === "off";
    const show = () => {
      keys.classList.toggle("off", off);
      button.textContent = texts[Number(off)];
    };
    show();
    keys.hidden = false;
    button.addEventListener("click", () => {
      off = !off;
      localStorage.setItem("keys", off ? "off" : "on");
      show();
    });
    document.addEventListener("keydown", (event) => {
      const level = !off && /^[1-9]$/.test(event.key) && scores[event.key - 1];
      if (!level || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.matches("textarea, input:not([type=radio])")) return;
      level.focus({ preventScroll: true });
      level.click();
    });
  }

  // Ctrl and Enter go on, as the first button does.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("button.primary"));
  });

  // Without a connection the page would be gone; what was typed waits until there is one again.
  const offline = document.getElementById("offline");
  form.addEventListener("submit", (event) => {
    offline.textContent = navigator.onLine === false ? offline.dataset.text : "";
    if (offline.textContent) event.preventDefault();
  });

  // How long the reason is, once it comes near to what can be kept.
  const most = Number(justification.dataset.most);
  const counted = document.getElementById("count");
  const tell = () => {
    const length = [...justification.value.trim()].length;
    const text = counted.dataset.text.replace("{length}", length).replace("{most}", most);
    counted.textContent = length > 0.9 * most ? text : "";
  };
  justification.addEventListener("input", tell);
  tell();

  // What scrolls sideways can be scrolled from the keyboard.
  const wide = document.querySelectorAll(".document table, .document pre");
  const reach = () => {
    for (const box of wide) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  if (wide.length) new ResizeObserver(reach).observe(form);

  // Seconds for which the page could be seen: information only, the server has its own clock. A
  // study that says so to its workers also counts hidden seconds and pasted characters. A page that
  // comes back to be corrected goes on from what it had counted.
  const { hidden_seconds: hidden, pasted_characters: pasted } = form.elements;
  const seconds = { seen: 0, hidden: Number(hidden?.defaultValue) };
  let wasHidden = document.hidden;
  let since = performance.now();
  const count = () => {
    seconds[wasHidden ? "hidden" : "seen"] += (performance.now() - since) / 1000;
    wasHidden = document.hidden;
    since = performance.now();
  };
  document.addEventListener("visibilitychange", count);
  let characters = Number(pasted?.defaultValue);
  if (pasted) form.addEventListener("paste", (event) => { characters += event.clipboardData?.getData("text").length ?? 0; });
  form.addEventListener("submit", () => {
    count();
    visible.value = seconds.seen.toFixed(1);
    if (hidden) hidden.value = seconds.hidden.toFixed(1);
    if (pasted) pasted.value = characters;
  });
})();

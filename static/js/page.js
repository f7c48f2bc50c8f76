// Small helps on every page of a worker. Everything works without them.
(() => {
  // The sheet of instructions closes with Escape, or when the page beside it is used.
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
    if (!navigator.clipboard) continue; // only where the connection is secure
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }

  // A set that has ended leaves nothing behind in the browser.
  if (["done", "failed", "left"].includes(document.querySelector("main").dataset.step)) {
    try {
      for (const key of Object.keys(sessionStorage)) {
        if (key.startsWith("draft:")) sessionStorage.removeItem(key);
      }
    } catch {
      // no storage, no drafts
    }
  }
})();

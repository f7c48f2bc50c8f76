// Buttons that copy a code, a link or a token; without scripts there are none.
(() => {
  // The clipboard is there only where the connection is secure. Elsewhere the code is selected, which
  // is how people copied before; where even that is refused, the keys to press are named.
  const copy = async (source, words) => {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(source.textContent);
      return words.copied;
    }
    getSelection().selectAllChildren(source);
    return document.execCommand("copy") ? words.copied : words.selected;
  };
  document.documentElement.classList.add("scripts");
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy]");
    if (!button) return;
    const status = button.parentElement.querySelector("[role=status]");
    status.textContent = "";
    try {
      status.textContent = await copy(document.getElementById(button.dataset.copy), button.dataset);
    } catch {
      status.textContent = button.dataset.failed;
    }
  });
})();

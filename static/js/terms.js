// Words of the glossary show their meaning under the mouse and on focus too. Escape closes it, and the
// mouse may go over to it.
for (const term of document.querySelectorAll(".term")) {
  const meaning = term.popoverTargetElement;
  let closing;
  const open = () => { clearTimeout(closing); if (!meaning.matches(":popover-open")) meaning.showPopover({ source: term }); };
  const close = () => { closing = setTimeout(() => meaning.hidePopover(), 200); };
  for (const part of [term, meaning]) {
    part.addEventListener("mouseenter", open);
    part.addEventListener("mouseleave", close);
    part.addEventListener("focusout", ({ relatedTarget: next }) => { if (next !== term && !meaning.contains(next)) close(); });
  }
  term.addEventListener("focus", () => { if (term.matches(":focus-visible")) open(); });
}

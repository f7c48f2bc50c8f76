// Keeps a page up to date while it is looked at, part by part. Without it, reload.
(() => {
  const main = document.getElementById("main");
  const wait = Number(main.dataset.live) * 1000;

  // A part is left alone while somebody is in it: by keyboard, on a mark of a picture, with a
  // selection, or with a form half filled in.
  const changed = (field) =>
    field.type !== "hidden" && (field.options
      ? [...field.options].some((option) => option.selected !== option.defaultSelected && (option.defaultSelected || option.index > 0))
      : field.checked !== field.defaultChecked || field.value !== field.defaultValue);
  const busy = (part) => {
    const selection = getSelection();
    return part.querySelector(":focus-visible, .here") !== null ||
      (!selection.isCollapsed && selection.containsNode(part, true)) ||
      [...part.querySelectorAll("input, select, textarea")].some(changed);
  };

  // What was opened stays open, and what was scrolled stays where it was.
  const replace = (part, fresh) => {
    const both = (selector) => {
      const now = fresh.querySelectorAll(selector);
      return [...part.querySelectorAll(selector)].map((old, n) => [old, now[n]]).filter((pair) => pair[1]);
    };
    const held = both("a, button, summary, input, select, [tabindex]").find((pair) => pair[0] === document.activeElement);
    const scrolled = both(".scroll").map(([old, now]) => [now, old.scrollLeft, old.scrollTop]);
    for (const [old, now] of both("details")) now.open = old.open;
    part.replaceWith(fresh);
    held?.[1].focus({ preventScroll: true });
    for (const [now, left, top] of scrolled) now.scrollTo({ left, top, behavior: "instant" });
  };

  // What is told of an act stands until the page is left: nobody reads by the page's own clock.
  const isMessage = (child) => "message" in child.dataset;
  const bring = (fresh) => {
    const messages = [...main.children].filter(isMessage);
    const parts = [...main.children].slice(messages.length);
    const others = [...fresh.children].filter((child) => !isMessage(child));
    if (parts.length !== others.length) {
      // Something has begun or ended: the page has other parts now.
      if (!busy(main)) main.replaceChildren(...messages, ...others);
      return;
    }
    parts.forEach((part, n) => {
      // It was opened after this answer had been asked for: the next one brings it whole.
      if (part.querySelector("details.part[open]") && others[n].querySelector("[data-unsent]")) return;
      if (!busy(part) && part.outerHTML !== others[n].outerHTML) replace(part, others[n]);
    });
  };

  // Whoever reads slowly, or has each change read aloud, stops it; on later pages too.
  const note = document.createElement("footer");
  note.className = "page live";
  const told = document.createElement("span");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "small" });
  note.append(told, " ", button);
  let stopped = localStorage.getItem("live") === "off";
  const show = () => {
    told.textContent = stopped ? "This page stays as it is until you load it again." : "This page keeps itself up to date.";
    button.textContent = stopped ? "Keep it up to date" : "Stop that";
  };
  show();
  button.addEventListener("click", () => {
    stopped = !stopped;
    localStorage.setItem("live", stopped ? "off" : "on");
    show();
  });
  main.after(note);

  // A link to a part that is folded opens it.
  const unfold = () => document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
  addEventListener("hashchange", unfold);
  unfold();

  // Folded parts come without what is in them, and whole when they are opened.
  const openParts = () => [...main.querySelectorAll("details.part[open] > summary [id]")].map((heading) => heading.id).join(" ");
  let renewing = 0; // a slow answer must not come after the one that was the last
  const renew = async () => {
    renewing++;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin", headers: { "X-Open-Parts": openParts() } });
      if (!answer.ok || answer.redirected) return;
      const whole = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = whole.getElementById("main");
      document.title = whole.title;
      if (fresh) {
        window.byTheReadersClock(fresh); // as the page has its moments by now
        bring(fresh);
      }
      if (fresh && !fresh.dataset.live) { // nothing more is to come
        clearInterval(timer);
        note.remove();
      }
    } catch {
      // The server is away: the next round asks again.
    } finally {
      renewing--;
    }
  };
  main.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.querySelector("[data-unsent]")) renew();
  }, true);

  const timer = setInterval(() => {
    if (!document.hidden && !stopped && !renewing) renew();
  }, wait);
})();

// Pictures answer the hand. A mark says what it is under the pointer, by keyboard and at a tap, and
// leads where its link does; what it is of stands out in every picture of the page, and stays so
// when it is marked, in the address. Without this, titles, links and tables say the same.
(() => {
  const OPTIONS = { system: "run", topic: "topic", worker: "worker" }; // in the address
  const MOST = 5; // marks that are named at once
  const NEAR = { mouse: [0, 4, 8], touch: [0, 6, 12, 18] }; // pixels around the pointer
  const LEAVE = 250; // milliseconds, in which the pointer can reach what is said
  const DRAWN = "svg a > *, svg [data-key]"; // marks with a link, and without
  const MARK = `${DRAWN}, svg.strip:not(.scale)`;
  const main = document.getElementById("main");
  const study = location.pathname.match(/^\/studies\/[^/]+\//)?.[0];

  const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
  const said = Object.assign(document.createElement("p"), { className: "unseen", ariaLive: "polite" });
  const beside = Object.assign(document.createElement("aside"), { ariaLabel: "Marks of pictures" });
  beside.append(said, tip);
  document.body.append(beside);
  let here = null; // the mark whose name is shown
  let leaving;

  // --- what marks are, and are of -------------------------------------------------------------

  // The browser's own tooltip would stand beside ours: a name moves from <title> to the mark.
  const nameOf = (mark) => {
    const title = mark.querySelector("title");
    if (title) {
      mark.dataset.name = title.textContent;
      mark.ariaLabel = title.textContent;
      title.remove();
    }
    return mark.dataset.name ?? "";
  };
  const thingsOf = (one) =>
    Object.keys(OPTIONS).filter((thing) => one.dataset[thing]).map((thing) => [thing, one.dataset[thing]]);
  const ofRow = (mark) => (mark.matches(".strip") ? mark.closest("tr") ?? mark : mark);
  const linkOf = (mark) =>
    mark.closest("a") ?? (mark.matches(".strip") ? mark.closest("tr")?.querySelector("th a, td a") : null);
  const hrefOf = (link) => link.href.baseVal ?? link.href; // of one in a picture, or of any other
  const isNamed = (mark) => mark.checkVisibility() && nameOf(mark) !== "";
  const marksOf = (plot) => [...plot.querySelectorAll(DRAWN)].filter(isNamed);

  // The marks at a place, those on top first; or the nearest, as a dot is smaller than a finger.
  const marksAt = (x, y, rings) => {
    for (const radius of rings) {
      for (let turn = 0; turn < (radius ? 8 : 1); turn++) {
        const angle = (turn * Math.PI) / 4;
        const found = document
          .elementsFromPoint(x + radius * Math.cos(angle), y + radius * Math.sin(angle))
          .map((one) => one.closest(MARK))
          .filter((one) => one && isNamed(one));
        if (found.length) return [...new Set(found)];
      }
    }
    return [];
  };

  // --- what is marked, in the address and in every picture ------------------------------------

  const chosen = () => {
    const query = new URLSearchParams(location.search);
    return Object.entries(OPTIONS).map(([thing, option]) => [thing, query.get(option)]).filter((pair) => pair[1]);
  };
  const showChosen = () => {
    const now = chosen();
    const isChosen = (one) => now.some(([thing, name]) => one.dataset[thing] === name);
    for (const mark of main.querySelectorAll(MARK)) {
      const isLine = mark.tagName === "path" && !mark.getAttribute("d").endsWith("Z");
      const on = isChosen(mark);
      mark.classList.toggle(isLine ? "one-line" : "one", on);
      const drawn = mark.closest("a") ?? mark;
      if (on && !mark.matches(".strip")) drawn.parentElement.append(drawn); // above the others
    }
    for (const row of main.querySelectorAll("tr[data-system], tr[data-topic], tr[data-worker]")) {
      if (isChosen(row)) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    for (const [thing, option] of Object.entries(OPTIONS)) {
      const value = now.find((pair) => pair[0] === thing)?.[1] ?? "";
      for (const menu of main.querySelectorAll(`[data-marks="${option}"]`)) menu.value = value;
    }
  };
  const choose = (thing, name) => {
    const address = new URL(location.href);
    if (name) address.searchParams.set(OPTIONS[thing], name);
    else address.searchParams.delete(OPTIONS[thing]);
    history.pushState(null, "", address);
    showChosen();
    said.textContent = name ? `${name} is marked in every picture.` : "Nothing is marked.";
  };
  const isMarked = (thing, name) => chosen().some((pair) => pair[0] === thing && pair[1] === name);
  const toggle = (thing, name) => choose(thing, isMarked(thing, name) ? "" : name);
  addEventListener("popstate", showChosen);
  main.addEventListener("change", (event) => {
    const option = event.target.dataset?.marks;
    const thing = Object.keys(OPTIONS).find((one) => OPTIONS[one] === option);
    if (thing) choose(thing, event.target.value);
  });

  // Links to other results of the study take along what is marked, as those of the server do.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !study) return;
    const address = new URL(hrefOf(link), location.href);
    if (address.origin !== location.origin || !address.pathname.startsWith(study)) return;
    if (link.getAttribute("href").startsWith("#") || /\.\w+$/.test(address.pathname)) return;
    const before = address.search;
    for (const option of Object.values(OPTIONS)) address.searchParams.delete(option);
    for (const [thing, name] of chosen()) address.searchParams.set(OPTIONS[thing], name);
    if (address.search !== before) link.setAttribute("href", address);
  }, true);

  // --- what is said of a mark -----------------------------------------------------------------

  const close = () => {
    clearTimeout(leaving);
    tip.hidden = true;
    here?.classList.remove("here");
    here = null;
    for (const one of document.querySelectorAll(".same")) one.classList.remove("same");
  };
  const place = (mark) => {
    const at = mark.getBoundingClientRect();
    const wide = tip.offsetWidth;
    const high = tip.offsetHeight;
    const middle = (Math.max(at.left, 0) + Math.min(at.right, innerWidth)) / 2;
    const left = Math.min(Math.max(middle - wide / 2, 8), document.documentElement.clientWidth - wide - 8);
    const above = at.top - high - 8;
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${above >= 8 ? above : Math.min(at.bottom + 8, innerHeight - high - 8)}px`;
  };
  const line = (text) => Object.assign(document.createElement("p"), { textContent: text });
  const show = (marks) => {
    const [mark] = marks;
    clearTimeout(leaving);
    if (mark === here && !tip.hidden) return;
    close();
    here = mark;
    mark.classList.add("here");
    const names = [...new Set(marks.map(nameOf))];
    tip.replaceChildren(...names.slice(0, MOST).map(line));
    if (names.length > MOST) tip.append(line(`and ${names.length - MOST} more here`));
    const does = Object.assign(document.createElement("p"), { className: "does" });
    const link = linkOf(mark);
    if (link) does.append(Object.assign(document.createElement("a"), { href: hrefOf(link), textContent: "Open" }));
    const things = thingsOf(ofRow(mark));
    for (const [thing, name] of things) {
      const button = Object.assign(document.createElement("button"), {
        type: "button",
        textContent: isMarked(thing, name) ? `Unmark ${name}` : `Mark ${name}`,
      });
      button.addEventListener("click", () => {
        toggle(thing, name);
        close();
      });
      does.append(button);
    }
    if (does.children.length) tip.append(does);
    tip.hidden = false;
    place(mark);
    // The same system, worker or topic elsewhere: of what is most its own.
    const [thing, name] = things.find((pair) => pair[0] !== "topic") ?? things[0] ?? [];
    if (!thing) return;
    for (const other of main.querySelectorAll(`[data-${thing}="${CSS.escape(name)}"]`)) {
      if (other !== mark) other.classList.add("same");
    }
  };

  // --- pointer, keyboard, finger --------------------------------------------------------------

  let kind = "mouse";
  let frame = 0;
  document.addEventListener("pointerdown", (event) => { kind = event.pointerType === "mouse" ? "mouse" : "touch"; }, true);
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse") return;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (tip.contains(event.target)) return clearTimeout(leaving);
      const svg = event.target.closest?.("svg");
      const found = svg ? marksAt(event.clientX, event.clientY, NEAR.mouse) : [];
      svg?.classList.toggle("answers", found.length > 0 && linkOf(found[0]) !== null);
      if (found.length) return show(found);
      if (here && !keyed) {
        clearTimeout(leaving);
        leaving = setTimeout(close, LEAVE);
      }
    });
  });
  document.addEventListener("click", (event) => {
    if (tip.contains(event.target)) return;
    const svg = event.target.closest?.("svg");
    const found = svg ? marksAt(event.clientX, event.clientY, NEAR[kind]) : [];
    if (!found.length) return close();
    const link = linkOf(found[0]);
    if (kind === "touch" && found[0] !== here) {
      event.preventDefault(); // the first tap shows, the second follows
      show(found);
    } else if (link && !event.target.closest("a")) {
      link.dispatchEvent(new MouseEvent("click", event));
    }
  });

  // Arrow keys go from mark to mark: left and right as they lie across, up and down as they lie up.
  let keyed = false;
  const plotOf = (element) => element.closest?.(".plot .scroll, .plot[tabindex]");
  const hint = (plot) => {
    if (!marksOf(plot).length) return;
    said.textContent = "Arrow keys go from mark to mark, Enter opens one, Space marks what it is of.";
  };
  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.(":focus-visible") && event.target === plotOf(event.target)) hint(event.target);
  });
  document.addEventListener("focusout", () => { if (keyed) { keyed = false; close(); } });
  const next = (marks, key) => {
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const at = (mark) => {
      const box = mark.getBoundingClientRect();
      return across ? [box.x + box.width / 2, -box.y] : [-(box.y + box.height / 2), box.x];
    };
    const order = marks.map((mark) => [mark, ...at(mark)]).sort((a, b) => a[1] - b[1] || a[2] - b[2]).map((one) => one[0]);
    if (key === "Home") return order[0];
    if (key === "End") return order.at(-1);
    const now = order.indexOf(here);
    const step = key === "ArrowRight" || key === "ArrowUp" ? 1 : -1;
    return now < 0 ? order.at(step > 0 ? 0 : -1) : order[now + step];
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !tip.hidden) return close();
    const plot = plotOf(event.target);
    if (event.target !== plot || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) {
      const marks = marksOf(plot);
      const mark = marks.length ? next(marks, event.key) : null;
      if (!marks.length) return;
      event.preventDefault();
      if (!mark) return;
      keyed = true;
      mark.scrollIntoView({ block: "nearest", inline: "nearest" });
      show([mark]);
      said.textContent = nameOf(mark);
    } else if (here && plot.contains(here) && event.key === "Enter") {
      linkOf(here)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    } else if (here && plot.contains(here) && event.key === " ") {
      event.preventDefault();
      const [pair] = thingsOf(ofRow(here));
      if (pair) toggle(...pair);
    }
  });
  addEventListener("scroll", () => {
    if (here && keyed) place(here);
    else if (here) close();
  }, { capture: true, passive: true });

  // --- legends switch what they name ----------------------------------------------------------

  const enable = () => {
    for (const kind of main.querySelectorAll("span.kind")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "kind";
      button.dataset.switch = kind.dataset.switch;
      button.ariaPressed = "true";
      button.append(...kind.childNodes);
      kind.replaceWith(button);
    }
    for (const plot of main.querySelectorAll(".card .plot")) plot.tabIndex = 0;
  };
  main.addEventListener("click", (event) => {
    const button = event.target.closest("button.kind");
    if (!button) return;
    const on = button.ariaPressed !== "true";
    button.ariaPressed = String(on);
    for (const layer of button.closest(".plot").querySelectorAll("[data-kind]")) {
      if (layer.dataset.kind === button.dataset.switch) layer.classList.toggle("off", !on);
    }
  });
  enable();
  new MutationObserver(enable).observe(main, { childList: true, subtree: true }); // parts are renewed
})();

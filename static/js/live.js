// Keeps a page of results up to date while it is looked at. Without it, reload.
(() => {
  const wait = Number(document.getElementById("main").dataset.live) * 1000;
  const busy = () => {
    const at = document.activeElement;
    return document.hidden || getSelection().toString() !== "" || at?.closest("main");
  };
  setInterval(async () => {
    if (busy()) return;
    try {
      const answer = await fetch(location.href, { credentials: "same-origin" });
      if (!answer.ok || answer.redirected || busy()) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
      const main = document.getElementById("main");
      if (fresh && fresh.innerHTML !== main.innerHTML) main.innerHTML = fresh.innerHTML;
    } catch {
      // The server is away: the next round asks again.
    }
  }, wait);
})();

// Shows what the chosen platform takes, and sends nothing else. Without it, all is shown by platform.
(() => {
  const platform = document.querySelector("select[name=platform]");
  const show = () => {
    const name = platform.value || "none";
    let way = `The way back to ${platform.selectedOptions[0].text}`;
    for (const part of document.querySelectorAll("[data-platforms]")) {
      part.hidden = part.disabled = !part.dataset.platforms.split(" ").includes(name);
      const heading = part.querySelector("legend h2");
      if (part.hidden || !heading) continue;
      heading.textContent = way; // once, above the first of them
      heading.hidden = !way;
      way = "";
    }
  };
  platform.addEventListener("change", show);
  show();
})();

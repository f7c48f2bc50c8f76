// Shows what the chosen platform takes, and sends nothing else. Without it, all is shown by platform.
(() => {
  const platform = document.querySelector("select[name=platform]");
  const show = () => {
    const name = platform.value || "none";
    let way = `The way back to ${platform.selectedOptions[0].text}`;
    for (const part of document.querySelectorAll("[data-platforms]")) {
      const isAnother = !part.dataset.platforms.split(" ").includes(name);
      part.classList.toggle("another", isAnother);
      part.disabled = isAnother;
      const heading = part.querySelector("legend h2");
      if (isAnother || !heading) continue;
      heading.textContent = way; // once, above the first of them
      heading.hidden = !way;
      way = "";
    }
  };
  platform.addEventListener("change", show);
  show();
})();

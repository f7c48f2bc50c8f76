// Shows what the chosen platform takes, and sends nothing else. Without it, all is shown by platform.
(() => {
  const platform = document.querySelector("select[name=platform]");
  const show = () => {
    for (const part of document.querySelectorAll("[data-platforms]")) {
      part.hidden = part.disabled = !part.dataset.platforms.split(" ").includes(platform.value);
    }
  };
  platform.addEventListener("change", show);
  show();
})();

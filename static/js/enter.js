// Enter does what the page is for, wherever one reads: in a field, on a link or a button it does
// what it always does.
(() => {
  const form = document.querySelector("form[data-enter]");
  const button = form?.querySelector("button.primary");
  if (!button) return;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || event.isComposing || event.target !== document.body) return;
    form.requestSubmit(button);
  });
})();

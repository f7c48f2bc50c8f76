// Moments by the reader's own clock. Without it they are in UTC, and say so.
(() => {
  const clock = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  window.byTheReadersClock = (root) => {
    for (const time of root.querySelectorAll("time[data-clock], time[title$='UTC']")) {
      const there = clock.format(new Date(time.dateTime));
      if ("clock" in time.dataset) time.textContent = there;
      else time.title = there;
    }
  };
  window.byTheReadersClock(document);
})();

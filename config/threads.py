"""The threads of a web process: those that answer pages, and those that answer probes."""

from typing import Any

from waitress.task import ThreadedTaskDispatcher

from web.probes import PROBES

FOR_PROBES = 2  # one of them may wait for the database, for a second


class Threads(ThreadedTaskDispatcher):
    """Some for pages, and others for probes, which so are answered while every page is slow.

    Whoever starts processes that hang again would otherwise end one that has only much to do.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        self.for_probes = ThreadedTaskDispatcher()
        self.for_probes.set_thread_count(FOR_PROBES)
        self.set_thread_count(count)

    def add_task(self, task: Any) -> None:
        """Have a channel's next request answered."""
        request = task.requests[0]
        if not request.error and request.path in PROBES:
            self.for_probes.add_task(task)
        else:
            super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End the threads, once they have answered."""
        self.for_probes.shutdown(cancel_pending, timeout)
        return bool(super().shutdown(cancel_pending, timeout))

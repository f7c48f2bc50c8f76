"""The threads of a web process: of pages, of probes, and of whoever watches the site."""

from typing import Any

from waitress.task import ThreadedTaskDispatcher

from web.probes import PROBES, WATCHING

FOR_PROBES = 2  # one of them may wait for the database, for a second
FOR_WATCHING = 1  # all parts are asked once at a time


class Threads(ThreadedTaskDispatcher):
    """Some for pages; others for probes and for watching, which are answered while pages are slow.

    Whoever starts processes that hang again would otherwise end one that has only much to do.
    """

    def __init__(self, count: int) -> None:
        super().__init__()
        probes, watching = ThreadedTaskDispatcher(), ThreadedTaskDispatcher()
        self.others = dict.fromkeys(PROBES, probes) | dict.fromkeys(WATCHING, watching)
        probes.set_thread_count(FOR_PROBES)
        watching.set_thread_count(FOR_WATCHING)
        self.set_thread_count(count)

    def add_task(self, task: Any) -> None:
        """Have a channel's next request answered."""
        request = task.requests[0]
        if not request.error and request.path in self.others:
            self.others[request.path].add_task(task)
        else:
            super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: int = 5) -> bool:
        """End the threads, once they have answered."""
        for threads in set(self.others.values()):
            threads.shutdown(cancel_pending, timeout)
        return bool(super().shutdown(cancel_pending, timeout))

"""Faults that take all there is of something, so that nothing is left for the site."""

import threading
from abc import abstractmethod

from tests.faults.fault import Fault

AGAIN = 0.05  # seconds until what was given back meanwhile is taken as well


class Taking(Fault):
    """All of it stays taken, also what the site gives back meanwhile."""

    def begin(self) -> str:
        """Take all, and go on with it."""
        what = self.take()
        self._ends = threading.Event()
        self._again = threading.Thread(target=self._take_again, daemon=True)
        self._again.start()
        return what

    def end(self) -> None:
        """Give all of it back."""
        self._ends.set()
        self._again.join()
        self.give_back()

    @abstractmethod
    def take(self) -> str:
        """Take what there is now; how much is taken by then, in words."""

    @abstractmethod
    def give_back(self) -> None:
        """Give back what was taken."""

    def _take_again(self) -> None:
        while not self._ends.wait(AGAIN):
            self.take()

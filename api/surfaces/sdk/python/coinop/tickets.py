from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Generic, TypeVar

from coinop.errors import error_of
from coinop.options import CallOptions, Progress

Result = TypeVar("Result")

WAIT_SECONDS = 25
#: Progress is told more often than a job ends.
PROGRESS_SECONDS = 2


class Ticket(Generic[Result]):
    """A call that runs in the background."""

    def __init__(self, id: str, ask: Callable[[str, str, CallOptions], Any], timeout: float, patience: int) -> None:
        self.id = id
        self._ask = ask
        self._timeout = timeout
        #: How often a failed try is repeated while the result is waited for.
        self._patience = patience

    def read(self, options: CallOptions = CallOptions()) -> dict[str, Any]:
        """Its state now."""
        return self._ask("GET", f"/v1/jobs/{self.id}", options)

    def wait(self, options: CallOptions = CallOptions()) -> Result:
        """Waits for its result; raises its problem."""
        return self._wait_for_end(options).get("result")

    def _wait_for_end(self, options: CallOptions) -> dict[str, Any]:
        """Waits until it has succeeded."""
        # The answer must come before a try is given up.
        most = (options.timeout or self._timeout) / 2
        seconds = min(PROGRESS_SECONDS if options.on_progress else WAIT_SECONDS, most)
        if options.max_retries is None:
            options = replace(options, max_retries=self._patience)
        while True:
            state = self._ask("GET", f"/v1/jobs/{self.id}?wait={seconds:g}", options)
            progress = state.get("progress")
            if progress and options.on_progress:
                options.on_progress(Progress("run", progress["done"], progress["total"], progress["unit"]))
            if state["status"] == "succeeded":
                return state
            if state["status"] in ("failed", "expired"):
                sentence = f"The job {self.id} has {state['status']}."
                raise error_of(422, {}, state.get("error") or {"error": sentence, "code": "JOB_EXPIRED"})

    def cancel(self, options: CallOptions = CallOptions()) -> None:
        """Stops it; what was held for it is released."""
        self._ask("DELETE", f"/v1/jobs/{self.id}", options)

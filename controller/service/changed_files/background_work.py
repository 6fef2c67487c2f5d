"""Work on a disk that must not stop the loop of the service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_Result = TypeVar("_Result")


async def run_in_thread(work: Callable[[], _Result]) -> _Result:
    """Return the result of work on a disk, which is done in a thread.

    The service does not wait for the thread when it stops, because the disk may hang.
    """
    future: Future[_Result] = Future()
    future.set_running_or_notify_cancel()  # From now on nobody can cancel the work, only stop waiting for it.

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(future)

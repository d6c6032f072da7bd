from __future__ import annotations

import os
import shutil
import uuid


def write_path(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file beside its place first, so that what breaks off leaves there what was there before."""
    # A pipe or a device is no place for another file.
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as target:
            target.write(content)
        return
    place = os.path.realpath(path)
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise PermissionError(f"{place} cannot be written to")
    draft = os.path.join(os.path.dirname(place), f".{uuid.uuid4()}.part")
    try:
        with open(draft, "xb") as target:
            target.write(content)
        if os.path.exists(place):
            shutil.copymode(place, draft)
        os.replace(draft, place)
    except BaseException:
        if os.path.exists(draft):
            os.remove(draft)
        raise

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The files that options name, and that decide something: baselines, waivers, owners, catalogues, saved findings, scopes,
estates, plans, and the state of event sources."""

from __future__ import annotations

import gzip
import os
import stat
import zlib

from .errors import WrongOption, printable, reason_of, shown
from .trust import refuse_untrusted

LONGEST = 50 << 20
_GZIP = b"\x1f\x8b"


def content_of(path: str, option: str, longest: int = LONGEST) -> bytes | None:
    """The content of a file, unpacked if it was packed with gzip; None if it does not exist.

    Raises WrongOption for anything but a regular file of at most ``longest`` bytes that can be read, and for one that any user
    of this machine could have put there.
    """
    try:
        # opening a pipe in the usual way waits for a writer
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise WrongOption(f"{option} {shown(path)} is not a regular file: give the path of a file.")
            content = stream.read(longest + 1)
            if content:
                refuse_untrusted(path, option)
                if not os.path.samestat(found, os.stat(path)):
                    raise WrongOption(f"{option} {shown(path)} was replaced while it was read: run the task again.")
            if content.startswith(_GZIP):
                stream.seek(0)
                content = gzip.GzipFile(fileobj=stream).read(longest + 1)
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise WrongOption(f"{option} {shown(path)} is a directory: add the name of the file.") from None
    except (EOFError, zlib.error):
        raise WrongOption(f"{option} {shown(path)} is damaged or ends early: fetch it again.") from None
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else printable(error)
        raise WrongOption(
            f"{option} {shown(path)} cannot be read ({reason}): correct the path, or the permissions."
        ) from None
    if len(content) > longest:
        raise WrongOption(f"{option} {shown(path)} is larger than {longest >> 20} MiB: give the right file.")
    return content


def needed_content_of(path: str, option: str, longest: int = LONGEST) -> bytes:
    """The same for a file that must exist."""
    content = content_of(path, option, longest)
    if content is None and os.path.islink(path):
        raise WrongOption(f"{option} {shown(path)} is a link that leads nowhere: correct or remove it.")
    if content is None:
        raise WrongOption(f"{option} {shown(path)} does not exist: correct the path.")
    return content


def text_in(path: str, option: str) -> str:
    """The text of a file that must exist, without a byte order mark."""
    try:
        return needed_content_of(path, option).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise WrongOption(f"{option} {shown(path)} is not encoded in UTF-8: save it as UTF-8.") from None

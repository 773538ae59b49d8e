# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The permit for one write, which the transport demands. Only ``permit`` makes one. Pure."""

from __future__ import annotations

import copy

# nothing but Permits can make a permit
SEAL = object()


class Permit:
    """The right to send one write, exactly as it was judged. Only Permits makes one."""

    __slots__ = ("_request",)

    def __init__(self, seal: object, request: tuple[object, ...]) -> None:
        if seal is not SEAL:
            raise TypeError("only Permits makes permits")
        self._request = copy.deepcopy(request)

    def covers(self, *request: object) -> bool:
        """Whether this is the permit for this request: method, path, query, form, json."""
        return self._request == request


def require(permit: object, method: str, path: str, query: object, form: object, json: object) -> None:
    """Raise unless the call is a read, or exactly this write was permitted."""
    if method != "GET" and not (isinstance(permit, Permit) and permit.covers(method, path, query, form, json)):
        raise RuntimeError(f"{method} {path} has no permit")

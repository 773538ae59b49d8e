# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many tasks in one process, as the items of a loop are: nothing of one is left when the next begins."""

from __future__ import annotations

import gc
import json
import locale
import os
import signal
import threading
import tracemalloc
import warnings
from collections import Counter

import pytest
from ansible_collections.scanops.scanner.plugins.modules import target, workspace_info
from ansible_collections.scanops.scanner.plugins.plugin_utils import _core
from ansible_collections.scanops.scanner.plugins.plugin_utils._in_process import _Run, apart
from ansible_collections.scanops.scanner.tests.unit.plugins.modules.scenarios import ACCOUNT

pytestmark = pytest.mark.slow

FEW = 100
ITEMS = 3334 if os.environ.get("SCANNER_TEST_EXHAUSTIVE") else FEW
WARM = 30
# bytes of a task that are left behind it; the smallest result of a task has more
MOST_KEPT = 200
ROUNDS = 2


def run(service, declared, environment=None, **options):
    arguments = _core.as_module_reads({"base_url": service.base_url, "api_key": service.api_key, **options})
    with apart(environment or {}, os.sep):
        return json.loads(_Run(declared, arguments, None).printed())


def items(service, count):
    for number in range(count):
        name = ("www.example.com", "192.0.2.7")[number % 2]
        assert not run(service, target.MODULE, workspace_id=2, name=name)["changed"]
        # one that fails, and one with an environment
        assert run(service, workspace_info.MODULE, id="seven")["failed"]
        environment = {"SCANNER_TIMEOUT": str(number + 1), "HOME": f"/home/{number}", "no_proxy": "127.0.0.1"}
        result = run(service, workspace_info.MODULE, environment)
        assert result["invocation"]["module_args"]["timeout"] == number + 1


def state_of_process():
    umask = os.umask(0o022)
    os.umask(umask)
    return {
        "environment": dict(os.environ),
        "signals": {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)},
        "blocked": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "umask": umask,
        "directory": os.getcwd(),
        "warnings": (warnings.showwarning, list(warnings.filters)),
        "threads": threading.active_count(),
        "locale": locale.setlocale(locale.LC_ALL),
    }


@pytest.fixture
def account(service):
    service.reset(settings={"rate_limits": None, "validate": True}, state=ACCOUNT)
    return service


def test_nothing_of_the_process_changes(account):
    before = state_of_process()
    items(account, 5)
    assert state_of_process() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files in /proc")
def test_no_connection_stays_open(account):
    items(account, WARM)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    items(account, 50)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_objects_do_not_pile_up(account):
    items(account, WARM)
    gc.collect()
    before = Counter(type(each).__name__ for each in gc.get_objects())
    items(account, ITEMS)
    gc.collect()
    after = Counter(type(each).__name__ for each in gc.get_objects())
    # an object for each item would be at least ITEMS more
    assert {name: after[name] - before[name] for name in after if after[name] - before[name] >= ITEMS / 2} == {}


def test_memory_does_not_pile_up(account):
    items(account, WARM)
    tracemalloc.start()
    try:
        items(account, WARM)
        # a leak grows in every round, a cache that fills or an allocation of the interpreter in one of them
        kept = [kept_by(lambda: items(account, FEW)) for _round in range(ROUNDS)]
    finally:
        tracemalloc.stop()
    assert min(kept) < 3 * FEW * MOST_KEPT


def kept_by(work):
    """The bytes that Python has allocated in the work, and not freed."""
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    work()
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before

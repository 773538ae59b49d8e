# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which hosts go on after the role scan_gate: three hosts, the role, and a task that deploys, in every form of a play."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import pytest
from ansible_collections.scanops.scanner.tests.plays.playbook import LOCAL, prepare
from ansible_collections.scanops.scanner.tests.unit.sampling import EXHAUSTIVE

HOSTS = ("a", "b", "c")
ROLE = "scanops.scanner.scan_gate"
SETTINGS = {"scan_gate_workspace": "Web shop", "scan_gate_targets": "www.example.com", "scan_gate_poll_interval": 1}
GREEN = {"scan_gate_policy": {"fail_on": "none"}}
FINDINGS = {"scan_gate_policy": {"fail_on": "critical"}}
# red without a request
RED = {"scan_gate_max_age": "1day"}
AFTER_A = {"when": "inventory_hostname != 'a'"}
ONLY_B = {"when": "inventory_hostname == 'b'"}
GATE = {"tags": ["gate"]}
NOTHING = MappingProxyType({})
FORMS = ("roles", "import_role", "include_role")


class Row(NamedTuple):
    """A form of a play, and what it must do. role: keywords of the role; deploy: of the task after it; deployed: the hosts
    that go on; scans: how many are started."""

    form: str
    play: Mapping[str, object] = NOTHING
    role: Mapping[str, object] = NOTHING
    settings: Mapping[str, object] = RED
    deploy: Mapping[str, object] = NOTHING
    around: dict | None = None
    arguments: tuple[str, ...] = ()
    status: int = 2
    deployed: tuple[str, ...] = ()
    scans: int = 0
    said: str = ""


def rows():
    """The table, each row with its name."""
    for form in FORMS:
        yield f"{form}, linear", Row(form, said="scan_gate_max_age is '1day'")
        for strategy in ("free", "host_pinned"):
            said = f"With the strategy {strategy}, each host of the play goes on by itself"
            yield f"{form}, {strategy}", Row(form, {"strategy": strategy}, settings=FINDINGS, said=said)
        for serial in (1, 2, "50%"):
            yield f"{form}, serial {serial}", Row(form, {"serial": serial})
        yield f"{form}, max_fail_percentage", Row(form, {"max_fail_percentage": 100})
        # the first host is not the one that decides
        yield f"{form}, when b", Row(form, role=ONLY_B)
        yield f"{form}, when not a, findings", Row(form, role=AFTER_A, settings=FINDINGS, scans=1)
        yield f"{form}, when b, green", Row(form, role=ONLY_B, settings=GREEN, status=0, deployed=HOSTS, scans=1)
        # each batch is judged, because the one before it was changed
        yield f"{form}, serial, green", Row(form, {"serial": 1}, settings=GREEN, status=0, deployed=HOSTS, scans=3)
        # a selection that names the gate, and those that exclude it
        tagged = {"role": GATE, "deploy": {"tags": ["gate", "deploy"]}}
        yield f"{form}, --tags gate", Row(form, arguments=("--tags=gate",), **tagged)
        yield f"{form}, --skip-tags always", Row(form, arguments=("--skip-tags=always",))
        for arguments in (("--tags=deploy",), ("--skip-tags=gate",)):
            deploy = {"deploy": {"tags": ["deploy"]}, "role": GATE}
            yield f"{form}, {arguments[0]}", Row(form, arguments=arguments, status=0, deployed=HOSTS, **deploy)
        yield f"{form}, --limit", Row(form, arguments=("--limit=b,c",))
    for form in ("import_role", "include_role"):
        yield f"{form}, run_once", Row(form, role={"run_once": True})
        yield f"{form}, block", Row(form, around={})
        yield f"{form}, always", Row(form, around={"always": "always"})
        yield f"{form}, rescue", Row(form, around={"rescue": "rescue"}, status=0)
        yield f"{form}, rescue, serial", Row(form, {"serial": 1}, around={"rescue": "rescue"}, status=0)
        yield f"{form}, always, serial", Row(form, {"serial": 1}, around={"always": "always"})
    yield "ignored", Row("import_role", role={"ignore_errors": True}, status=0, deployed=HOSTS)
    yield (
        "start inside",
        Row("import_role", settings=GREEN, arguments=("--start-at-task=Scan and judge, once for the whole play",)),
    )
    yield "only one host", Row("roles", {"strategy": "free", "hosts": "a"}, said="scan_gate_max_age is '1day'")
    targets = {"scan_gate_targets": ["{{ inventory_hostname }}.example.com"]}
    yield "other targets", Row("roles", settings=targets, said="scan_gate_targets differs between the hosts a and b")
    misspelt = {"scan_gate_polcy": "{{ omit }}"}
    yield "misspelt", Row("include_role", role=ONLY_B, settings=misspelt, said="did you mean scan_gate_policy?")


# another value of the same keyword: serial 1, and the strategy free
ALIKE = ("serial 2", "serial 50%", "host_pinned")


def some(table):
    """Each situation in one of its forms, in turn, without those that are alike; all rows if every case is to be tried."""
    situations = {}
    for name in table:
        situations.setdefault(name.partition(", ")[2] or name, []).append(name)
    chosen = [names[number % len(names)] for number, names in enumerate(situations.values())]
    return table if EXHAUSTIVE else {name: table[name] for name in chosen if not name.endswith(ALIKE)}


ROWS = some(dict(rows()))


def play_of(row, directory):
    """The play of a row. Hosts leave a file when they deploy, or run an always or rescue section."""
    settings = {**SETTINGS, "scan_gate_artifacts": str(directory / "artifacts"), **row.settings}
    deploy = {"name": "Deploy", **leaves(directory, "deploy"), **row.deploy}
    play = {"hosts": "a,b,c", "gather_facts": False, **row.play}
    if row.form == "roles":
        return {**play, "roles": [{"role": ROLE, "vars": settings, **row.role}], "tasks": [deploy]}
    role = {"name": "Gate", f"ansible.builtin.{row.form}": {"name": ROLE}, "vars": settings, **row.role}
    if row.around is None:
        return {**play, "tasks": [role, deploy]}
    sections = {name: [{"name": name, **leaves(directory, name)}] for name in row.around}
    return {**play, "tasks": [{"name": "Around", "block": [role, deploy], **sections}]}


def leaves(directory, what):
    return {"ansible.builtin.file": {"path": f"{directory}/{what}-{{{{ inventory_hostname }}}}", "state": "touch"}}


def one_in_twelve() -> list:
    """The rows as parameters: each starts ansible-playbook, and all but one in twelve are slow."""
    return [
        pytest.param(row, id=name, marks=[pytest.mark.slow] if number % 12 else [])
        for number, (name, row) in enumerate(ROWS.items())
    ]


@pytest.mark.parametrize("row", one_in_twelve())
def test_no_host_goes_on_unless_the_gate_has_passed(service, tmp_path, row):
    inventory = "".join(f"{host} {LOCAL}\n" for host in HOSTS)
    command, variables = prepare(tmp_path, service, [play_of(row, tmp_path)], row.arguments, inventory=inventory)
    # the one of the other tests resets the service before each task
    del variables["ANSIBLE_CALLBACKS_ENABLED"]
    service.reset(settings={"rate_limits": None})
    service.clear_log()
    run = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300, check=False)
    output = run.stdout + run.stderr
    left = {path.name for path in tmp_path.iterdir()}
    assert tuple(host for host in HOSTS if f"deploy-{host}" in left) == row.deployed, output
    assert run.returncode == row.status, output
    for section in row.around or ():
        assert f"{section}-a" in left, output
    assert row.said in " ".join(output.split()), output
    sent = service.log()
    assert [request["method"] for request in sent if request["path"].endswith("/scans")].count("POST") == row.scans, (
        output
    )
    if not row.scans:
        assert sent == []

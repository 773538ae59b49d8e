# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the recipes of the guides and of docs/recipes against the local service, most of them twice.

GitLab, the tracker and the catalogues of exploited vulnerabilities are a small server here. The CMDB, nmap and Terraform are
files. Plugins here replace ``community.general.read_csv`` and ``ansible.utils.usable_range``, which ansible-test lacks.

    python cook.py DIRECTORY
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import textwrap
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[1] / "setup_service" / "files"))
sys.path.append(str(HERE.parents[1] / "role_gate_comment" / "files"))
from forge import TOKEN, Forge  # noqa: E402
from start import local_service, requests_file  # noqa: E402

COLLECTION = next(parent for parent in HERE.parents if (parent / "playbooks" / "estate_adopt.yml").is_file())
GUIDES = "\n".join(
    path.read_text(encoding="utf-8") for path in (COLLECTION / "docs" / "docsite" / "rst").glob("guide_*.rst")
)

RECIPES = COLLECTION / "docs" / "recipes"
# where the catalogues of exploited vulnerabilities are
CATALOGUES = ("https://www.cisa.gov/sites/default/files/feeds", "https://epss.empiricalsecurity.com")
TODAY = datetime.now(timezone.utc).strftime("%Y-%m-%d")
QUICK = ("-e", "scan_gate_poll_interval=1")
NOTHING_FAILS = ("-e", '{"scan_gate_policy": {"fail_on": "none"}}')

READ_CSV = """
import csv

from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule(dict(path=dict(type="path")))
with open(module.params["path"], newline="") as lines:
    module.exit_json(changed=False, list=list(csv.DictReader(lines)))
"""

GNMAP = """# Nmap 7.94 scan initiated as: nmap -sn -n -oG hosts.gnmap 192.0.2.0/24
Host: 192.0.2.40 ()\tStatus: Up
Host: 192.0.2.41 ()\tStatus: Up
Host: 192.0.2.42 ()\tStatus: Down
# Nmap done -- 256 IP addresses (2 hosts up) scanned in 2.31 seconds
"""

USABLE_RANGE = """
import ipaddress


def usable_range(network):
    addresses = [str(each) for each in ipaddress.ip_network(network)]
    return {"usable_ips": addresses, "number_of_ips": len(addresses)}


class FilterModule:
    def filters(self):
        return {"usable_range": usable_range}
"""


def blocks(title: str, language: str) -> list[str]:
    """The blocks of code of this language in the recipe with this title."""
    recipe = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", GUIDES, re.MULTILINE | re.DOTALL)[1]
    found = re.findall(rf"^\.\. code-block:: {re.escape(language)}\n\n((?:   .*\n|\n)+)", recipe, re.MULTILINE)
    return [textwrap.dedent(text).strip("\n") + "\n" for text in found]


class Others(BaseHTTPRequestHandler):
    """GitLab and the tracker: what is posted is kept. Also the catalogues of exploited vulnerabilities."""

    posted: ClassVar[list[dict]] = []
    # of the catalogues; without one, they are not served
    date: ClassVar[str] = TODAY

    def do_GET(self) -> None:
        name = urlsplit(self.path).path.rpartition("/")[2]
        if name.startswith(("known_exploited_vulnerabilities", "epss_scores")):
            scores = (
                f"#model_version:v1,score_date:{self.date}T00:00:00Z\ncve,epss,percentile\nCVE-2021-44228,0.9,0.99\n"
            )
            entries = {
                "dateReleased": f"{self.date}T00:00:00Z",
                "count": 1,
                "vulnerabilities": [{"cveID": "CVE-2021-44228"}],
            }
            content = gzip.compress(scores.encode()) if name.endswith(".gz") else json.dumps(entries).encode()
            self._send(200 if self.date else 503, content)
            return
        title = parse_qs(urlsplit(self.path).query)["title"][0]
        self._answer(200, {"tickets": [each for each in self.posted if each.get("title") == title]})

    def do_POST(self) -> None:
        self.posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer(201, {})

    def _answer(self, status: int, body: object) -> None:
        self._send(status, json.dumps(body).encode())

    def _send(self, status: int, text: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments: object) -> None:
        pass


class Kitchen:
    """A directory with the files of the recipes, and the account."""

    def __init__(self, service, others: str, place: Path):
        self.service = service
        self.others = others
        self.place = place
        keys = "".join(f"vault_{name}_api_key: {service.api_key}\n" for name in ("scanner", "retail", "office"))
        self.write("secrets.yml", f"---\n{keys}vault_tracker_password: not-a-secret\n")
        self.write("collections/ansible_collections/community/general/plugins/modules/read_csv.py", READ_CSV)
        self.write("collections/ansible_collections/ansible/utils/plugins/filter/usable_range.py", USABLE_RANGE)
        self.environment = dict(
            os.environ,
            SCANNER_BASE_URL=service.base_url,
            SCANNER_API_KEY=service.api_key,
            ANSIBLE_NOCOLOR="true",
            ANSIBLE_COLLECTIONS_PATH=os.pathsep.join([str(place / "collections"), str(COLLECTION.parents[2])]),
            ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true",
            SHOP_PASSWORD="not-a-secret",
            CI_API_V4_URL=f"{others}/api/v4", CI_PROJECT_ID="7", CI_MERGE_REQUEST_IID="3", PLAN_COMMENT_TOKEN="none",
        )  # fmt: skip

    def write(self, name: str, text: str) -> None:
        text = text.replace("https://scanner.example.com/api/v2", self.service.base_url)
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for address in ("https://tracker.example.com", *CATALOGUES):
            text = text.replace(address, self.others)
        path.write_text(text, encoding="utf-8")

    def copy(self, *names: str) -> None:
        """Copy recipes, which users copy as they are."""
        for name in names:
            self.write(name, (RECIPES / name).read_text(encoding="utf-8"))

    def judged(self, directory: str) -> set[str]:
        """The targets in the gate.json of a directory."""
        text = (self.place / directory / "gate.json").read_text(encoding="utf-8")
        return {target["target"] for target in json.loads(text)["targets"]}

    def play(self, *words: str, says: str | None = None) -> int:
        """Run a playbook, which must succeed, or fail with this text. Returns the number of its changed tasks."""
        done = subprocess.run(
            ["ansible-playbook", *words],
            cwd=self.place,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"$ ansible-playbook {' '.join(words)}\n{done.stdout}", flush=True)
        assert done.returncode == (0 if says is None else 2), f"{words} ended with status {done.returncode}."
        assert says is None or says in done.stdout, f"{words} must say: {says}"
        return sum(map(int, re.findall(r" changed=(\d+) ", done.stdout)))

    def play_twice(self, *words: str) -> None:
        """A second run changes nothing."""
        assert self.play(*words) > 0
        assert self.play(*words) == 0

    @property
    def names(self) -> set[str]:
        return {target["name"] for target in self.service.targets()}


def targets_from_csv(kitchen: Kitchen) -> None:
    title = "Targets from a CSV file"
    playbook, task = blocks(title, "yaml+jinja")
    kitchen.write("targets.csv", blocks(title, "text")[0])
    kitchen.write("targets_from_csv.yml", playbook)
    kitchen.play_twice("targets_from_csv.yml")
    described = {target["name"]: target["description"] for target in kitchen.service.targets()}
    assert described == {"https://shop.example.com": "Shop, production", "api.example.com": "Interface for partners"}

    beginning = playbook.partition("  tasks:\n")[0]
    kitchen.write("targets.txt", "# ours\none.example.com\n\n two.example.com # new\n")
    kitchen.write("targets_from_text.yml", f"{beginning}  tasks:\n{textwrap.indent(task, '    ')}")
    kitchen.play_twice("targets_from_text.yml")
    assert kitchen.names - set(described) == {"one.example.com", "two.example.com"}


def targets_from_a_cmdb(kitchen: Kitchen) -> None:
    variables, playbook = blocks("Targets from a CMDB", "yaml+jinja")
    kitchen.write("inventory/group_vars/all.yml", variables)
    kitchen.write("register.yml", playbook)
    for hosts in (("web.example.com", "mail.example.com"), ("web.example.com",)):
        kitchen.write("inventory/hosts.yml", json.dumps({"all": {"hosts": {host: {} for host in hosts}}}))
        kitchen.play_twice("-i", "inventory", "register.yml")
    assert {"web.example.com", "https://web.example.com", "api.example.com"} < kitchen.names
    assert not {"mail.example.com", "https://mail.example.com"} & kitchen.names


def plan_as_a_comment(kitchen: Kitchen) -> None:
    kitchen.copy("plan_comment.yml")
    wanted = sorted({"new.example.com", *kitchen.names} - {"one.example.com"})
    kitchen.write("estate/shop.yml", json.dumps({"estate_apply_workspaces": [{"name": "Web shop", "targets": wanted}]}))
    kitchen.service.clear_log()
    kitchen.play("plan_comment.yml")
    assert kitchen.service.writes() == []
    (comment,) = Others.posted
    assert "new.example.com" in comment["body"] and "one.example.com" in comment["body"]
    Others.posted.clear()


def scan_each_night(kitchen: Kitchen) -> None:
    (playbook,) = blocks("A scan each night", "yaml+jinja")
    kitchen.write("nightly.yml", playbook.replace("concurrency: 2\n", "concurrency: 2\n        poll_interval: 0.5\n"))
    kitchen.play_twice("nightly.yml")
    assert len(kitchen.service.scans()) == len([name for name in kitchen.names if name.startswith("https:")]) > 1


def tickets_from_findings(kitchen: Kitchen) -> None:
    kitchen.copy("tickets.yml")
    kitchen.play("tickets.yml", "--check")
    assert Others.posted == []
    kitchen.play_twice("tickets.yml")
    assert Others.posted
    titles = [ticket["title"] for ticket in Others.posted]
    assert len(titles) == len(set(titles))
    for ticket in Others.posted:
        assert set(ticket["labels"]) <= {"high", "critical"}
        assert re.fullmatch(
            r"Targets: https://\S+(, https://\S+)*\. Findings: \d+(, \d+)*\.", ticket["description"].strip()
        )


def several_accounts(kitchen: Kitchen) -> None:
    (playbook,) = blocks("Several accounts", "yaml+jinja")
    kitchen.write("accounts.yml", playbook)
    kitchen.play("accounts.yml", "--tags", "retail")
    assert "vpn.example.com" not in kitchen.names
    kitchen.play_twice("accounts.yml")
    assert "vpn.example.com" in kitchen.names


def in_the_playbook_of_the_csv_file(kitchen: Kitchen, name: str, tasks: str) -> None:
    """Write a playbook with the play of the recipe for CSV files, and these tasks."""
    beginning = blocks("Targets from a CSV file", "yaml+jinja")[0].partition("  tasks:\n")[0]
    beginning = re.sub(r"^( +- )example.com\n", r"\g<0>\g<1>192.0.2.0/24\n", beginning, flags=re.MULTILINE)
    kitchen.write(name, f"{beginning}  tasks:\n{textwrap.indent(tasks, '    ')}")


def targets_from_a_network(kitchen: Kitchen) -> None:
    (tasks,) = blocks("Targets from a network", "yaml+jinja")
    in_the_playbook_of_the_csv_file(kitchen, "network.yml", tasks)
    kitchen.write("hosts.gnmap", GNMAP)
    before = kitchen.names
    kitchen.play_twice("network.yml")
    assert kitchen.names - before == {*(f"192.0.2.{number}" for number in range(1, 7)), "192.0.2.40", "192.0.2.41"}


def targets_from_terraform(kitchen: Kitchen) -> None:
    (task,) = blocks("Targets from Terraform", "yaml+jinja")
    in_the_playbook_of_the_csv_file(kitchen, "terraform.yml", task)
    for names in (["https://a.example.com", "b.example.com"], ["b.example.com"]):
        before = kitchen.names
        kitchen.write("scan_targets.json", json.dumps(names))
        kitchen.play_twice("terraform.yml")
    assert before - kitchen.names == {"https://a.example.com"} and "b.example.com" in kitchen.names


def findings_as_a_table(kitchen: Kitchen) -> None:
    tasks = blocks("Read findings", "yaml+jinja")[1].replace("/srv/reports", str(kitchen.place))
    (beginning, *_tasks) = (RECIPES / "tickets.yml").read_text(encoding="utf-8").partition("  tasks:\n")
    kitchen.write("table.yml", f"{beginning}  tasks:\n{textwrap.indent(tasks, '    ')}")
    kitchen.play_twice("table.yml")
    header, *rows = (kitchen.place / "web-shop.csv").read_text(encoding="utf-8-sig").splitlines()
    assert header.startswith('"state","change","severity","name","target"') and rows
    assert [row for row in rows if not row.startswith(('"","","', '"incomplete",'))] == []


def gates_of_the_estate(kitchen: Kitchen) -> None:
    targets = ["https://shop.example.com", {"name": "api.example.com"}, {"name": "lab.example.com", "ignore": True}]
    workspaces = {
        "shop": {"name": "Web shop", "targets": targets},
        "office": {"name": "Office", "targets": ["vpn.example.com"]},
    }
    kitchen.copy("gate_estate.yml", "gate_workspace.yml")
    kitchen.play("gate_estate.yml", "-e", '{"files": []}', says="The files in estate declare no target")
    for name, workspace in workspaces.items():
        kitchen.write(f"estate/{name}.yml", json.dumps({"estate_apply_workspaces": [workspace]}))
    kitchen.play("gate_estate.yml", *QUICK, *NOTHING_FAILS)
    assert kitchen.judged("gate-Web-shop") == {"https://shop.example.com", "api.example.com"}
    assert kitchen.judged("gate-Office") == {"vpn.example.com"}
    everything_fails = ("-e", '{"scan_gate_policy": {"fail_on": "info"}}', "-e", "scan_gate_max_age=1d")
    kitchen.play("gate_estate.yml", *QUICK, *everything_fails, says="These workspaces did not pass: Office, Web shop")


def gates_of_accounts(kitchen: Kitchen) -> None:
    kitchen.copy("gate_accounts.yml")
    (kitchen.place / "security").mkdir()
    kitchen.play("gate_accounts.yml", *QUICK, *NOTHING_FAILS, "--tags", "office")
    assert kitchen.judged("gate-office") == {"vpn.example.com"}
    assert not (kitchen.place / "gate-retail").exists()
    kitchen.play("gate_accounts.yml", *QUICK, *NOTHING_FAILS)
    assert kitchen.judged("gate-retail") == {"https://shop.example.com"}


def gate_of_a_request(kitchen: Kitchen) -> None:
    forge = Forge()
    threading.Thread(target=forge.serve_forever, daemon=True).start()
    request = {"CI_API_V4_URL": f"{forge.address}/gitlab", "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7"}
    before = kitchen.environment
    kitchen.environment = {**before, **request, "GATE_COMMENT_TOKEN": TOKEN}
    kitchen.copy("request_gate.yml")
    for found, says, heading in (
        ([4], "The gate ended with findings", "## Gate failed"),
        ([0], None, "## Gate passed"),
    ):
        kitchen.service.settings(scan_scripts=[{"findings": found}])
        kitchen.play("request_gate.yml", *QUICK, says=says)
        # the second run updates the comment of the first
        (comment,) = forge.accounts["gitlab"].comments
        assert heading in comment["body"]
    assert kitchen.judged("scan_gate") == {"test.shop.example.com"}
    kitchen.service.settings(scan_scripts=[])
    kitchen.environment = before
    forge.shutdown()


def fresh_catalogues(kitchen: Kitchen) -> None:
    (playbook,) = blocks("Which vulnerabilities are exploited", "yaml+jinja")
    kitchen.write("exploited.yml", playbook)
    kitchen.play("exploited.yml", *QUICK, *NOTHING_FAILS)
    scans = len(kitchen.service.scans())
    Others.date = "2020-01-01"
    kitchen.play("exploited.yml", *QUICK, *NOTHING_FAILS, says="The gate ended with misconfigured")
    Others.date = ""
    kitchen.play("exploited.yml", *QUICK, *NOTHING_FAILS, says="503")
    # neither an old catalogue nor a missing one starts a scan
    assert len(kitchen.service.scans()) == scans


def controls(kitchen: Kitchen) -> None:
    script = {"findings": [0], "behind_login": ["/account/canary/"]}
    kitchen.service.settings(scan_scripts=[script])
    web = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    kitchen.write("web.yml", json.dumps({"web": {"hosts": {"localhost": web}}}))
    canary = kitchen.place / "canary"
    words = (
        "-i", "web.yml", "scanops.scanner.must_see", "-e", "workspace=Controls", "-e", "poll_interval=1",
        "-e", f"artifacts={kitchen.place}/must_see", "-e", f"control_directory={canary}",
    )  # fmt: skip
    kitchen.play(*words)
    assert (canary / ".htaccess").read_text(encoding="utf-8") == "Options +Indexes\n"
    gate = json.loads((kitchen.place / "must_see" / "gate.json").read_text(encoding="utf-8"))
    assert [each["seen"] for each in gate["controls"]] == [True]
    # after its last day, it is removed; the service here only says what the script says
    kitchen.service.settings(scan_scripts=[{**script, "behind_login": []}])
    kitchen.play(*words, "-e", "control_last_day=2020-01-01", says="did not see Directory listing at /account/canary/")
    assert not canary.exists()
    kitchen.play(*words, "-e", "control_last_day=2027-02-31", says="day is out of range")
    kitchen.service.settings(scan_scripts=[])


def main() -> None:
    others = ThreadingHTTPServer(("127.0.0.1", 0), Others)
    threading.Thread(target=others.serve_forever, daemon=True).start()
    with local_service().start(key=None, max_life=1800, log=requests_file()) as service:
        kitchen = Kitchen(service, f"http://127.0.0.1:{others.server_port}", Path(sys.argv[1]).absolute())
        for recipe in (
            targets_from_csv, targets_from_a_cmdb, plan_as_a_comment, scan_each_night, tickets_from_findings,
            several_accounts, targets_from_a_network, targets_from_terraform, findings_as_a_table, gates_of_the_estate,
            gates_of_accounts, gate_of_a_request, fresh_catalogues, controls,
        ):  # fmt: skip
            recipe(kitchen)
        assert service.violations() == []


if __name__ == "__main__":
    main()

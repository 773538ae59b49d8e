# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role scan_gate: which host works, what is wrong with the variables, the scans, the decision, and how the role ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleError

from ..module_utils._gate.formats.sarif import PROFILES
from ..module_utils._model.errors import Refused, ScannerError, WrongOption, printable
from ..module_utils._model.outcomes import (
    FAIL,
    MISCONFIGURED,
    NOTHING_SCANNED,
    OUTCOMES,
    SERVICE_ERROR,
    STALE_BASELINE,
)
from ..module_utils._scan.spec import check_options, specs_of
from ..module_utils._scope.permit import Permits
from ..module_utils._scope.rules import compile_scope
from ..module_utils._task.connection_options import CONNECTION_OPTIONS
from ..modules.scan import MODULE as SCAN
from ._core import as_module_reads
from ._gate_build import Build
from ._gate_runs import withdraw
from ._gate_variables import (
    DEFAULTS,
    PREFIX,
    attested,
    classified,
    differing,
    digests,
    listed,
    mistake_in,
    named,
    usable_formats,
)
from ._in_process import AsModule, Lines, apart, converted
from ._notes import note, notes
from ._play import is_selected
from ._role_action import JOINED, SHOWN, SKIPPED, Result, RoleAction

# options of the modules that the role itself decides, so that neither a variable nor module_defaults set them
_OF_SCAN = ("id", "target", "target_id", "workspace_id", "tool", "missing_target", "state", "force", "wait")
_OF_GATE = ("workspace_id", "scan_ids", "findings_file", "scan_results", "rows")
# options of both
_OF_BOTH = ("workspace", "targets", "tools")
# in the mark of targets that the role creates
_OWNER = "scan_gate"
# every other option of scan is a variable of the role, as is every one of gate
SCAN_OPTIONS = tuple(name for name in SCAN.options if name not in (*_OF_SCAN, *_OF_BOTH))
# options that change neither what is scanned nor what is decided
_NOT_JUDGED = (
    *(
        "artifacts",
        "formats",
        "estate_files",
        "sarif_profile",
        "sarif_category",
        "sarif_location",
        "export_all",
        "origin",
        "owners",
        "notice",
    ),
    *("baseline_update", "concurrency", "poll_interval", "stop_on_interrupt"),
    *("queue_timeout", "run_timeout", "outage_wait", "on_timeout"),
)
# options of the connection that count for the address of the build
_OF_BUILD = ("validate_certs", "ca_path")
# for the conversion of the other options
_ANY_CONNECTION = {"base_url": "https://localhost/api/v2", "api_key": "none"}


class GateAction(RoleAction):
    """The steps are for all hosts that run the role. The first of them does the work."""

    steps = ("enter", "judge", "pass_on", "end")
    given = ("scan_gate_result",)
    together = "scan_gate could not stop them"
    known = tuple(f"{PREFIX}{name}" for name in ("outcome", "passed", "counts", "plan", "files"))

    def enter(self) -> Result:
        """Note that this host runs the role, and its values of what is judged."""
        if not is_selected(self._task, self.variables):
            self.begin(selected=False)
            return SKIPPED
        if not self._red():
            # before anything can fail
            withdraw(os.path.realpath(self.directory()))
        wrong = self.wrong_play()
        if wrong:
            raise Refused(wrong)
        problem, settings = self.misuse(), {}
        if not problem:
            try:
                found = {**self.defaults("gate"), **self.defaults("scan"), **self.own_values()}
                found["base_url"] = self.value("base_url", found.get("base_url"))
                judged = [name for name in (*self.own_options(), "base_url") if name not in _NOT_JUDGED]
                settings = digests({f"{PREFIX}{name}": found.get(name) for name in judged})
            except (ScannerError, AnsibleError) as error:
                problem = str(error)
        self.begin(problem=problem, settings=settings)
        return {}

    def judge(self) -> Result:
        """Scan and judge, if this is the first host, and note the decision."""
        if not self.is_in_charge():
            return SKIPPED if self.is_out() else {}
        red = self._red()
        if red:
            self.keep("decision", {"failure": red[0], "line": "", "result": {"msg": red[0]}})
            return {}
        return _Gate(self).run()

    def _red(self) -> list[str]:
        """Why hosts of an earlier batch failed, which were rescued."""
        return [each["failure"] for each in notes("red gate") if each["origin"] == self.origin]

    def directory(self) -> str:
        """The directory of the artefacts, "" if the variable is no path."""
        found = DEFAULTS["artifacts"]
        with contextlib.suppress(ScannerError, AnsibleError):
            found = self.defaults("gate").get("artifacts", found)
            found = self.value("artifacts", found)
        return self.absolute(found) if found and isinstance(found, str) else ""

    def pass_on(self) -> Result:
        """The result of the module gate, for all hosts; and the statistics, from the first one."""
        decision = self.kept("decision")
        if self.is_out() or decision is None:
            return SKIPPED
        # ansible-core takes the status of a program that crashed for a failure
        result = {**decision["result"], "failed": False}
        if self.is_in_charge():
            return {**result, **decision.get("stats", {})}
        return {**result, "changed": False}

    def end(self) -> Result:
        """Fail unless the gate has passed, and say how it ended."""
        if self.is_out():
            return SKIPPED
        decision = self.kept("decision") or {"failure": "The gate did not return an outcome, so it fails.", "line": ""}
        if decision["failure"]:
            # a list, because a message is one line
            problems = decision.get("problems") if self.is_in_charge() else None
            more = {"problems": problems} if problems else {}
            msg = decision["failure"]
            if self.entry() is None:
                msg = "The role scan_gate must begin with its first task, so it fails: run the play without --start-at-task."
            elif not self.is_in_charge():
                # only the message of the first host is complete
                msg = f"{msg.split('. ')[0].rstrip('.')}. The message of {self.entered()[0]['host']} says more."
            return {"failed": True, "msg": msg, **more}
        return {"msg": decision["line"], **SHOWN} if self.is_in_charge() else {}


class _Gate:
    """One run of the role."""

    def __init__(self, action: GateAction) -> None:
        self.action = action
        self.of_gate, self.of_scan = action.defaults("gate"), action.defaults("scan")
        self.wrong = next((each["problem"] for each in action.entered() if each["problem"]), "")
        self.values: Result = {}
        # also those of a wrong configuration, which say where the artefacts are written
        for name in action.own_options():
            try:
                self.values.update(action.values([name]))
            except ScannerError as error:
                self.wrong = self.wrong or str(error)
        self.wrong = action.null_in(self.values) or self.wrong
        # what the play sets for a module counts where the role has another default
        defaults = {**self.of_gate, **self.of_scan}
        self.settings = {
            **DEFAULTS,
            **{name: each for name, each in defaults.items() if name in DEFAULTS},
            **self.values,
        }
        self.settings.update({name: listed(self.settings.get(name)) for name in ("targets", "tools")})
        self.declares = action.value("missing_targets", self.of_scan.get("missing_target", "create")) == "create"
        # messages name an option as the user has set it
        set_by_play = {f"{PREFIX}{name}" for name in defaults if name not in self.values}
        self.variables = [name for name in action.documented() if name not in set_by_play]
        self.artifacts = action.directory()
        self.plan = ""
        self.build: Build | None = None
        self.nothing = os.path.join(action._task._role._role_path, "files", "nothing.jsonl")

    def run(self) -> Result:
        """The result of the step, after the decision is noted."""
        self.wrong = self.wrong or differing(self.action.entered()) or mistake_in(self.settings) or self._taken() or ""
        checked = self._check()
        if checked.get("outcome") == MISCONFIGURED:
            self.wrong = self.wrong or named((checked.get("reasons") or [checked["msg"]])[0], self.variables)
        self.wrong = self.wrong or self._wrong_scan()
        refusal = self._refusal(checked)
        results, unread, would_scan = ([refusal], True, False) if refusal else self._scan_build()
        if would_scan:
            targets, tools = (", ".join(map(str, self.settings[name])) for name in ("targets", "tools"))
            line = f"Would scan {targets} with {tools}, and judge the findings. Nothing was judged."
            self.action.keep("decision", {"failure": "", "line": line, "result": {"msg": line}})
            return {"changed": True}
        judged = self._judge(results, unread)
        failure = ""
        if judged.get("verdict", FAIL) == FAIL or judged.get("failed"):
            # what a module that crashed printed may hold secrets, so it is not repeated
            lost = "" if "outcome" in judged else "The gate did not return an outcome, so it fails."
            failure = " ".join(filter(None, [lost, judged.get("msg", "")]))
        result = {name: each for name, each in judged.items() if name not in ("failed", "exception", *JOINED)}
        own = {
            "scan_gate_outcome": result.get("outcome", SERVICE_ERROR),
            "scan_gate_passed": bool(result.get("passed")),
            "scan_gate_counts": result.get("counts", {}),
            "scan_gate_plan": self.plan,
            "scan_gate_files": [each["path"] for each in result.get("files", [])],
        }
        note("gate statistics", self.action.key, own)
        # the statistics of a run are those of its worst gate, and the files of all
        gates = notes("gate statistics")
        worst = min(gates, key=lambda each: OUTCOMES.index(each["scan_gate_outcome"]))
        files = list(dict.fromkeys(path for each in gates for path in each["scan_gate_files"]))
        data = {**worst, "scan_gate_files": files}
        stats = {"ansible_stats": {"data": data, "per_host": False, "aggregate": False}}
        decision = {"failure": failure, "line": result.get("msg", ""), "result": result, "stats": stats}
        self.action.keep("decision", {**decision, "problems": checked.get("problems")})
        if failure:
            note("red gate", self.action.key, {"origin": self.action.origin, "failure": failure})
        return {"changed": any(each.get("changed") for each in results)}

    def _taken(self) -> str | None:
        """Why the directory cannot be used, because another gate of the play has written there, or None."""
        hosts, origin = [each["host"] for each in self.action.entered()], self.action.origin
        if not self.artifacts:
            return None
        place = os.path.realpath(self.artifacts)
        holds_files = os.path.isdir(self.artifacts) and bool(os.listdir(self.artifacts))
        for each in notes("gate directory"):
            is_mine = each["origin"] == origin and not set(each["hosts"]) & set(hosts)
            if each["path"] == place and holds_files and not is_mine:
                return (
                    f"{PREFIX}artifacts is {printable(self.artifacts, 500)}, where an earlier gate of this run has written"
                    " its files, which would be lost: give each gate a directory of its own."
                )
        note("gate directory", self.action.key, {"path": place, "origin": origin, "hosts": hosts})
        return None

    # --- before any scan, which costs more than a mistake in an option

    def _check(self) -> Result:
        """An empty file, judged with all options: only a wrong option has no outcome of its own."""
        if self.wrong:
            return {}
        outcomes = self._option("outcomes") or {}
        # an empty file is no reason for a warning
        quiet = {"nothing_scanned": FAIL, "not_covered": FAIL}
        options = {**self._gate_options(), "findings_file": self.nothing, "workspace": self.settings.get("workspace")}
        max_age = self.values.get("max_age", self.of_scan.get("max_age", 0))
        options["expect"] = {"targets": self.settings["targets"], "tools": self.settings["tools"], "max_age": max_age}
        if isinstance(outcomes, Mapping):
            options["outcomes"] = {**outcomes, **quiet}
        result = self._gate(options, check_mode=True)
        # the decision warns
        self.action._joined.pop("warnings", None)
        return classified(result, self.variables)

    def _refusal(self, checked: Result) -> Result | None:
        """What is judged in place of a scan: a mistake, or a baseline that cannot be used and that no outcome accepts."""
        if self.wrong:
            return {"failed": True, "outcome": MISCONFIGURED, "msg": self.wrong}
        if "baseline" not in checked:
            msg = checked.get("msg") or "The options could not be checked."
            return {"failed": True, "outcome": SERVICE_ERROR, "msg": msg}
        baseline = checked["baseline"]
        may_be_missing = baseline["state"] == "missing" and self._option("baseline_missing") != "fail"
        if baseline["reason"] is None or may_be_missing or checked["outcomes"][STALE_BASELINE] != FAIL:
            return None
        return {"failed": True, "outcome": STALE_BASELINE, "msg": baseline["reason"]}

    def _option(self, name: str) -> Any:
        return self.values.get(name, self.of_gate.get(name))

    # --- the scans

    def _scan_build(self) -> tuple[list[Result], bool, bool]:
        """The same as ``_scan``, of the build to judge: nothing is scanned without it, and it is read again after the scans."""
        build, checks = self.build, bool(self.action._task.check_mode)
        if build is None:
            return self._scan()
        with self._apart():
            is_ready = build.is_ready(0 if checks else build.wait)
        if not is_ready:
            # an outcome that passes must not hide it
            return [{"failed": True, "outcome": NOTHING_SCANNED, "msg": "Nothing was scanned."}], True, False
        scanned = self._scan()
        if not checks:
            with self._apart():
                build.read_again()
        return scanned

    def _apart(self) -> contextlib.AbstractContextManager[None]:
        """With the environment of the play, in the directory of the playbook."""
        environment: Result = {}
        self.action._compute_environment_string(environment)
        variables = {str(name): str(value) for name, value in environment.items()}
        return apart(variables, self.action._loader.get_basedir())

    def _scan(self) -> tuple[list[Result], bool, bool]:
        """The results that the gate judges; whether no finding can be read; whether check mode would start a scan."""
        declared: Result = {"plan": {"checksum": ""}}
        if self.declares:
            # a preview environment may have the targets of another workspace
            workspace = {"name": self.settings.get("workspace"), "new": True, "targets": self.settings["targets"]}
            # what scans may not reach is not declared either, and a scope of the play for the module estate counts as well
            has_own = "scope" in self.action.defaults("estate")
            scope = self.values.get("scope", None if has_own else self.of_scan.get("scope"))
            # nothing is deleted, whatever the play sets for the module
            options = {"workspaces": [workspace], "purge": [], "owner": _OWNER, "unmanaged": "ignore"}
            options.update({} if scope is None else {"scope": scope})
            declared = self.action.call("estate", options, without=("declared_at", "expect_plan"))
        results = [declared] if self.declares else []
        failed = "plan" not in declared or "msg" in declared
        if not failed:
            self.plan = declared["plan"]["checksum"]
            results.insert(0, self.action.call("scan", self._scan_options(), without=_OF_SCAN))
        changed = any(each.get("changed") for each in results)
        would_scan = bool(self.action._task.check_mode) and changed and not any("msg" in each for each in results)
        results = [classified(each, self.variables) for each in results]
        # the service cannot be asked, because of an option of the connection
        unread = failed and any(each.get("outcome") == MISCONFIGURED for each in results)
        return results, unread, would_scan

    def _scan_options(self) -> Result:
        options = {name: self.values[name] for name in SCAN_OPTIONS if name in self.values}
        for name in (*_OF_BOTH, "poll_interval", "stop_on_interrupt"):
            options[name] = self.settings.get(name)
        options["missing_target"] = "create" if self.declares else "fail"
        return options

    def _wrong_scan(self) -> str:
        """Why the module scan would refuse its options before any call, or ""."""
        given = self.action.arguments("scan", self._scan_options(), without=_OF_SCAN)
        # the module itself says what is wrong with the connection, which the environment may set
        others = {name: each for name, each in given.items() if name not in CONNECTION_OPTIONS or name in _OF_BUILD}
        try:
            params = converted(SCAN, as_module_reads({**_ANY_CONNECTION, **others}))
            check_options(params)
            specs_of(params)
            if params["scope"] is not None:
                Permits(compile_scope(params["scope"])).refuse(params["targets"])
            if "build" in self.values:
                lines = Lines(bool(self.action._task.no_log), self.action.host)
                with self._apart():
                    self.build = Build(self.values["build"], params, lines.show)
        except AsModule as error:
            return f"{PREFIX}build cannot be read, because {error}: correct them." if "build" in self.values else ""
        except (WrongOption, Refused, TypeError, ValueError) as error:
            return named(str(error), self.variables)
        return ""

    # --- the decision

    def _judge(self, results: Sequence[Result], unread: bool) -> Result:
        """The result of the module gate, which also writes the artefacts."""
        if self.wrong:
            # a wrong option is in the results; the gate itself must not trip over it
            options: Result = {
                name: self.values[name]
                for name in ("sarif_profile", "sarif_category")
                if isinstance(self.values.get(name), str)
            }
            if options.get("sarif_profile") not in PROFILES:
                options.pop("sarif_profile", None)
            options["formats"] = usable_formats(self.settings["formats"], self.wrong)
            options.update(attested(options["formats"], self._option("subjects")))
        else:
            # the play may expect more of each gate than the targets and tools of the role
            options = {**self._gate_options(), "workspace": self.settings.get("workspace")}
        if self.build and self.build.option:
            options["build"] = self.build.option
        if unread:
            options["findings_file"] = self.nothing
        else:
            options.update({name: self.settings[name] for name in ("targets", "tools")})
        options.update(scan_results=results, rows="failing", artifacts=self.artifacts)
        unusable = not self.artifacts or self.wrong.startswith(f"{PREFIX}artifacts ")
        if unusable:
            options.pop("artifacts")
        without = [*self.action.own_options(), "expect"] if self.wrong else ["artifacts"] if unusable else []
        return self._gate(options, without)

    def _gate_options(self) -> Result:
        others = (*SCAN_OPTIONS, *_OF_BOTH, "missing_targets", "build")
        given = {name: each for name, each in self.values.items() if name not in others}
        return {**given, "formats": self.settings["formats"], "artifacts": self.artifacts}

    def _gate(self, options: Result, without: Collection[str] = (), check_mode: bool | None = None) -> Result:
        return self.action.call(
            "gate", options, without={*without, *_OF_GATE, *_OF_BOTH, "build"}, check_mode=check_mode
        )

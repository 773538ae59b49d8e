# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Owners that share a workspace: who may delete what, and what is protected."""

from __future__ import annotations

import pytest

ROWS = {
    "bare.example": "Production",
    "shop1.example": "Front [managed by shop]",
    "shop2.example": "[managed by shop]",
    "cmdb1.example": "Host 1 [managed by cmdb]",
    "cmdb2.example": "Host 2 [managed by cmdb]",
    "kept.example": "[managed by shop, protected]",
    "vip.example": "VIP [protected]",
    "cut.example": "Old [managed by cm",
}


@pytest.fixture
def account(service):
    service.reset(
        settings={"rate_limits": None, "validate": True},
        state={
            "workspaces": [{"id": 2, "name": "Shop"}],
            "targets": [
                {"id": 1001 + index, "name": name, "description": text, "workspace": "Shop"}
                for index, (name, text) in enumerate(ROWS.items())
            ],
        },
    )
    return service


@pytest.fixture(params=["targets", "estate"])
def apply(request, run):
    """Declare targets of the workspace Shop with one of the two modules."""

    def declare(targets, purge=True, **options):
        if request.param == "targets":
            return run("targets", workspace="Shop", targets=targets, purge=purge, purge_floor=99, **options)
        lists = ["targets"] if purge else []
        estate = [{"name": "Shop", "targets": targets}]
        return run("estate", workspaces=estate, purge=lists, purge_floor=99, **options)

    return declare


def outcome(result, account):
    """{action: names} of what is not unchanged, and what was deleted."""
    assert not result.failed, result.msg
    actions: dict[str, list[str]] = {}
    for each in result["results"]:
        if each["action"] != "unchanged":
            actions.setdefault(each["action"], []).append(each["name"])
    left = {row["name"] for row in account.targets()}
    assert set(ROWS) - left == set(actions.get("delete", [])) & set(ROWS)
    return actions


FOREIGN = ["cmdb1.example", "cmdb2.example", "cut.example"]
PROTECTED = ["kept.example", "vip.example"]


def test_without_an_owner_only_unmarked_targets_are_purged(account, apply):
    actions = outcome(apply(["new.example"]), account)
    assert actions == {
        "create": ["new.example"],
        "delete": ["bare.example"],
        "foreign": ["cmdb1.example", "cmdb2.example", "cut.example", "shop1.example", "shop2.example"],
        "protected": PROTECTED,
    }
    assert [row["description"] for row in account.targets() if row["name"] == "new.example"] == [""]


def test_an_owner_purges_unmarked_targets_and_its_own(account, apply):
    actions = outcome(apply(["new.example"], owner="shop"), account)
    assert actions == {
        "create": ["new.example"],
        "delete": ["bare.example", "shop1.example", "shop2.example"],
        "foreign": FOREIGN,
        "protected": PROTECTED,
    }
    assert [row["description"] for row in account.targets() if row["name"] == "new.example"] == ["[managed by shop]"]


def test_an_owner_purges_only_its_own(account, apply):
    actions = outcome(apply(["shop1.example"], owner="shop", purge_only="own"), account)
    assert actions == {"delete": ["shop2.example"], "foreign": FOREIGN, "protected": PROTECTED}


def test_an_owner_takes_over_those_of_another(account, apply):
    result = apply(["shop1.example"], owner="shop", purge_only="own", adopt=["cmdb"])
    reasons = {each["name"]: each["reason"] for each in result["plan"]["actions"]}
    assert reasons["cmdb1.example"] == "not declared, adopted from 'cmdb'"
    actions = outcome(result, account)
    assert actions["delete"] == ["cmdb1.example", "cmdb2.example", "shop2.example"]
    assert actions["foreign"] == ["cut.example"]


def test_a_renamed_owner_leaves_nothing_foreign_once_it_adopts(account, apply):
    actions = outcome(apply(["bare.example"], owner="web", adopt=["shop"]), account)
    assert actions == {"delete": ["shop1.example", "shop2.example"], "foreign": FOREIGN, "protected": PROTECTED}


def test_what_was_declared_here_and_is_removed_again_stays_somebody_elses(account, apply):
    declared = [*ROWS, "new.example"]
    assert apply(declared, owner="shop")["summary"]["create"] == 1
    actions = outcome(apply(["bare.example"], owner="shop"), account)
    assert {"cmdb1.example", "cmdb2.example"} < set(actions["foreign"])


def test_a_declared_description_is_compared_without_the_mark(account, apply):
    declared = [
        {"name": "shop1.example", "description": "Front"},
        {"name": "vip.example", "description": "VIP"},
        {"name": "cmdb1.example", "description": "Host 1"},
    ]
    assert outcome(apply(declared, purge=False, owner="shop", on_drift="fail"), account) == {}
    account.clear_log()
    assert not apply(declared, purge=False, owner="web", on_drift="fail").changed and account.writes() == []


def test_what_exists_without_the_mark_is_named(account, apply):
    result = apply(["shop1.example", "bare.example", "cmdb1.example"], purge=False, owner="shop")
    assert result["plan"]["unmarked"] == ["bare.example", "cmdb1.example"]
    assert apply(["bare.example"], purge=False)["plan"]["unmarked"] == []


# --- protection


def test_a_new_target_is_protected_by_its_mark_once_its_line_is_gone(account, apply):
    new = [{"name": "new.example", "description": "Till", "protect": True}]
    apply([*new, *ROWS], owner="shop")
    assert [row["description"] for row in account.targets() if row["name"] == "new.example"] == [
        "Till [managed by shop, protected]"
    ]
    assert not apply([*new, *ROWS], owner="shop").changed
    actions = outcome(apply(list(ROWS), owner="shop"), account)
    assert actions == {"protected": ["new.example"]}
    assert apply(list(ROWS), owner="shop", unprotect=["NEW.example."])["summary"]["delete"] == 1


def test_a_target_that_exists_is_protected_as_long_as_it_is_declared(account, apply):
    result = apply([{"name": "bare.example", "protect": True, "description": "Other"}], purge=False, on_drift="recreate",
                   force=True)  # fmt: skip
    assert outcome(result, account) == {"protected": ["bare.example"]}
    (warning,) = [each for each in result.warnings if "the mark that protects" in each]
    assert "'bare.example') exists without the mark that protects" in warning


@pytest.mark.parametrize("name, action", [("cmdb1.example", "foreign"), ("vip.example", "protected"),
                                          ("cut.example", "foreign"), ("shop1.example", "update")])  # fmt: skip
def test_recreating_deletes_nothing_that_purge_may_not(account, apply, name, action):
    declared = [{"name": name, "description": "Entirely different"}]
    result = apply(declared, purge=False, owner="shop", on_drift="recreate", force=True)
    assert not result.failed and [each["action"] for each in result["results"] if each["name"] == name] == [action]
    text = next(row["description"] for row in account.targets() if row["name"] == name)
    assert text == ("Entirely different [managed by shop]" if action == "update" else ROWS[name])


def test_a_recreated_target_keeps_its_protection_and_owner(account, apply):
    declared = [{"name": "vip.example", "description": "Entirely different"}]
    result = apply(declared, purge=False, on_drift="recreate", force=True, unprotect=["vip.example"])
    assert not result.failed, result.msg
    assert [row["description"] for row in account.targets() if row["name"] == "vip.example"] == [
        "Entirely different [protected]"
    ]


def test_absent_deletes_nothing_that_purge_may_not(account, run):
    options = dict(workspace="Shop", targets=list(ROWS), state="absent", owner="shop")
    actions = outcome(run("targets", **options), account)
    assert actions == {
        "delete": ["bare.example", "shop1.example", "shop2.example"],
        "foreign": FOREIGN,
        "protected": PROTECTED,
    }


@pytest.mark.parametrize("pattern", ["bare.*", "BARE.example.", "*"])
def test_a_pattern_protects_what_would_be_recreated(account, apply, pattern):
    declared = [{"name": "bare.example", "description": "Entirely different"}]
    result = apply(declared, purge=False, on_drift="recreate", force=True, protect=[pattern])
    assert outcome(result, account) == {"protected": ["bare.example"]} and account.writes() == []
    (action,), (warning,) = result["plan"]["actions"], result["plan"]["warnings"]
    assert action["reason"].endswith(f"but protected by {pattern!r}") and "is not recreated: " in warning


def test_a_pattern_protects_what_is_absent(account, run):
    options = dict(workspace="Shop", targets=["bare.example", "shop1.example"], state="absent", owner="shop")
    result = run("targets", **options, protect=["bare.*"])
    assert outcome(result, account) == {"delete": ["shop1.example"], "protected": ["bare.example"]}
    (warning,) = result["plan"]["warnings"]
    assert warning.startswith("targets[0] ('bare.example') is not deleted: protected by 'bare.*'.")


# --- what cannot be meant


@pytest.mark.parametrize(
    "options, words",
    [
        ({"owner": ""}, "owner is ''"),
        ({"owner": "a/b"}, "owner is 'a/b'"),
        ({"owner": "x" * 61}, "owner is"),
        ({"owner": "a", "adopt": ["b]"]}, "adopt is 'b]'"),
        ({"purge_only": "own"}, "purge_only: own needs the owner"),
    ],
)
def test_an_owner_that_cannot_be_meant_is_refused(account, apply, options, words):
    result = apply(["bare.example"], **options)
    assert result.failed and words in result.msg and account.calls() == []


def test_a_declared_description_has_no_mark(account, apply):
    result = apply([{"name": "a.example", "description": "x [managed by shop]"}])
    assert result.failed and "description has a mark of an owner" in result.msg and account.calls() == []


@pytest.mark.parametrize("settings", [{"missing_in_lists": {"targets": ["description"]}}], ids=["by id only"])
def test_a_description_that_only_a_read_by_id_shows_is_read(account, apply, settings):
    account.settings(**settings)
    actions = outcome(apply(["shop1.example"], owner="shop"), account)
    assert actions["foreign"] == FOREIGN


def test_the_percentage_counts_what_may_be_purged(account, run):
    rows = [{"name": f"web{n}.example", "workspace": "Shop", "description": "[managed by web]"} for n in range(10)]
    account.add(targets=rows)
    declared = [row["name"] for row in rows[:6]]
    result = run("targets", workspace="Shop", targets=declared, purge=True, owner="web", purge_only="own")
    assert result.failed and account.writes() == []
    assert "4 of the 10 targets of workspace 'Shop' that it may purge would be deleted" in result.msg


def test_an_approved_recreation_is_not_that_of_another_owner(account, run):
    declared = [{"name": account.targets()[0]["name"], "description": "Another text"}]
    options = dict(workspace_id=account.targets()[0]["workspace_id"], targets=declared, on_drift="recreate", force=True)
    plans = [run("targets", check=True, owner=owner, **options)["plan"] for owner in ("team-a", "team-b")]
    assert plans[0]["checksum"] != plans[1]["checksum"]
    assert plans[0]["actions"][0]["after"]["description"] == "Another text [managed by team-a]"


# --- guards cannot be misspelt


def stale(result):
    """The sentence on entries that match nothing, "" without one."""
    return next((each for each in result["plan"]["warnings"] if "could delete" in each), "")


def test_an_entry_that_matches_nothing_is_named(account, apply):
    guards = dict(adopt=["cmdb", "cmbd"], unprotect=["VIP.example.", "kep.example"], protect=["bare.*", "bear.*"])
    result = apply(["shop1.example"], owner="shop", **guards)
    assert stale(result).startswith(
        "protect[1] ('bear.*'), adopt[1] ('cmbd'), unprotect[1] ('kep.example') match no object that this task could delete"
    )
    assert stale(apply(["shop1.example"], owner="shop", purge=False, adopt=["cmbd"])) == ""


def test_an_entry_is_not_called_misspelt_where_marks_are_shown_nowhere(account, apply):
    account.settings(missing_fields={"targets": ["description"]})
    assert stale(apply(list(ROWS), owner="shop", adopt=["cmdb"])) == ""


def test_an_entry_that_matches_nothing_is_named_without_a_purge(account, run):
    absent = dict(workspace="Shop", targets=["cmdb1.example"], state="absent", adopt=["cmbd"])
    assert stale(run("targets", check=True, **absent)).startswith("adopt[0] ('cmbd') matches no object")
    recreated = dict(
        workspace="Shop", targets=["cmdb1.example"], on_drift="recreate", force=True, unprotect=["x.example"]
    )
    assert stale(run("targets", check=True, **recreated)).startswith("unprotect[0] ('x.example') matches no object")


def test_a_declared_deletion_that_is_not_made_is_no_silence(account, run):
    result = run("targets", workspace="Shop", targets=["cmdb1.example", "kept.example"], state="absent", owner="shop")
    assert not result.failed and account.writes() == []
    assert result["plan"]["warnings"] == [
        "targets[0] ('cmdb1.example') is not deleted: managed by 'cmdb'. The plan has 1 more. To allow that, see adopt,"
        " unprotect and protect."
    ]


def test_what_only_its_line_protects_is_not_said_to_have_a_mark(account, apply):
    declared = [{"name": "bare.example", "protect": True, "description": "Other"}]
    result = apply(declared, purge=False, on_drift="recreate", force=True)
    (action,) = result["plan"]["actions"]
    assert action["action"] == "protected" and action["reason"].endswith("but declared with protect")

# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.scanops.scanner.plugins.plugin_utils._interrupt_lines import lines


def row(name, action="create"):
    return {"resource": "target", "name": name, "action": action, "id": 1}


def test_what_was_written_is_named_by_action_before_the_message():
    rows = [row("b", "delete"), row("a\x1b"), row("c"), row("d", "failed"), row("e", "unchanged"), row("f", "update")]
    assert lines("targets", {"failed": True, "changed": True, "msg": "it ended", "results": rows}) == [
        "interrupted: targets: 2 objects created: target 'a\\\\x1b', target 'c'",
        "interrupted: targets: 1 object updated: target 'f'",
        "interrupted: targets: 1 object deleted: target 'b'",
        "interrupted: targets: it ended",
    ]


def test_many_are_named_up_to_a_number():
    rows = [row(f"host-{number}") for number in range(25)]
    (line,) = lines("targets", {"changed": True, "results": rows})
    assert line.startswith("interrupted: targets: 25 objects created: target 'host-0', ")
    assert line.endswith("target 'host-19' and 5 more")


def test_a_task_that_was_complete_says_whether_it_changed_anything():
    assert lines("target", {"changed": True, "target": {}}) == ["interrupted: target: changed as declared"]
    assert lines("target", {"changed": False}) == ["interrupted: target: nothing was changed"]


def test_a_failed_task_without_a_change_says_so():
    assert lines("target", {"failed": True, "changed": False, "msg": "no"}) == [
        "interrupted: target: no",
        "interrupted: target: nothing was changed",
    ]

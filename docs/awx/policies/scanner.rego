# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Policies for jobs of Automation Platform that use the scanning service. The platform sends the data of a job as input
# and refuses the job unless the answer allows it. data.json holds what to adapt. Each rule is one query path:
#
#   scanner/purge   deletions need the checksum of a plan, and the workflow that asks for an approval
#   scanner/scope   the survey names only targets in scope, and no variable replaces the scope or the connection
#   scanner/place   the credential is used only with its own project and inventory
#
# The platform lets a job pass if "violations" is empty, whatever "allowed" says, so both always agree.

package scanner

import rego.v1

purge := answer(purge_violations)

scope := answer(scope_violations)

place := answer(place_violations)

answer(violations) := {
  "allowed": count(violations) == 0,
  "violations": sort([violation | some violation in violations]),
}

# --- purge

purging_variables := {"plan_purge", "estate_apply_purge", "estate_register_retire"}

purge_violations contains violation if {
  input.job_type != "check"
  some name in purging_variables
  requests_deletions(object.get(input.extra_vars, name, false))
  not names_a_plan
  violation := concat("", [name, " requests deletions without plan_checksum, the checksum of a reviewed plan. Start the workflow."])
}

purge_violations contains violation if {
  input.job_type != "check"
  some name in purging_variables
  requests_deletions(object.get(input.extra_vars, name, false))
  not is_part_of_a_workflow
  violation := concat("", [name, " requests deletions outside the workflow that asks for an approval. Start the workflow."])
}

requests_deletions(value) if {
  not harmless(value)
}

harmless(value) if value in {false, "false", "False", "no", "", "[]"}

harmless(value) if value == []

harmless(value) if value == null

names_a_plan if regex.match(`^[0-9a-f]{64}$`, object.get(input.extra_vars, "plan_checksum", ""))

is_part_of_a_workflow if {
  input.launch_type == "workflow"
  input.workflow_job_template.name in data.limits.workflows
}

# --- scope

target_variables := {"declare_targets", "scan_targets"}

scope_violations contains violation if {
  some name in target_variables
  some target in regex.split(`\s+`, object.get(input.extra_vars, name, ""))
  target != ""
  not is_in_scope(target)
  violation := concat("", [name, " names a target outside the scope, ", target, ". Remove it, or extend the scope."])
}

scope_violations contains violation if {
  some name, _ in input.extra_vars
  regex.match(`(^|_)(scope|base_url|api_key|proxy|allow_http|validate_certs)$`, name)
  violation := concat("", [name, " replaces what the credential sets. Remove the variable."])
}

is_in_scope(target) if host_of(target) in data.limits.addresses

is_in_scope(target) if host_of(target) in data.limits.domains

is_in_scope(target) if {
  some domain in data.limits.domains
  endswith(host_of(target), concat("", [".", domain]))
}

# Undefined, and so out of scope, for a name with a user, with a backslash or in brackets.
host_of(target) := host if {
  found := regex.find_all_string_submatch_n(`^(?:[a-z]+://)?([a-z0-9.-]+)(?::[0-9]+)?(?:/[^\\@]*)?$`, lower(target), 1)
  host := trim_right(found[0][1], ".")
}

# --- place

place_violations contains violation if {
  uses_the_service
  not object.get(input.project, "name", "") in data.limits.projects
  violation := "The credential of the scanning service is for jobs of its own project. Use its job templates."
}

place_violations contains violation if {
  uses_the_service
  not object.get(input.inventory, "name", "") in data.limits.inventories
  violation := "The credential of the scanning service is for jobs with its own inventory. Use its job templates."
}

place_violations contains violation if {
  uses_the_service
  input.scm_branch != ""
  violation := "The job selects a branch of the project, which nobody may have reviewed. Use the branch of the project."
}

uses_the_service if {
  some credential in input.credentials
  credential.name in data.limits.credentials
}

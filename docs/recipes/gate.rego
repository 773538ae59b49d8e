# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Reads gate.json, and the one of an earlier run:
#
#   opa eval --data gate.rego --data before:before.json --input gate.json data.gate

package gate

deny contains finding.name if {
  some finding in input.findings
  finding.known_exploited
  finding.change == "new"
}

owners := [finding.waiver.owner | some finding in input.findings]

waived[owner] := number if {
  some owner in owners
  number := count([each | some each in owners; each == owner])
}

unscanned contains [target.target, target.tool, target.outcome] if {
  some target in input.targets
  target.status != "finished"
}

before := {finding.fingerprint | some finding in data.before.findings}
now := {finding.fingerprint | some finding in input.findings}
compared := {"gone": before - now, "came": now - before}

text := sprintf("%s: %d of %d findings fail.", [input.outcome, input.counts.failing, input.counts.total])

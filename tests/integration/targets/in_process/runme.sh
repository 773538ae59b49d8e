#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# On the host of the integration tests, tasks run in process unless the default of in_process is false. Without this target,
# nobody would notice that all other targets run modules.

set -eu

python ../setup_service/files/start.py --ready "$OUTPUT_DIR/service.json" --with $$
SCANNER_BASE_URL=$(python -c 'import json, sys; print(json.load(sys.stdin)["base_url"])' <"$OUTPUT_DIR/service.json")
SCANNER_API_KEY=$(python -c 'import json, sys; print(json.load(sys.stdin)["api_key"])' <"$OUTPUT_DIR/service.json")
export SCANNER_BASE_URL SCANNER_API_KEY

# this directory is a copy below tests/output of the collection
if grep -qF 'in_process=dict(type="bool", default=True' "${PWD%%/tests/output/*}/plugins/module_utils/_task/connection_options.py"; then
  here="runs in process"
else
  here="runs as a module, because in_process is not true"
fi

play() {
  ansible-playbook -vvv "$@" play.yml >"$OUTPUT_DIR/play" 2>&1 || {
    cat "$OUTPUT_DIR/play"
    exit 1
  }
}

must_say() {
  grep -qF "scanops.scanner.workspace_info $1" "$OUTPUT_DIR/play" || {
    echo "The task should say that it $1:" >&2
    grep " runs " "$OUTPUT_DIR/play" >&2
    exit 1
  }
}

# the host of the other targets
play -i "$INVENTORY_PATH"
must_say "$here"
SCANNER_IN_PROCESS=true play -i "$INVENTORY_PATH"
must_say "runs in process"
SCANNER_IN_PROCESS=false play -i "$INVENTORY_PATH"
must_say "runs as a module, because in_process is not true"

#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Every text field of every family of records holds templates. Plays use what the modules and the inventory plugin read in
# templates, loops, conditions and files. A template that is evaluated leaves a file, or prints a word.

set -eux

work="$OUTPUT_DIR/work"
mkdir -p "$work"
export MARK="$work/evaluated" WORK="$work"

set +x
python ../setup_service/files/start.py --ready "$OUTPUT_DIR/service.json" --with $$
SCANNER_BASE_URL=$(python -c 'import json, sys; print(json.load(sys.stdin)["base_url"])' <"$OUTPUT_DIR/service.json")
SCANNER_API_KEY=$(python -c 'import json, sys; print(json.load(sys.stdin)["api_key"])' <"$OUTPUT_DIR/service.json")
export SCANNER_BASE_URL SCANNER_API_KEY
set -x

python plant.py "$OUTPUT_DIR/service.json" "$MARK" "$work/texts.json"
ansible-playbook -i localhost, modules.yml >"$work/modules" 2>&1 || {
  cat "$work/modules"
  exit 1
}
for cache in cold warm; do
  ansible-playbook -i text.targets.yml inventory.yml >"$work/$cache" 2>&1 || {
    cat "$work/$cache"
    exit 1
  }
done
ansible-inventory -i text.targets.yml --list >"$work/list"
ansible-inventory -i text.targets.yml --list --yaml >"$work/yaml"

for output in modules cold warm; do
  # the plays can print what a template makes, and they print the texts
  grep -q 'this is rendered' "$work/$output"
  grep -q 'echo tem' "$work/$output"
done
if [ -e "$MARK" ] || grep -rl 'templated' "$work"; then
  echo "A text of the service was evaluated as a template." >&2
  exit 1
fi

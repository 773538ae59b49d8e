#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Run every module and the inventory plugin, failing ones too, at -vvvv, and look for the key and two passwords in all
# that was printed and written. No set -x here: it would print them.

set -eu

work="$OUTPUT_DIR/work"
outside="$OUTPUT_DIR/outside"
mkdir -p "$work/output" "$outside"

python ../setup_service/files/start.py --ready "$outside/service.json" --with $$
SCANNER_BASE_URL=$(python -c 'import json, sys; print(json.load(sys.stdin)["base_url"])' <"$outside/service.json")
SCANNER_API_KEY=$(python -c 'import json, sys; print(json.load(sys.stdin)["api_key"])' <"$outside/service.json")
PROXY_PASSWORD=proxy-$(python -c 'import secrets; print(secrets.token_hex(16))')
SITE_PASSWORD=site-$(python -c 'import secrets; print(secrets.token_hex(16))')
export SCANNER_BASE_URL SCANNER_API_KEY PROXY_PASSWORD SITE_PASSWORD

# all that ansible-core may write, below one directory
export ANSIBLE_LOCAL_TEMP="$work/local" ANSIBLE_REMOTE_TEMP="$work/remote"
export ANSIBLE_LOG_PATH="$work/ansible.log"
export ANSIBLE_CACHE_PLUGIN=ansible.builtin.jsonfile ANSIBLE_CACHE_PLUGIN_CONNECTION="$work/facts"
export ANSIBLE_CALLBACKS_ENABLED=ansible.builtin.tree,ansible.builtin.junit
export ANSIBLE_CALLBACK_TREE_DIR="$work/tree" JUNIT_OUTPUT_DIR="$work/junit"
export WORK="$work"

ansible-playbook -i localhost, -c local -vvvv --diff secrecy.yml >"$work/output/play" 2>&1 || {
  echo "The play failed: see $work/output/play." >&2
  exit 1
}
ansible-inventory -i secrecy.targets.yml -vvvv --list >"$work/output/inventory" 2>&1
ansible-inventory -i secrecy.targets.yml -vvvv --export --list --output "$work/output/exported" >/dev/null 2>&1
SCANNER_BASE_URL=http://127.0.0.1:9/api/v2 SCANNER_RETRIES=0 WORK="$work/failing" \
  ansible-inventory -i secrecy.targets.yml -vvvv --list >"$work/output/failing" 2>&1 || true

must_be_in() {
  grep -rqF -- "$1" "$work/$2" || {
    echo "$2 should have \"$1\" in it, or the search below proves nothing." >&2
    exit 1
  }
}
must_be_in "GET /workspaces -> 200" output/play
must_be_in "secret of nobody" output/play
must_be_in "an HTML page with the title" output/play
must_be_in "someone" output/play
must_be_in "https://shop.example.com/login" output/play
must_be_in "$SCANNER_BASE_URL" .report.json.request.json
must_be_in "shop.example.com" output/inventory
must_be_in "127.0.0.1:9" output/failing
must_be_in "shop.example.com" facts
must_be_in "shop.example.com" inventory
must_be_in "GET /api-schema.yml" tree
must_be_in "secrecy" junit
must_be_in "shop.example.com" ansible.log

printf '%s\n' "$SCANNER_API_KEY" "$PROXY_PASSWORD" "$SITE_PASSWORD" >"$outside/secrets"
# what the search must find, so that one that finds nothing is no proof
printf '%s' "$SCANNER_API_KEY" >"$work/planted-key"
printf '%s' "$PROXY_PASSWORD" >"$work/planted-proxy-password"
printf '%s' "$SITE_PASSWORD" >"$work/planted-site-password"
found=$(grep -rlF -f "$outside/secrets" "$work" | sort)
if [ "$found" != "$(printf '%s\n' "$work"/planted-{key,proxy-password,site-password})" ]; then
  echo "A secret must be in the three planted files only, and it is in:" >&2
  echo "$found" >&2
  exit 1
fi

# what a file has that a task writes from a registered result: see guide_security.rst
export WRITTEN="$outside/written.json"
ansible-playbook -i localhost, -c local -vvvv --diff written.yml >"$outside/shown" 2>&1 || {
  echo "The play failed: see $outside/shown." >&2
  exit 1
}
grep -qF "repeats.example.com" "$outside/shown" && grep -qF "repeats.example.com" "$WRITTEN" || {
  echo "The name must be shown and written, or the search below proves nothing." >&2
  exit 1
}
if grep -qF -- "$SITE_PASSWORD" "$outside/shown" "$work/ansible.log"; then
  echo "A secret was shown: see $outside/shown." >&2
  exit 1
fi
# ansible-core 2.22 and later mask what they show, earlier releases the result
python -c 'from ansible.release import __version__ as v; raise SystemExit(v.split(".")[:2] < ["2", "22"])' && holds=1 || holds=0
if [ "$(grep -cF -- "$SITE_PASSWORD" "$WRITTEN")" != "$holds" ]; then
  echo "guide_security.rst is wrong about files that are written from results: see $WRITTEN." >&2
  exit 1
fi

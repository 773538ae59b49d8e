#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Run each of the example playbooks of the installed collection as its comment says, and those of the README. The demo's
# play has a test of its own, tests/demo. No set -x here: it would print the key.

set -eu

folder=$PWD
until [ -d "$folder/playbooks" ]; do folder=$(dirname "$folder"); done
inventory="$folder/playbooks/inventories/demo.targets.yml"
cd "$OUTPUT_DIR"

python "$OLDPWD/../setup_service/files/start.py" --ready service.json --with $$
ready() { python -c "import json; print(json.load(open('service.json', encoding='utf-8'))['$1'])"; }
SCANNER_BASE_URL=$(ready base_url)
SCANNER_API_KEY=$(ready api_key)
export SCANNER_BASE_URL SCANNER_API_KEY ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=true

play() { ansible-playbook "$@" 2>&1 | tee printed; test "${PIPESTATUS[0]}" = 0; }
printed() {
  grep -qF -- "$1" "$2" || {
    echo "$2 must have: $1" >&2
    exit 1
  }
}

play scanops.scanner.declare_account --check --diff
printed "changed=3 " printed
play scanops.scanner.declare_account
printed "changed=3 " printed
play scanops.scanner.declare_account
printed "changed=0 " printed

play -i "$inventory" scanops.scanner.use_targets -e "list_file=$PWD/targets.csv"
printed "Web shop: shop.example.com, https://shop.example.com/admin" printed
cat >expected.csv <<'CSV'
host,type,target
"shop.example.com","hostname","shop.example.com"
"shop.example.com","url","https://shop.example.com/admin"
CSV
diff expected.csv targets.csv

play scanops.scanner.read_http_logger
printed "canary-shop recorded nothing since 2000-01-01." printed
python - <<'PYTHON'
import json
import os
import urllib.request

request = urllib.request.Request(
    os.environ["SCANNER_BASE_URL"] + "/http_loggers",
    headers={"Authorization": "Bearer " + os.environ["SCANNER_API_KEY"]},
)
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
(logger,) = json.load(opener.open(request))["data"]
opener.open(logger["handler_url"] + "?touched=1").close()
PYTHON
if play scanops.scanner.read_http_logger; then
  echo "A canary that was touched must fail the play." >&2
  exit 1
fi
printed "canary-shop was touched since 2000-01-01, number of requests: 1." printed
if play scanops.scanner.read_http_logger -e clear=true; then
  exit 1
fi
play scanops.scanner.read_http_logger
printed "canary-shop recorded nothing since 2000-01-01." printed

scan() { play scanops.scanner.scan_and_report -e poll_interval=0.5 -e "report_directory=$PWD/reports" "$@"; }
scan --check
test ! -e reports
scan
printed "changed=4 " printed
printed '"Remote code execution on https://shop.example.com/admin"' printed
test "$(head -c 5 reports/web-shop.pdf)" = %PDF-
python -c 'import json; assert json.load(open("reports/web-shop.json", encoding="utf-8"))'
scan -e max_age=12h
printed "changed=0 " printed

play -i "$folder/playbooks/inventories/patch.targets.yml" scanops.scanner.patch --limit severity_critical --list-hosts
printed "hosts (2):" printed
printed "shop.example.com" printed

gate() { play scanops.scanner.gate -e poll_interval=1 -e "artifacts=$PWD/gate" "$@"; }
gate --check --diff -e "workspace=Gate"
printed "Would scan shop.example.com, https://shop.example.com/admin, 192.0.2.10" printed
test ! -e gate
if gate; then
  echo "A critical finding must fail the gate." >&2
  exit 1
fi
printed "The gate ended with findings." printed
python -c 'import json; assert json.load(open("gate/gate.json", encoding="utf-8"))["outcome"] == "findings"'

# the files of the README, on an account that has been used
python - "$folder/README.md" <<'PYTHON'
import re
import sys

blocks = re.findall(r"```yaml\n(---\n.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.S)
for name, block in zip(("shop.yml", "gate.yml", "shop.targets.yml"), blocks, strict=True):
    open(name, "w", encoding="utf-8").write(block)
PYTHON
ansible localhost -m scanops.scanner.service_info >printed
printed '"api_access": true' printed
play shop.yml
printed "changed=0 " printed
if play gate.yml; then
  echo "A critical finding must fail the gate of the README." >&2
  exit 1
fi
printed "The gate ended with findings." printed
ansible severity_critical -i shop.targets.yml --list-hosts >printed
printed "shop.example.com" printed

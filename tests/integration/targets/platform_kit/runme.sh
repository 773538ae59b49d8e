#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Run the job templates, the workflow and the inventory source of docs/awx as the platform does.

set -eu

exec python jobs.py "$OUTPUT_DIR"

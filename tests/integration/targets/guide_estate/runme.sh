#!/usr/bin/env bash
# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Walk through "An estate as code" in the guide "Declare an account".

set -eu

exec python walk.py "$OUTPUT_DIR"

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The version of the collection."""

from __future__ import annotations

# as galaxy.yml has it, which modules cannot read on their host
COLLECTION_VERSION = "1.0.0"

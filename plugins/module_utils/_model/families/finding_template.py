# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Templates of findings. Pure."""

from __future__ import annotations

from .family import PAGE_SIZE, Family, typed


class _FindingTemplate(Family):
    name = "finding_template"
    plural = "finding_templates"
    noun = "finding template"
    path = "/public/finding_templates"
    key = "name"
    fields = ("name",)
    text = ("name",)
    identity = ""
    paged = "offset"
    # the most that it takes is not public
    page_sizes = (PAGE_SIZE, 500, 100, 50, 10)
    read_only = True
    filters = ("vuln_id_type", "has_ptt_exploit")
    types = typed(integer="limit offset", string="name vuln_id_type", boolean="has_ptt_exploit")


FINDING_TEMPLATE = _FindingTemplate()

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""HTTP loggers. Pure."""

from __future__ import annotations

from .family import FORM, Body, Family, Operation, typed


class _HttpLogger(Family):
    name = "http_logger"
    plural = "http_loggers"
    noun = "HTTP logger"
    path = "/http_loggers"
    key = "label"
    fields = ("id", "label", "handler_url", "active_days", "num_requests")
    text = ("label",)
    # the specification has it in the query, the service's published client in the form
    in_workspace = ("query", "form")
    key_is_account_wide = True
    scoped = False
    creates = Body(FORM, ("label",), ("workspace_id",))
    further = (
        Operation(
            "GET",
            "/http_loggers/{id}/data",
            inside="requests",
            fields=(
                "id",
                "ip_address",
                "request_method",
                "url_params",
                "http_headers",
                "request_body_base64",
                "request_date",
            ),
        ),
        Operation("DELETE", "/http_loggers/{id}/data"),
    )
    types = typed(
        integer="id workspace_id active_days num_requests",
        string="label handler_url ip_address request_method url_params request_body_base64 request_date",
    )


HTTP_LOGGER = _HttpLogger()

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The arguments that ansible-core hands over, made ready for the conversion of the options: the same for a module and in
process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._raw_options import (
    ArgumentSpec,
    Groups,
    missing_variables,
    refusal,
    secrets_in,
    unknown_options,
    unsupported,
    with_unknown_ids,
)

# shown in place of the value of an unknown option, which may be a secret
NOT_SHOWN = "VALUE_NOT_SHOWN"


class Prepared(NamedTuple):
    """params: the options to convert, and what ansible-core adds to them; secrets: texts that must not be shown;
    refusal: why the task fails before its options are converted, a sentence, or None."""

    params: dict[str, Any]
    secrets: set[str]
    refusal: str | None


def prepare(
    spec: ArgumentSpec,
    groups: Groups,
    given: Mapping[str, Any],
    environ: Mapping[str, str],
    needed: Iterable[str],
    lenient: Iterable[str],
) -> Prepared:
    """given: the arguments of the task; needed, lenient: see ``missing_variables`` and ``refusal``."""
    # ansible-core shows the options of a failed task, also those that it does not know
    secrets = secrets_in(spec, given)
    unknown = unknown_options(spec, given)
    params = {**given, **dict.fromkeys(unknown, NOT_SHOWN)}
    if params.get("_ansible_check_mode"):
        params = with_unknown_ids(spec, groups, params)
    # first, because ansible-core would name what is missing instead of what is misspelt
    refused = unsupported(params.get("_ansible_module_name", ""), spec, unknown)
    refused = refused or missing_variables(spec, needed, params, environ)
    refused = refused or refusal(spec, groups, params, lenient)
    # ansible-core takes a null for a value: it would satisfy a required option, or replace a default
    return Prepared({name: value for name, value in params.items() if value is not None}, secrets, refused)

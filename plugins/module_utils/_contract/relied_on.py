# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Every call, parameter and field that the collection relies on, from the declarations of the API families. Pure."""

from __future__ import annotations

from .._model.families import FAMILIES
from .._model.family import PAGE_SIZE

# the OpenAPI file, at the root of the host
SCHEMA_PATH = "/api-schema.yml"
SCHEMA_TYPES = "application/yaml, application/json, text/yaml, */*"

RELIED_ON = tuple(call for family in FAMILIES.values() for call in family.operations())
# type of each field and parameter; those that are not listed may have any
TYPE_OF = {name: kind for family in FAMILIES.values() for name, kind in family.types.items()}
# values that are sent in a parameter or a field of a body, by call and name
VALUES = {
    (f"{method} {family.path}", name): values
    for family in FAMILIES.values()
    for (method, name), values in family.values.items()
}
# the largest number that is sent
LARGEST = {"limit": PAGE_SIZE}

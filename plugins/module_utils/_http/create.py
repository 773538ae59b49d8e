# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Decides what the answer to a create means: created, a 409 or 403 of an object that exists, or a lost answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Optional

from .._model.errors import AnswerError, CallError, Incomplete, Refused, printable
from .._model.family import Family
from .._model.records import Record, is_row, new_record, read_id, record_of
from .._model.target_names import normal_name
from .._model.texts import may_be_stored_form
from .answer import Answer
from .retry import GATEWAY

# reads the live object of a name again, thoroughly: its record or None. It gets the status that made the client ask, None
# where no answer came or the create succeeded.
Look = Callable[[Optional[int]], Optional[Record]]


class Created(NamedTuple):
    """What a create led to.

    made: whether this run created the object; note: a warning; shown: whether the service has shown the record, and not
    only answered an id or nothing.
    """

    record: Record
    made: bool
    note: str | None = None
    shown: bool = True


def create(
    resource: Family,
    values: Record,
    look: Look,
    send: Callable[[], Answer],
    read: Callable[[int], Record | None] | None,
    confirm: Callable[[], Record | None] | None = None,
) -> Created:
    """Create an object that a unique key protects.

    values: the declared fields; look: reads the live object after a 409, a 403, a lost answer, or one with another object;
    send: sends the create; read: reads the new record by id. Without it the record is what was declared, with its id, or with
    None where the answer gives none; confirm: reads the new record, even if the answer holds it.
    """
    lost = False
    while True:
        try:
            return _made(resource, values, look, send(), read, confirm)
        except CallError as caught:
            error = caught.with_facts(after_loss=caught.after_loss or lost)
            found = _look_again(resource, look, error)
            if found is not None:
                if not error.may_have_worked:
                    return Created(found, made=False)
                what = "was lost" if error.status is None else f"was an error ({error.status})"
                if isinstance(error, AnswerError) and error.status is not None and error.status < 300:
                    what = f"was not that of the new {resource.noun} ({error.status})"
                return Created(
                    found,
                    True,
                    f"The answer to {error.method} {error.path} {what}; the {resource.noun} exists now and is counted as"
                    " created by this task.",
                )
            # a unique key protects every family created here, so one more try cannot make a second object
            if lost or not error.maybe_done or not (error.status is None or error.status in GATEWAY):
                raise unconfirmed(error, resource.noun, "created") from None
            lost = True


def _made(
    resource: Family,
    values: Record,
    look: Look,
    answer: Answer,
    read: Callable[[int], Record | None] | None,
    confirm: Callable[[], Record | None] | None,
) -> Created:
    """What a create led to that was answered with a success. Raises AnswerError for an answer that belongs to another
    create."""
    record, object_id = _created(resource, answer)
    if record is None and read is None:
        return Created(dict(new_record(resource, values), id=object_id), made=True, shown=False)
    try:
        if confirm:
            record = confirm()
        elif record is None and read:
            record = look(None) if object_id is None else read(object_id)
    except CallError as error:
        raise Incomplete(
            f"{resource.noun} {printable(values[resource.key])!r} was created, but reading it back failed: {error}",
            **error.result,
        ) from None
    if record is None:
        raise AnswerError(
            f"{answer.method} {answer.path} was answered {answer.status}, but the new {resource.noun} cannot be read back",
            answer.method, answer.path, status=answer.status, maybe_done=True,
            advice="run the task again; it changes only what is still missing",
        ).with_effect(f"The {resource.noun} may have been created.")  # fmt: skip
    name, declared = record[resource.key], values[resource.key]
    # what is stored in another form, or in another workspace, is refused by the caller
    if normal_name(resource, name) != normal_name(resource, declared) and (
        resource.key_is_place or not may_be_stored_form(name, declared)
    ):
        raise answer.unexpected(f"the {resource.noun} {printable(name)!r}")
    return Created(record, made=True)


def _look_again(resource: Family, look: Look, error: CallError) -> Record | None:
    if error.status not in (403, 409) and not error.maybe_done:
        return None
    try:
        return look(error.status)
    except Refused as refused:
        if not error.may_have_worked:
            raise
        raise Incomplete(
            f"{error.what}. The {resource.noun} may have been created. {refused}", **error.result
        ) from None
    except CallError:
        # the create is what failed; that nothing could be read after it must not hide it
        error = error.with_facts(unread=True)
        if error.may_have_worked:
            error = error.with_effect(f"The {resource.noun} may have been created.")
        raise error from None


def _created(resource: Family, answer: Answer) -> tuple[Record | None, int | None]:
    """(record, id) in the answer to a create, each None where it has none."""
    # assumed: data.created_id, as a scan start answers; a record and an empty answer are read as well
    data = object_in(answer)
    if is_row(resource, data) and all(field in data for field in resource.fields):
        record = record_of(resource, data)
        return record, record["id"]
    return None, new_id(resource, data)


def object_in(answer: Answer) -> Record:
    """The ``data`` of an answer to a POST, which is an object; an empty one where the answer has no body."""
    data = answer.data() if answer.body.strip() else {}
    if not isinstance(data, dict):
        raise answer.unexpected("data that is not an object")
    return data


def new_id(resource: Family, data: Record) -> int | None:
    return read_id(next((data[field] for field in resource.created if field in data), None))


def unconfirmed(error: CallError, what: str, done: str) -> CallError:
    """The error of a write, the work of which a read after it does not show."""
    if error.status == 500 and not error.after_loss:
        # the service has ended its work on the call, so it was not done
        return error.with_facts(maybe_done=False, after_loss=False)
    if error.may_have_worked:
        return error.with_effect(f"The {what} may have been {done}, although reading again did not show it.")
    return error

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Calls by family: the service's conventions for lists, creates, updates and deletes, and what a lost answer means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional

from .._errors import CREATE_HINTS, AnswerError, ApiError, Call, CallError, Hints, Incomplete, printable
from .._records import Record, is_row, new_record, read_id, record_of
from .._resources import TARGET, WORDLIST, Resource
from .._scope.gate import Gate
from . import listing
from .answer import Answer, Sink
from .earned import Complete
from .retry import GATEWAY
from .transport import Transport

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


class Started(NamedTuple):
    """What a create without a unique key was answered. object_id: None where the answer gives none; data: its object."""

    object_id: int | None
    data: Record


class _Collected:
    """A sink that keeps the pieces of a body."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def restart(self, _answer: Answer) -> None:
        self.pieces = []

    def write(self, piece: bytes) -> None:
        self.pieces.append(piece)


class Client:
    """Calls by family. Each write passes the gate."""

    def __init__(self, transport: Transport, gate: Gate, warn: Callable[[str], object] = lambda text: None) -> None:
        """warn: gets what a person should know about a call that succeeded."""
        self.transport = transport
        self._gate = gate
        self._warn = warn
        self._about = transport.known.call

    def _write(
        self,
        method: str,
        path: str,
        about: Call,
        query: Record | None = None,
        form: Record | None = None,
        json: Any = None,
        hints: Hints | None = None,
    ) -> Answer:
        """Send a write that the gate permits."""
        permit = self._gate.permit(method, path, query, form, json, self._target_name)
        return self.transport.send(
            method, path, query=query, form=form, json=json, hints=hints, about=about, permit=permit
        )

    def _target_name(self, target_id: int) -> str | None:
        record = self.read(TARGET, target_id)
        return record["name"] if record else None

    def pages(self, resource: Resource, query: Record | None = None, whole: bool = True) -> Iterator[list[Record]]:
        """Yield the rows of a list as records, page by page; no id twice.

        whole: read on until an empty page, as a server may cap its pages; without it a short page is the last.
        """
        return listing.pages(self.transport, resource, query, whole)

    def page(self, resource: Resource, number: int, query: Record | None = None) -> list[Record]:
        """The records on one page of a list that is cut by pages; none past its end."""
        return listing.page(self.transport, resource, number, query)

    def all(self, resource: Resource, query: Record | None = None) -> Complete:
        """Every record of a list, or an error."""
        return listing.whole(self.transport, resource, query)

    def read(self, resource: Resource, object_id: int) -> Record | None:
        """The record with this id, or None where the service says that none exists."""
        try:
            answer = self.transport.send("GET", f"{resource.path}/{object_id}", about=self._about("read", resource))
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return self._record(resource, answer, object_id)

    def create(
        self, resource: Resource, values: Record, look: Look, query: Record | None = None, read_back: bool = True
    ) -> Created:
        """Create an object.

        values: the form fields; look: decides what a 409, a 403 or a lost answer means.
        read_back: read the new record where the answer gives no more than its id, at 1 GET; without it the record is what
        was declared, with its id, or with None where the answer gives none.
        """
        lost = False
        about = self._about("create", resource, query or values)
        while True:
            try:
                answer = self._write("POST", resource.path, about, query=query, form=values, hints=CREATE_HINTS)
                record, object_id = self._created(resource, answer)
                break
            except CallError as caught:
                error = caught.with_facts(after_loss=caught.after_loss or lost)
                found = self._look_again(resource, look, error)
                if found is not None:
                    if error.may_have_worked:
                        return Created(found, True, _lost_note(resource, error))
                    return Created(found, made=False)
                # a unique key protects every family created here, so one more try cannot make a second object
                if lost or not error.maybe_done or not (error.status is None or error.status in GATEWAY):
                    raise _unconfirmed(error, resource.noun, "created") from None
                lost = True
        if record is None and not read_back:
            return Created(dict(new_record(resource, values), id=object_id), made=True, shown=False)
        try:
            if record is None:
                record = look(None) if object_id is None else self.read(resource, object_id)
        except CallError as error:
            raise Incomplete(
                f"{resource.noun} {printable(values[resource.key])!r} was created, but reading it back failed: {error}",
                **error.result,
            ) from None
        if record is None:
            raise _not_read_back(resource, answer)
        return Created(record, made=True)

    def start(self, resource: Resource, body: Record, hints: Hints | None = None) -> Started:
        """Send a create that no unique key protects.

        body: a value for JSON. It is sent once. After an error with ``maybe_done`` the object may exist all the same, and
        only the caller can know where to search for it.
        """
        about = self._about("start", resource, {name: body[name] for name in ("workspace_id",) if name in body})
        answer = self._write("POST", resource.path, about, json=body, hints=hints)
        data = _object_in(answer)
        return Started(_new_id(resource, data), data)

    def stop(self, resource: Resource, object_id: int) -> None:
        """Ask that something that is running stops."""
        _accepted(self._write("POST", f"{resource.path}/{object_id}/stop", self._about("stop", resource)))

    def update(self, resource: Resource, object_id: int, values: Record) -> None:
        """Change fields of an object. After a lost answer the object is read again."""

        def is_done() -> bool:
            record = self.read(resource, object_id)
            return record is not None and all(record.get(field) == value for field, value in values.items())

        hints = {409: f"another {resource.noun} has this {resource.key}; choose another one"}
        try:
            _accepted(
                self._write(
                    "PUT",
                    f"{resource.path}/{object_id}",
                    self._about("update", resource),
                    json=values,
                    hints=hints if resource.key in values else None,
                )
            )
        except CallError as error:
            self._settle(error, resource.noun, "updated", is_done)

    def delete(
        self, resource: Resource, object_id: int, below: str = "", is_gone: Callable[[], bool] | None = None
    ) -> bool:
        """Delete an object, or what is ``below`` it; True where this run did it, False where it was gone already.

        is_gone: reads whether it is gone, which decides what a lost answer means. Without it the object is read.
        """
        is_gone = is_gone or (lambda: self.read(resource, object_id) is None)
        what = f"data of the {resource.noun}" if below else resource.noun
        path = f"{resource.path}/{object_id}{below}"
        try:
            _accepted(self._write("DELETE", path, self._about("delete", resource), hints=resource.delete_hints))
        except CallError as error:
            if error.status == 404 and isinstance(error, ApiError):
                return self._gone_before(error, resource, object_id)
            self._settle(error, what, "deleted", is_gone)
        return True

    def _gone_before(self, error: CallError, resource: Resource, object_id: int) -> bool:
        """A delete was answered 404: whether an earlier try did it. Raises where a read does not confirm the 404."""
        try:
            exists = self.read(resource, object_id) is not None
        except CallError as unread:
            if error.after_loss:
                effect = f"The {resource.noun} may have been deleted by an earlier try."
                raise unread.with_effect(effect) from None
            raise
        if exists:
            raise error
        return error.after_loss

    def _settle(self, error: CallError, what: str, done: str, is_done: Callable[[], bool]) -> None:
        """Return where reading again shows that a write was done after all, else raise its error.

        what: what was written; done: a participle; is_done: reads whether it was done.
        """
        if not error.may_have_worked:
            raise error
        try:
            shown = is_done()
        except CallError:
            # the write is what failed; that nothing could be read after it must not hide it
            raise error.with_facts(unread=True).with_effect(f"The {what} may have been {done}.") from None
        if not shown:
            raise _unconfirmed(error, what, done)
        if isinstance(error, AnswerError):
            self._warn(f"{error.what}. Reading again shows that the {what} was {done}.")

    def data(
        self,
        resource: Resource,
        object_id: int,
        below: str,
        accept: str = "application/json",
        hints: Hints | None = None,
        sink: Sink | None = None,
    ) -> Answer:
        """The Answer for what is ``below`` an object: ``/data`` of a logger, ``/contents`` of a wordlist."""
        path = f"{resource.path}/{object_id}{below}"
        about = self._about("download", resource)
        return self.transport.send("GET", path, accept=accept, hints=hints, sink=sink, about=about)

    def text(
        self,
        resource: Resource,
        object_id: int,
        below: str,
        accept: str = "application/json",
        hints: Hints | None = None,
    ) -> Answer:
        """As ``data``, for what may be plain text.

        Nothing marks the end of a text, so the connection is closed behind it to notice what exceeds the announced length.
        """
        sink = _Collected()
        answer = self.data(resource, object_id, below, accept, hints, sink)
        answer.keep(b"".join(sink.pieces))
        return answer

    def words(self, wordlist_id: int) -> list[str]:
        """The words of a wordlist."""
        answer = self.text(WORDLIST, wordlist_id, "/contents")
        # assumed: one text with a word on each line, as JSON, as plain text, or wrapped in data
        body = answer.text() if answer.content_type.startswith("text/plain") else answer.json()
        if isinstance(body, dict):
            body = body.get("data")
        if isinstance(body, str):
            words = [word.rstrip("\r") for word in body.split("\n")]
            return words if words[-1] else words[:-1]
        if not isinstance(body, list) or not all(isinstance(word, str) for word in body):
            raise answer.unexpected("contents that are not words")
        return body

    @staticmethod
    def _look_again(resource: Resource, look: Look, error: CallError) -> Record | None:
        if error.status not in (403, 409) and not error.maybe_done:
            return None
        try:
            return look(error.status)
        except CallError:
            # the create is what failed; that nothing could be read after it must not hide it
            error = error.with_facts(unread=True)
            if error.may_have_worked:
                error = error.with_effect(f"The {resource.noun} may have been created.")
            raise error from None

    def _created(self, resource: Resource, answer: Answer) -> tuple[Record | None, int | None]:
        """(record, id) in the answer to a create, each None where it has none."""
        # assumed: data.created_id, as a scan start answers; a record and an empty answer are read as well
        data = _object_in(answer)
        if is_row(resource, data) and all(field in data for field in resource.fields):
            record = record_of(resource, data)
            return record, record["id"]
        return None, _new_id(resource, data)

    def _record(self, resource: Resource, answer: Answer, object_id: int) -> Record:
        data = listing.data_of(answer)
        if not is_row(resource, data):
            raise answer.unexpected(f"no valid {resource.noun} record")
        record = record_of(resource, data)
        if record["id"] != object_id:
            # as behind a redirect: nothing may be done to an object that was not asked for
            raise answer.unexpected(f"the id {record['id']}")
        self.transport.known.note(resource, [record])
        return record


def _object_in(answer: Answer) -> Record:
    """The ``data`` of an answer to a POST, which is an object; an empty one where the answer has no body."""
    data = listing.data_of(answer) if answer.body.strip() else {}
    if not isinstance(data, dict):
        raise answer.unexpected("data that is not an object")
    return data


def _accepted(answer: Answer) -> None:
    """Raise unless the answer to a PUT, a DELETE or a stop says that it was done: 204, no body, or a JSON object that is
    empty or has ``data``."""
    if answer.status == 204 or not answer.body.strip():
        return
    body = answer.json()
    if not isinstance(body, dict) or (body and "data" not in body):
        raise answer.unexpected("no data in it")


def _unconfirmed(error: CallError, what: str, done: str) -> CallError:
    """The error of a write whose work a read after it does not show."""
    if error.status == 500 and not error.after_loss:
        # the service has ended its work on the call, so it was not done
        return error.with_facts(maybe_done=False, after_loss=False)
    if error.may_have_worked:
        return error.with_effect(f"The {what} may have been {done}, although reading again did not show it.")
    return error


def _not_read_back(resource: Resource, answer: Answer) -> AnswerError:
    return AnswerError(
        f"{answer.method} {answer.path} was answered {answer.status}, but the new {resource.noun} cannot be read back",
        answer.method,
        answer.path,
        status=answer.status,
        maybe_done=True,
        advice="run the task again; it changes only what is still missing",
    ).with_effect(f"The {resource.noun} may have been created.")


def _new_id(resource: Resource, data: Record) -> int | None:
    return read_id(next((data[field] for field in resource.created if field in data), None))


def _lost_note(resource: Resource, error: CallError) -> str:
    what = "was lost" if error.status is None else f"was an error ({error.status})"
    return (
        f"The answer to {error.method} {error.path} {what}; the {resource.noun} exists now and is counted as created"
        " by this task."
    )

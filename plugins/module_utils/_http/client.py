# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The service's conventions: the data envelope, pages, creates that meet what is already there, deletes."""

from __future__ import annotations

from typing import NamedTuple

from .._errors import CREATE_HINTS, AnswerError, ApiError, CallError, Incomplete, printable
from .._records import is_row, new_record, read_id, record_of
from .._resources import TARGET, WORDLIST
from . import listing
from .retry import GATEWAY


class Created(NamedTuple):
    """What a create led to. record: dict; made: bool, whether this run made it; note: str or None, a warning; shown: bool,
    whether the service has shown the record, and not only answered an id or nothing."""

    record: dict
    made: bool
    note: str | None = None
    shown: bool = True


class _Collected:
    """A sink that keeps the pieces of a body."""

    def restart(self, _answer):
        self.pieces = []

    def write(self, piece):
        self.pieces.append(piece)


class Client:
    """Calls by resource (entries of ``_resources``) over a ``_transport.Transport``; each write passes the ``_gate.Gate``."""

    def __init__(self, transport, gate, warn=lambda text: None):
        """warn: takes what a person should know of a call that succeeded."""
        self.transport = transport
        self._gate = gate
        self._warn = warn
        self._about = transport.known.call

    def _write(self, method, path, about, query=None, form=None, json=None, hints=None):
        """Send a write that the gate permits; returns its Answer."""
        permit = self._gate.permit(method, path, query, form, json, self._target_name)
        return self.transport.send(
            method, path, query=query, form=form, json=json, hints=hints, about=about, permit=permit
        )

    def _target_name(self, target_id):
        record = self.read(TARGET, target_id)
        return record and record["name"]

    def pages(self, resource, query=None, whole=True):
        """Yield the rows of a list as records, page by page; no id twice.

        whole: read on until an empty page, as a server may cap its pages; without it a short page is the last.
        """
        return listing.pages(self.transport, resource, query, whole)

    def page(self, resource, number, query=None):
        """The records on one page of a list that is cut by pages; none past its end."""
        return listing.page(self.transport, resource, number, query)

    def all(self, resource, query=None):
        """Every record of a list, a Complete, or an error."""
        return listing.whole(self.transport, resource, query)

    def read(self, resource, object_id):
        """The record with this id, or None where the service says that there is none."""
        try:
            answer = self.transport.send("GET", f"{resource.path}/{object_id}", about=self._about("read", resource))
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return self._record(resource, answer, object_id)

    def create(self, resource, values, look, query=None, read_back=True):
        """Create an object and return a Created.

        values: the form fields; query: dict or None; look: a function that reads the live object of this name again,
        thoroughly, and returns its record or None. It decides what a 409, a 403 or a lost answer means, and gets the
        status of that answer, None where there was none or it was a success.
        read_back: read the new record where the answer gives no more than its id, at 1 GET; without it the record is what
        was declared, with its id, or None where the answer gives none.
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

    def start(self, resource, body, hints=None):
        """Send a create that no unique key protects: (id or None, data of the answer), None where the answer gives none.

        body: a value for JSON. It is sent once; an error with ``maybe_done`` may have been started all the same, and only
        the caller can know where to look for it.
        """
        about = self._about("start", resource, {name: body[name] for name in ("workspace_id",) if name in body})
        answer = self._write("POST", resource.path, about, json=body, hints=hints)
        data = self._data(answer) if answer.body.strip() else {}
        if not isinstance(data, dict):
            raise answer.unexpected("data that is no object")
        return _new_id(resource, data), data

    def stop(self, resource, object_id):
        """Ask that something that is running stops."""
        _accepted(self._write("POST", f"{resource.path}/{object_id}/stop", self._about("stop", resource)))

    def update(self, resource, object_id, values):
        """Change fields of an object. A lost answer is settled by reading the object again."""

        def is_done():
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

    def delete(self, resource, object_id, below="", is_gone=None):
        """Delete an object, or what is ``below`` it; True where this run did it, False where it was gone already.

        is_gone: a function that reads whether it is gone; it decides what a lost answer means. Without it the object is
        read.
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

    def _gone_before(self, error, resource, object_id):
        """A delete was answered 404: whether an earlier try did it; raises where a read does not confirm the 404."""
        try:
            there = self.read(resource, object_id) is not None
        except CallError as unread:
            if error.after_loss:
                effect = f"The {resource.noun} may have been deleted by an earlier try."
                raise unread.with_effect(effect) from None
            raise
        if there:
            raise error
        return error.after_loss

    def _settle(self, error, what, done, is_done):
        """Return where reading again shows that a write was done after all, else raise its error.

        what: what was written; done: a participle; is_done: a function that reads whether it was done.
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

    def data(self, resource, object_id, below, **options):
        """The Answer for what stands ``below`` an object: ``/data`` of a logger, ``/contents`` of a wordlist.

        options: accept, hints and sink as ``Transport.send`` takes them.
        """
        about = self._about("download", resource)
        return self.transport.send("GET", f"{resource.path}/{object_id}{below}", about=about, **options)

    def text(self, resource, object_id, below, **options):
        """As ``data``, for what may be plain text, whose end nothing marks: so the connection is closed behind it, and what
        comes after the announced length shows."""
        sink = _Collected()
        answer = self.data(resource, object_id, below, sink=sink, **options)
        answer.keep(b"".join(sink.pieces))
        return answer

    def words(self, wordlist_id):
        """The words of a wordlist, a list of str."""
        answer = self.text(WORDLIST, wordlist_id, "/contents")
        # assumed: one text, words parted by line ends; as a JSON text, as plain text, or wrapped in data
        body = answer.text() if answer.content_type.startswith("text/plain") else answer.json()
        if isinstance(body, dict):
            body = body.get("data")
        words = [word.rstrip("\r") for word in body.split("\n")] if isinstance(body, str) else body
        if isinstance(body, str) and not words[-1]:
            words.pop()
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise answer.unexpected("contents that are no words")
        return words

    @staticmethod
    def _look_again(resource, look, error):
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

    def _created(self, resource, answer):
        """(record, id) in the answer to a create, each None where it has none."""
        # assumed: data.created_id, as a scan start answers; a record and an empty answer are read as well
        data = self._data(answer) if answer.body.strip() else {}
        if not isinstance(data, dict):
            raise answer.unexpected("data that is no object")
        if is_row(resource, data) and all(field in data for field in resource.fields):
            record = record_of(resource, data)
            return record, record["id"]
        return None, _new_id(resource, data)

    def _record(self, resource, answer, object_id):
        data = self._data(answer)
        if not is_row(resource, data):
            raise answer.unexpected(f"data that is no {resource.noun}")
        record = record_of(resource, data)
        if record["id"] != object_id:
            # as behind a redirect: nothing may be done to an object that was not asked for
            raise answer.unexpected(f"the id {record['id']}")
        self.transport.known.note(resource, [record])
        return record

    _data = staticmethod(listing.data_of)


def _accepted(answer):
    """Raise unless the answer to a PUT, a DELETE or a stop says that it was done: 204, no body, or the service's JSON, an
    object with data or an empty one."""
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


def _not_read_back(resource, answer):
    return AnswerError(
        f"{answer.method} {answer.path} was answered {answer.status}, but the new {resource.noun} cannot be read back",
        answer.method,
        answer.path,
        status=answer.status,
        maybe_done=True,
        advice="run the task again; it changes only what is still missing",
    ).with_effect(f"The {resource.noun} may have been created.")


def _new_id(resource, data):
    return read_id(next((data[field] for field in resource.created if field in data), None))


def _lost_note(resource, error):
    what = "was lost" if error.status is None else f"was no success ({error.status})"
    return (
        f"The answer to {error.method} {error.path} {what}; the {resource.noun} exists now and is counted as created"
        " by this task."
    )

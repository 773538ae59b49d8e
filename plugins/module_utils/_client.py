# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""The service's conventions: the data envelope, pages, creates that meet what is already there, deletes."""

from __future__ import annotations

from typing import NamedTuple

from . import _listing
from ._errors import ApiError, CallError, Refused, create_hints, printable
from ._resources import TARGET, WORDLIST, is_row, new_record, record_of
from ._retry import GATEWAY


class Created(NamedTuple):
    """What a create led to. record: dict; made: bool, whether this run made it; note: str or None, a warning."""

    record: dict
    made: bool
    note: str | None = None


class Client:
    """Calls by resource (entries of ``_resources``) over a ``_transport.Transport``; each write passes the ``_gate.Gate``."""

    def __init__(self, transport, gate):
        self.transport = transport
        self._gate = gate

    def _write(self, method, path, query=None, form=None, json=None, hints=None):
        """Send a write that the gate permits; returns its Answer."""
        permit = self._gate.permit(method, path, query, form, json, self._target_name)
        return self.transport.send(method, path, query=query, form=form, json=json, hints=hints, permit=permit)

    def _target_name(self, target_id):
        record = self.read(TARGET, target_id)
        return record and record["name"]

    def pages(self, resource, query=None, whole=True):
        """Yield the rows of a list as records, page by page; no id twice.

        whole: read on until an empty page, as a server may cap its pages; without it a short page is the last.
        """
        return _listing.pages(self.transport, resource, query, whole)

    def page(self, resource, number, query=None):
        """The records on one page of a list that is cut by pages; none past its end."""
        return _listing.page(self.transport, resource, number, query)

    def all(self, resource, query=None):
        """Every record of a list, a Complete, or an error."""
        return _listing.whole(self.transport, resource, query)

    def read(self, resource, object_id):
        """The record with this id, or None where the service says that there is none."""
        try:
            answer = self.transport.send("GET", f"{resource.path}/{object_id}")
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return self._record(resource, answer)

    def create(self, resource, values, look, query=None, read_back=True):
        """Create an object and return a Created.

        values: the form fields; query: dict or None; look: a function that reads the live object of this name again,
        thoroughly, and returns its record or None. It decides what a 409, a 403 or a lost answer means, and gets the
        status of that answer, None where there was none or it was a success.
        read_back: read the new record where the answer gives no more than its id, at 1 GET; without it the record is what
        was declared, with its id, or None where the answer gives none.
        """
        lost = False
        hints = create_hints(resource.key)
        while True:
            try:
                answer = self._write("POST", resource.path, query=query, form=values, hints=hints)
                record, object_id = self._created(resource, answer)
                break
            except CallError as error:
                found = self._look_again(look, error)
                if found is not None:
                    if error.maybe_done or lost:
                        return Created(found, True, _lost_note(resource, error))
                    return Created(found, made=False)
                # a unique key protects every family created here, so one more try cannot make a second object
                if lost or not error.maybe_done or not (error.status is None or error.status in GATEWAY):
                    raise
                lost = True
        if record is None and not read_back:
            record = dict(new_record(resource, values), id=object_id)
        try:
            if record is None:
                record = look(None) if object_id is None else self.read(resource, object_id)
        except CallError as error:
            raise Refused(
                f"{resource.noun} {printable(values[resource.key])!r} was made, and reading it back failed: {error} Run"
                " this task again to see it.",
                changed=True,
                **error.result,
            ) from None
        if record is None:
            raise answer.unexpected("success, yet the new object cannot be read back")
        return Created(record, made=True)

    def start(self, resource, body, hints=None):
        """Send a create that no unique key protects: (id or None, data of the answer), None where the answer gives none.

        body: a value for JSON. It is sent once; an error with ``maybe_done`` may have been started all the same, and only
        the caller can know where to look for it.
        """
        answer = self._write("POST", resource.path, json=body, hints=hints)
        data = self._data(answer) if answer.body.strip() else {}
        if not isinstance(data, dict):
            raise answer.unexpected("data that is no object")
        return _new_id(resource, data), data

    def stop(self, resource, object_id):
        """Ask that something that is running stops."""
        self._write("POST", f"{resource.path}/{object_id}/stop")

    def update(self, resource, object_id, values):
        """Change fields of an object."""
        hints = {409: f"another {resource.noun} has this {resource.key}; choose another one"}
        self._write("PUT", f"{resource.path}/{object_id}", json=values, hints=hints)

    def delete(self, resource, object_id, below=""):
        """Delete an object, or what stands ``below`` it; True where this run did it, False where it was gone already."""
        path = f"{resource.path}/{object_id}"
        try:
            self._write("DELETE", path + below, hints=resource.delete_hints)
        except ApiError as error:
            if error.status != 404:
                raise
            if self.read(resource, object_id) is not None:
                raise
            return error.after_loss
        return True

    def data(self, resource, object_id, below, **options):
        """The Answer for what stands ``below`` an object: ``/data`` of a logger, ``/contents`` of a wordlist.

        options: accept, hints and sink as ``Transport.send`` takes them.
        """
        return self.transport.send("GET", f"{resource.path}/{object_id}{below}", **options)

    def words(self, wordlist_id):
        """The words of a wordlist, a list of str."""
        answer = self.data(WORDLIST, wordlist_id, "/contents")
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
    def _look_again(look, error):
        if error.status not in (403, 409) and not error.maybe_done:
            return None
        try:
            return look(error.status)
        except CallError:
            # the create is what failed; that nothing could be read after it must not hide it
            raise error from None

    def _created(self, resource, answer):
        """(record, id) in the answer to a create, each None where it has none."""
        # assumed: data.created_id, as a scan start answers; a record and an empty answer are read as well
        data = self._data(answer) if answer.body.strip() else {}
        if not isinstance(data, dict):
            raise answer.unexpected("data that is no object")
        if is_row(resource, data) and all(field in data for field in resource.fields):
            return record_of(resource, data), data["id"]
        return None, _new_id(resource, data)

    def _record(self, resource, answer):
        data = self._data(answer)
        if not is_row(resource, data):
            raise answer.unexpected(f"data that is no {resource.noun}")
        return record_of(resource, data)

    _data = staticmethod(_listing.data_of)


def _new_id(resource, data):
    object_id = next((data[field] for field in resource.created if field in data), None)
    return object_id if isinstance(object_id, int) and not isinstance(object_id, bool) else None


def _lost_note(resource, error):
    what = "was lost" if error.status is None else f"was no success ({error.status})"
    return (
        f"The answer to {error.method} {error.path} {what}; the {resource.noun} is there now and is counted as made by"
        " this task."
    )

# Copyright: The scanops.scanner contributors
# Simplified BSD License (see LICENSES/BSD-2-Clause.txt or https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

"""Calls by family: the service's conventions for lists, creates, updates and deletes, and what a lost answer means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .._model.errors import AnswerError, ApiError, CallError, Incomplete, ScannerError, printable
from .._model.families import TARGET
from .._model.family import Family
from .._model.records import Complete, Record, Streamed, is_row, not_as_written, record_of, written
from .._model.texts import same
from .._scope.sealed import Permit
from . import listing
from .advice import ANY_CALL, CREATE_HINTS, Call, Hints
from .answer import Answer, Sink
from .create import Created, Look, create, new_id, object_in, unconfirmed
from .list_cache import CachedList, Lists
from .transport import Transport

# what to do where a delete was accepted and the object still exists
NOT_GONE = "run the task again, and contact the service's support if nothing is deleted"


class Started(NamedTuple):
    """What a create without a unique key was answered. object_id: None where the answer gives none; data: its object."""

    object_id: int | None
    data: Record


class Client:
    """Calls by family. Each write needs a permit."""

    def __init__(
        self,
        transport: Transport,
        permit: Callable[..., Permit],
        warn: Callable[[str], object] = lambda text: None,
        lists: Lists | None = None,
    ) -> None:
        """permit: as ``Permits.permit``; warn: gets what a person should know about a call that succeeded; lists: what the
        items of a loop share."""
        self.transport = transport
        # whether this task may use what earlier items have read
        self.shares = False
        # whether it did
        self.relies = False
        self._lists = lists
        self._wrote = False
        self._permit = permit
        self.warn = warn
        self._about = transport.about
        transport.budget.file.warn = warn

    def _write(
        self,
        method: str,
        path: str,
        about: Call,
        query: Record | None = None,
        form: Record | None = None,
        json: Any = None,
        hints: Hints | None = None,
        adds: bool = False,
    ) -> Answer:
        """Send a write, if it is permitted. adds: whether it only adds an object, which ``create`` adds to the lists."""
        permit = self._permit(
            method, path, query, form, json, lambda target_id: (self.read(TARGET, target_id) or {}).get("name")
        )
        if not adds:
            self._drop_lists()
        elif self._lists is not None:
            self._lists.drop_others()
        try:
            answer = self.transport.send(
                method, path, query=query, form=form, json=json, hints=hints, about=about, permit=permit
            )
        except CallError as error:
            # 404: the object or its workspace no longer exists, as the next read shows
            if error.status != 404 or not isinstance(error, ApiError) or error.after_loss:
                self._wrote = True
            raise
        self._wrote = True
        return answer

    def write(
        self,
        method: str,
        path: str,
        query: Record | None = None,
        form: Record | None = None,
        json: Record | None = None,
    ) -> None:
        """Send a write, if it is permitted, and leave it to the caller what its answer means. Raises CallError."""
        self._write(method, path, ANY_CALL, query=query, form=form, json=json)

    def pages(
        self, resource: Family, query: Record | None = None, whole: bool = True, recheck: bool = False
    ) -> Iterator[list[Record]]:
        """Yield the rows of a list as records, page by page; no id twice.

        whole: read on until an empty page, as a server may cap its pages; without it a short page is the last; recheck: see
        ``listing.pages``.
        """
        query = query or {}
        for page in listing.pages(resource, self._sender(resource, query), query, whole, recheck):
            self.transport.note(resource, page)
            yield page

    def stream(self, resource: Family, query: Record, take: Callable[[Record], object]) -> Streamed:
        """Pass on the rows of a list that is documented to come in one answer. The caller judges whether it is complete."""
        return listing.stream(resource, self._sender(resource, query), take)

    def _sender(self, resource: Family, query: Record) -> listing.Send:
        """Sends the call for a page of a list. query: its filters, which a link of the service never overrides."""
        send, about = self.transport.send, self._about("list", resource, query)
        # the filters first, as the log of calls has always shown them
        return lambda place: send("GET", resource.path, query={**query, **place, **query}, about=about)

    def cached(self, resource: Family, query: Record | None = None, whole: bool = True) -> CachedList | None:
        """A list that the items of a loop share, which an earlier item may have read; None where nothing is shared."""
        if self._lists is None or not self.shares:
            return None
        query = query or {}
        cached = self._lists.get(resource, query, whole)
        if cached is not None:
            self.relies = True
            return cached
        cached = CachedList(
            resource, self.pages(resource, query, whole), self._lists.clock(), query.get("workspace_id"), whole
        )
        self._lists.put(resource, query, cached)
        return cached

    def listed(self, resource: Family, query: Record | None = None) -> Sequence[Record]:
        """Every record of a list, as an earlier item of the loop may have read it."""
        cached = self.cached(resource, query)
        return self.all(resource, query) if cached is None else cached.rows()

    def first_page(self, resource: Family, query: Record | None = None) -> Sequence[Record]:
        """The records on the first page of a list, as an earlier item of the loop may have read it."""
        cached = self.cached(resource, query, whole=False)
        return next(iter(self.pages(resource, query, whole=False)), ()) if cached is None else cached.first_page()

    def start_over(self) -> bool:
        """Forget what earlier items have read. Whether the task may begin again: it relied on it and has written nothing."""
        if not self.relies or self._wrote:
            return False
        self.relies = False
        self._drop_lists()
        return True

    def _drop_lists(self) -> None:
        if self._lists is not None:
            self._lists.drop()

    def page(self, resource: Family, number: int, query: Record | None = None) -> list[Record]:
        """The records on one page of a list that is cut by pages; none past its end."""
        return listing.page(resource, self._sender(resource, query or {}), number)

    def all(self, resource: Family, query: Record | None = None, recheck: bool = False) -> Complete:
        """Every record of a list, or an error. recheck: see ``listing.pages``."""
        return listing.whole(self.pages(resource, query, recheck=recheck))

    def read(self, resource: Family, object_id: int) -> Record | None:
        """The record with this id, or None where the service says that none exists."""
        try:
            answer = self.transport.send("GET", f"{resource.path}/{object_id}", about=self._about("read", resource))
        except ApiError as error:
            if error.status == 404:
                self._drop_lists()
                return None
            raise
        data = answer.data()
        if not is_row(resource, data):
            raise answer.unexpected(f"no valid {resource.noun} record")
        record = record_of(resource, data)
        if record["id"] != object_id:
            # as behind a redirect: nothing may be done to an object that was not asked for
            raise answer.unexpected(f"the id {record['id']}")
        self.transport.note(resource, [record])
        return record

    def create(
        self,
        resource: Family,
        values: Record,
        look: Look,
        place: Record | None = None,
        read_back: bool = True,
        confirm: Callable[[], Record | None] | None = None,
    ) -> Created:
        """Create an object that a unique key protects (see ``create``).

        values: the form fields; place: the parameter that names the workspace, which goes where the family has it; read_back:
        read the new record where the answer gives no more than its id, at 1 GET; confirm: reads it whatever the answer gives.
        """
        place = place or {}
        about = self._about("create", resource, {**values, **place})
        values = {**values, **place} if "form" in resource.in_workspace else values
        query = place if "query" in resource.in_workspace else None
        # a form has no booleans, and str() would send True
        form = {field: str(value).lower() if isinstance(value, bool) else value for field, value in values.items()}

        def send() -> Answer:
            answer = self._write("POST", resource.path, about, query=query, form=form, hints=CREATE_HINTS, adds=True)
            self._started(resource, answer)
            return answer

        def look_afresh(status: int | None) -> Record | None:
            self._drop_lists()
            self.relies = False
            return look(status)

        read = (lambda object_id: self.read(resource, object_id)) if read_back else None
        try:
            created = create(resource, values, look_afresh, send, read, confirm)
        except ScannerError:
            self._drop_lists()
            raise
        self._add(resource, created, values.get("workspace_id"))
        return created

    def _add(self, resource: Family, created: Created, workspace_id: int | None) -> None:
        """Add a new object to the lists in which this task could have found it."""
        if self._lists is None or not created.made:
            return
        if not created.shown:
            self._lists.drop()
        if workspace_id is not None:
            self._lists.add(resource, {"workspace_id": workspace_id}, created.record)
        if workspace_id is None or resource.key_is_account_wide:
            self._lists.add(resource, {}, created.record)

    def start(self, resource: Family, body: Record, hints: Hints | None = None) -> Started:
        """Send a create that no unique key protects.

        body: a value for JSON. It is accepted at most once. After an error with ``maybe_done`` the object may exist all the
        same, and only the caller can know where to search for it.
        """
        about = self._about("start", resource, {name: body[name] for name in ("workspace_id",) if name in body})
        return self._started(resource, self._write("POST", resource.path, about, json=body, hints=hints))

    def _started(self, resource: Family, answer: Answer) -> Started:
        """What a create was answered with. Raises AnswerError for an id that existed before."""
        data = object_in(answer)
        object_id = new_id(resource, data)
        if object_id:
            if (resource.name, object_id) in self.transport.noted:
                raise answer.unexpected(f"the id {object_id} of another {resource.noun}")
            self.transport.note(resource, [{"id": object_id}])
        return Started(object_id, data)

    def stop(self, resource: Family, object_id: int) -> None:
        """Ask that something that is running stops."""
        _accepted(self._write("POST", f"{resource.path}/{object_id}/stop", self._about("stop", resource)))

    def update(
        self, resource: Family, live: Record, changes: Record, method: str = "PUT", body: Record | None = None
    ) -> Record:
        """Change fields of an object, and return its record as it is read after that, at 1 GET.

        live: its record; body: what is sent for the changes, where that is not the changes themselves. Raises Incomplete
        where a field is otherwise than expected.
        """
        object_id = live["id"]
        shown: list[Record | None] = []

        def is_done() -> bool:
            shown[:] = [self.read(resource, object_id)]
            return shown[0] is not None and all(same(shown[0].get(field), value) for field, value in changes.items())

        about, path = self._about("update", resource), f"{resource.path}/{object_id}"
        taken = {409: f"another {resource.noun} has this {resource.key}; choose another one"}
        hints = taken if resource.key in changes else None
        try:
            _accepted(self._write(method, path, about, json=body or changes, hints=hints))
        except CallError as error:
            self._settle(error, resource.noun, "updated", is_done)
        if not shown:
            self._read_back(resource.noun, "updated", is_done)
        what = f"{resource.noun} {printable(live.get('name', live[resource.key]))!r} (id {object_id})"
        if shown[0] is None:
            raise Incomplete(f"After the update, {what} does not exist any more: run the task again.")
        record, unexpected = written(resource, live, changes, shown[0])
        if unexpected:
            problem = not_as_written(what, unexpected, changes)
            raise Incomplete(problem, unexpected=unexpected, **{resource.name: record})
        return record

    def delete(
        self,
        resource: Family,
        object_id: int,
        below: str = "",
        is_gone: Callable[[], bool] | None = None,
        read_back: bool = True,
    ) -> bool:
        """Delete an object, or what is ``below`` it; True where this run did it, False where it was gone already.

        is_gone: reads whether it is gone, without which the object is read; read_back: do so after a success too, at 1 GET,
        because an answer does not prove that something was deleted.
        """
        is_gone = is_gone or (lambda: self.read(resource, object_id) is None)
        what = f"data of the {resource.noun}" if below else resource.noun
        path = f"{resource.path}/{object_id}{below}"
        try:
            answer = self._write("DELETE", path, self._about("delete", resource), hints=resource.delete_hints)
            _accepted(answer)
        except CallError as error:
            if error.status == 404 and isinstance(error, ApiError):
                return self._gone_before(error, resource, object_id)
            self._settle(error, what, "deleted", is_gone)
            return True
        if read_back and not self._read_back(what, "deleted", is_gone):
            raise AnswerError(
                f"DELETE {path} was answered {answer.status}, but the {what} still exists",
                "DELETE", path, status=answer.status, maybe_done=True, advice=NOT_GONE,
            ).with_effect("The service may delete it later.")  # fmt: skip
        return True

    def _read_back(self, what: str, done: str, read: Callable[[], bool]) -> bool:
        """What a read after a write shows, which an interrupt does not prevent. what, done: as for ``_settle``."""
        try:
            with self.transport.stop.last_calls():
                return read()
        except CallError as error:
            raise Incomplete(f"The {what} was {done}, but reading it back failed: {error}", **error.result) from None

    def _gone_before(self, error: CallError, resource: Family, object_id: int) -> bool:
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
            raise unconfirmed(error, what, done)
        if isinstance(error, AnswerError):
            self.warn(f"{error.what}. Reading again shows that the {what} was {done}.")

    def data(
        self,
        resource: Family,
        object_id: int,
        below: str,
        accept: str = "application/json",
        hints: Hints | None = None,
        sink: Sink | None = None,
        is_text: bool = False,
    ) -> Answer:
        """The Answer for what is ``below`` an object: ``/data`` of a logger, ``/contents`` of a wordlist.

        is_text: whether it may be text, the end of which nothing marks.
        """
        path = f"{resource.path}/{object_id}{below}"
        about = self._about("download", resource)
        return self.transport.send("GET", path, accept=accept, hints=hints, sink=sink, to_the_end=is_text, about=about)

    def nested(
        self, resource: Family, object_id: int, below: str, rows_in: listing.RowsIn, hints: Hints | None = None
    ) -> list[Any]:
        """The complete list that is nested in the answer for what is ``below`` an object, see ``listing.nested``."""
        path, about = f"{resource.path}/{object_id}{below}", self._about("download", resource)

        def send(place: Record) -> Answer:
            return self.transport.send("GET", path, query=place or None, hints=hints, about=about)

        return listing.nested(resource, path, send, rows_in)


def _accepted(answer: Answer) -> None:
    """Raise unless the answer to an update, a DELETE or a stop says that it was done: 204, no body, or a JSON object that is
    empty or has ``data``."""
    if answer.status == 204 or not answer.body.strip():
        return
    body = answer.json()
    if not isinstance(body, dict) or (body and "data" not in body):
        raise answer.unexpected("no data in it")

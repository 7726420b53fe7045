"""What operators alone ask for and are told."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.requests import Id, RequestModel
from tabiya.server.web.schemas.responses import ListPage, ResponseModel


class AuditQuery(RequestModel, frozen=True, kw_only=True):
    """Which orders to list."""

    before: Annotated[Id | None, doc("Only older ones than this number.")] = None
    limit: Annotated[int, Meta(ge=1, le=200), doc("At most so many.")] = 50


class GivenOrder(ResponseModel, frozen=True, kw_only=True):
    """An order that an operator has given."""

    id: Annotated[int, doc("Its number.")]
    at: Annotated[float, doc("When it was answered.")]
    who: Annotated[str, doc("Name of the account; `operator` for the server's own.")]
    way: Annotated[str, doc("How it showed who it is: `token`, `session`, or `this machine` without either.")]
    address: Annotated[str, doc("The address that it came from.")]
    path: Annotated[str, doc("What was ordered: the address in this API, without `/api/v1`.")]
    details: Annotated[dict[str, Any], doc("The fields of the order, without secrets and files.")]
    status: Annotated[int, doc("Of the answer: 200 and 201 for done, others for refused.")]


class Audit(ListPage, frozen=True, kw_only=True):
    """Orders that operators have given."""

    orders: Annotated[tuple[GivenOrder, ...], doc("The newest first; at most `limit`.")]

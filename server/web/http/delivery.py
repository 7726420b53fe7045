"""How an answer is sent: not again if the client has it (ETag), and texts compressed (gzip)."""

from __future__ import annotations

import hashlib

from aiohttp import ETag, web
from aiohttp.web import ContentCoding
from multidict import CIMultiDict

COMPRESSED_FROM = 1_024  # bytes: below, a packet is sent in any case
HEADERS_OF_304 = (  # that a 304 has of the answer it stands for: a browser takes them for those of the answer it kept
    "ETag",
    "Cache-Control",
    "Vary",
    "Content-Security-Policy",
    "Cross-Origin-Resource-Policy",
    "Cross-Origin-Embedder-Policy",
)
TEXTS = ("application/json", "application/problem+json", "image/svg+xml", "application/atom+xml")  # beside text/...


def delivered(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """The response, or 304 where the client has it already; compressed if it is a text, and not a stream."""
    if not (isinstance(response, web.Response) and isinstance(response.body, bytes)):
        return response
    is_long_text = len(response.body) >= COMPRESSED_FROM and _is_text(response)
    if is_long_text:
        response.headers.add("Vary", "Accept-Encoding")
    if request.method in ("GET", "HEAD") and response.status == 200:
        if response.etag is None:
            # weak, because the same answer may be compressed or not
            response.etag = ETag(hashlib.blake2b(response.body, digest_size=12).hexdigest(), is_weak=True)
        if _is_known(request, response.etag):
            kept = [(name, value) for name in HEADERS_OF_304 for value in response.headers.getall(name, [])]
            return web.Response(status=304, headers=CIMultiDict(kept))
    if is_long_text and accepts_gzip(request):
        response.enable_compression(ContentCoding.gzip)
    return response


def _is_text(response: web.Response) -> bool:
    return response.content_type.startswith("text/") or response.content_type in TEXTS


def _is_known(request: web.Request, etag: ETag | None) -> bool:
    return any(known.value in ("*", etag.value if etag else "*") for known in request.if_none_match or ())


def accepts_gzip(request: web.Request) -> bool:
    """Whether the client accepts gzip."""
    for offer in request.headers.get("Accept-Encoding", "").lower().split(","):
        coding, _, weight = offer.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "").removeprefix("q=").strip("0.") != "" or not weight
    return False

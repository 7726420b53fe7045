"""What a page may load and reach (Content-Security-Policy): this server, and nothing else."""

from __future__ import annotations


def content_security_policy(connect: str = "'self'", *, frames: str = "'none'", forms: str = "'self'") -> str:
    """The header's text.

    connect: where its scripts may connect to.  frames: which sites may show it in a frame.  forms: where its forms go.
    """
    return (
        f"default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src {connect}; "
        f"base-uri 'none'; form-action {forms}; frame-ancestors {frames}"
    )

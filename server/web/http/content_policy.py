"""What a page may load and reach (Content-Security-Policy): this server, and nothing else."""

from __future__ import annotations


def content_security_policy(connect: str = "'self'") -> str:
    """The header's text. connect: where its scripts may connect to."""
    return (
        f"default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src {connect}; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )

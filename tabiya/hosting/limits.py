"""What one program that is run here may use; apart, because the command line loads it at once."""

from __future__ import annotations

MEMORY_MB = 512
FILE_MB = 16  # of one file that it writes

"""Response models made from stored records; nothing here knows of HTTP."""

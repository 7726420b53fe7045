"""What is asked of the tables and written into them: rows to records and back, queries, writes, the check of it all."""

"""What tables a database has, and how it comes to have them: their definition, its revision, the migrations."""

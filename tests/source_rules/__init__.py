"""What holds of the repository as a whole: who imports whom, what is pure, what is locked."""

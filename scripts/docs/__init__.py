"""What makes the generated documents."""

"""What the API takes and answers, as typed structs."""

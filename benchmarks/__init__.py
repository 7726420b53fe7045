"""What is measured by hand: speed, strength, memory. Each has a short form in tests/benchmarks."""

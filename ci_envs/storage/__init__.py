"""Atomically written files, and arrays and tensors in files."""

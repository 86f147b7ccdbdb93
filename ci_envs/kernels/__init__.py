"""Compiled code: kernels, operations that dispatch on a type, the disk cache, bits and random numbers.

Only this package imports Numba.
"""

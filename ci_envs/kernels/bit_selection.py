"""Bits of a 64-bit word at the places that a mask selects, in compiled code."""

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from ci_envs.kernels.compiler import inline_kernel


def _bmi2(name: str) -> Any:
    """Return a function of two words that is one instruction of the extension BMI2 of x86: ``pdep`` or ``pext``."""

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(context: Any, word: Any, mask: Any) -> Any:
        def generate(c: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = ir.FunctionType(ir.IntType(64), [ir.IntType(64), ir.IntType(64)])
            return builder.call(builder.module.declare_intrinsic(f"llvm.x86.bmi.{name}.64", (), words), args)

        return types.uint64(types.uint64, types.uint64), generate

    return instruction


def _deposit_loop(word: Any, mask: Any) -> Any:
    deposited = np.uint64(0)
    while mask:
        if word & np.uint64(1):
            deposited |= mask & (~mask + np.uint64(1))
        word >>= np.uint64(1)
        mask &= mask - np.uint64(1)
    return deposited


def _extract_loop(word: Any, mask: Any) -> Any:
    extracted, place = np.uint64(0), np.uint64(1)
    while mask:
        if word & mask & (~mask + np.uint64(1)):
            extracted |= place
        place <<= np.uint64(1)
        mask &= mask - np.uint64(1)
    return extracted


HAS_BMI2 = config.CPU_NAME is None and llvmlite.binding.get_host_cpu_features().get("bmi2", False)
"""Whether compiled code may use the instructions ``pdep`` and ``pext``."""

deposit_bits = _bmi2("pdep") if HAS_BMI2 else inline_kernel(_deposit_loop)
"""Return the word whose bits at the set bits of ``mask``, from the lowest, are the lowest bits of ``word``."""

extract_bits = _bmi2("pext") if HAS_BMI2 else inline_kernel(_extract_loop)
"""Return the bits of ``word`` at the set bits of ``mask``, moved together to the lowest places."""

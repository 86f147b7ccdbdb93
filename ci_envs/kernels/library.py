"""The code of a function between Numba's compiler and the machine.

Numba optimises each function and makes machine code of it. Then it links the optimised code of LLVM into each caller,
and does both again there. For a function that only compiled functions call, this is done once here: in its callers.
"""

from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from typing_extensions import override


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that Python can call.

    Numba makes an optimiser for each function that the code names, this class only for those that the code contains.
    """

    _final_module: Any

    @override
    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    @property
    def has_calls_by_address(self) -> bool:
        """Whether functions call each other, which Numba does by addresses of machine code of this process."""
        return any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in self._final_module.global_variables)


class InnerLibrary(KernelLibrary):
    """The code of a function that only compiled functions call: code of LLVM for them, without machine code."""

    @override
    def _optimize_final_module(self) -> None:
        """Leave the optimisation to the callers, into which this code is linked."""
        if self.has_calls_by_address:
            super()._optimize_final_module()

    @override
    def _finalize_final_module(self) -> None:
        if not self.has_calls_by_address:
            self._finalize_dynamic_globals()
            self._finalized = True  # which the next call requires
            self._get_module_for_linking()  # which is kept
            self._final_module = _without_functions(self._final_module)
        super()._finalize_final_module()


def _without_functions(module: Any) -> Any:
    """Return a module with only the variables in which Numba looks for the objects of Python that the code uses."""
    environments = [variable for variable in module.global_variables if variable.name.startswith("_ZN08NumbaEnv")]
    lines = f'target triple = "{module.triple}"', f'target datalayout = "{module.data_layout}"', *map(str, environments)
    result = llvm.parse_assembly("\n".join(lines))
    result.name = module.name
    return result

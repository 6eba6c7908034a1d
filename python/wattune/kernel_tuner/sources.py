"""The text that is compiled for a configuration: the caller's source with the values of its parameters."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import exception, wrong
from .geometry import Geometry, Params, with_values
from .refusals import LANGUAGES, refused

_CUDA_NAMES = ("CUDA", "CUPY", "NVCUDA")
_FORTRAN_COMPILERS = ("gfortran", "nvfortran", "ftn", "ifort", "ifx", "flang")
_C_COMPILERS = ("gcc", "cc", "clang", "icx", "icc", "nvc")
_CODE = ("__global__ ", "__kernel ", "void ", "float ")
_FILE_ENDINGS = (".c", ".opencl", ".F", ".jl")
_UNROLL = "loop_unroll_factor"
CALLED = "wattune_called"
"""The name of the function that is launched in the place of a function of the host."""


def looks_like_a_filename(source: object) -> bool:
    """Tells whether a source is the name of a file and not a text: short, without brackets, with a known ending."""
    if not isinstance(source, str) or len(source) > 250:
        return False
    if any(each in source for each in "();{}\\") or any(each in source for each in _CODE):
        return False
    return any(each in source for each in _FILE_ENDINGS)


def detected_language(text: str) -> str:
    """Returns the language of a text: CUDA, OPENCL, JULIA, or C."""
    text = text.lower()
    if "__global__" in text:
        return "CUDA"
    if "__kernel" in text:
        return "OPENCL"
    return "JULIA" if any(each in text for each in ("@cuda", "@kernel", "@device_code")) else "C"


def _read(file: str | os.PathLike[str]) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        facts = {"message": reason, "file": os.fspath(file)}
        raise exception("not_found", f"{os.fspath(file)}: {reason}", facts) from None


class KernelSource:
    """The caller's source: a text, a file, a function of the configuration, or a list whose first entry is the kernel.

    Raises RefusedError for a language that is not to be had, TypeError for a function without `lang`.
    """

    def __init__(self, kernel_name: str, kernel_source: Any, lang: str | None, compiler: str | None) -> None:
        sources = list(kernel_source) if isinstance(kernel_source, (list, tuple)) else [kernel_source]
        if not sources or not all(isinstance(each, (str, os.PathLike)) or callable(each) for each in sources):
            raise TypeError(f"kernel_source is a text, a file, a function or a list, not {kernel_source!r}")
        self.name = kernel_name
        self.main = sources[0]
        self.files = sources[1:]
        for each in self.files:
            if not isinstance(each, os.PathLike) and not looks_like_a_filename(each):
                raise wrong("the further sources of a kernel are files", each if isinstance(each, str) else repr(each))
        if lang is None and callable(self.main):
            raise TypeError("a function that writes the source needs `lang`, such as lang='CUDA'")
        self.lang = lang.upper() if lang is not None else detected_language(self.text(self.main, {}))
        self.compiler = compiler
        self._check()

    def _check(self) -> None:
        if self.lang in LANGUAGES:
            raise refused(f"lang={self.lang!r}", LANGUAGES[self.lang])
        if self.lang not in (*_CUDA_NAMES, "OPENCL", "C", "FORTRAN"):
            raise wrong("there is no such language", self.lang, "CUDA, OpenCL, C or Fortran")
        if self.compiler and not self.is_host and not (self.is_cuda and os.path.basename(self.compiler) == "nvcc"):
            raise refused(f"compiler={self.compiler!r} for {self.lang}", "leave it out; with CUDA, 'nvcc' is one")
        if self.is_host and not self.is_fortran and self._is_host_code_of_cuda():
            raise refused("nvcc for host code", "tune the kernel that it launches, with lang='CUDA'")

    def _is_host_code_of_cuda(self) -> bool:
        text = "" if callable(self.main) else self.text(self.main, {})
        signs = ("__global", "__syncthreads()", "threadIdx", "#include <cuda", "cudaMemcpy")
        return os.path.basename(self.compiler or "") == "nvcc" or any(each in text for each in signs)

    @property
    def is_cuda(self) -> bool:
        """True for a kernel in CUDA."""
        return self.lang in _CUDA_NAMES

    @property
    def is_host(self) -> bool:
        """True for a function of the host's processors."""
        return self.lang in ("C", "FORTRAN")

    @property
    def is_fortran(self) -> bool:
        """True for a function that a compiler of Fortran compiles."""
        return self.lang == "FORTRAN" or os.path.basename(self.compiler or "") in _FORTRAN_COMPILERS

    @property
    def is_plain_c(self) -> bool:
        """True for a function that is compiled as C, not as C++."""
        return str(self.file or "").endswith(".c") and os.path.basename(self.compiler or "") in _C_COMPILERS

    @property
    def file(self) -> str | None:
        """The file of the kernel, if it is one."""
        is_file = isinstance(self.main, os.PathLike) or looks_like_a_filename(self.main)
        return os.path.abspath(self.main) if is_file else None

    def include_folders(self, text: str) -> list[str]:
        """Returns the folders of headers that the compiler does not know: of further sources, and the current one.

        Kernel Tuner compiles copies that lie in the current folder.
        """
        if '#include "' not in text:
            return []
        folders = [os.path.dirname(os.path.abspath(each)) for each in self.files]
        return list(dict.fromkeys([*folders, os.getcwd()]))

    @property
    def language(self) -> str:
        """The language as wattune.tune() names it."""
        if self.is_host:
            return "C" if self.is_plain_c else "C++"
        return "CUDA" if self.is_cuda else "OpenCL"

    def text(self, source: Any, params: Params) -> str:
        """Returns the text of a source in a configuration. Raises NotFoundError for a file that is not there."""
        if callable(source):
            text = source(dict(params))
            if not isinstance(text, str):
                raise TypeError(f"the function that writes the source returned {type(text).__name__}, not a text")
            return text
        if isinstance(source, os.PathLike) or looks_like_a_filename(source):
            return _read(source)
        return str(source)


def macros_of(geometry: Geometry, params: Params, defines: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns the macros of a configuration: `defines`, or else grid, block, parameters and kernel_tuner.

    Raises InvalidArgumentError for a name that is no identifier.
    """
    values: dict[str, Any] = {}
    if defines is None:
        values.update(zip(("grid_size_x", "grid_size_y", "grid_size_z"), geometry.grid(params)))
        values.update(zip(geometry.names, geometry.block(params)))
        values.update(params)
        values["kernel_tuner"] = 1
    else:
        for name, value in defines.items():
            is_text = isinstance(value, str)
            values[name] = value(params) if callable(value) else with_values(value, params) if is_text else value
    for name in values:
        if not name.isidentifier():
            raise wrong("the name of a macro is an identifier", name)
    return {name: str(value).replace("\n", "\\\n") for name, value in values.items()}


class Writer:
    """Writes the text of a configuration.

    `wattune` defines the parameters as macros, too. They are undefined first, so that the text decides alone.
    """

    def __init__(self, source: KernelSource, geometry: Geometry, defines: Mapping[str, Any] | None,
                 names: Sequence[str], options: Sequence[str], call: str) -> None:  # fmt: skip
        self.source = source
        self._geometry = geometry
        self._defines = defines
        self._names = list(names)
        self._options = list(options)
        self._call = call
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __call__(self, params: dict[str, Any]) -> str:
        """Returns the text of a configuration."""
        text = self._with_macros(
            self.source.text(self.source.main, params), params, undefine=not self.source.is_fortran
        )
        for number, each in enumerate(self.source.files):
            copy = self._copied(number, os.fspath(each), params)
            text = text.replace(os.fspath(each), copy)
        if self.source.is_fortran:
            return self._shim(text, params)
        return text + self._call

    def close(self) -> None:
        """Removes the files that were written."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _with_macros(self, text: str, params: Params, *, undefine: bool) -> str:
        head = "".join(f"#undef {name}\n" for name in self._names) if undefine else ""
        for name, value in macros_of(self._geometry, params, self._defines).items():
            if _UNROLL in name and self.source.is_cuda:
                if value == "0":
                    text = re.sub(rf"\n\s*#pragma\s+unroll\s+{name}\b", "\n", text)
                else:
                    head += f"constexpr int {name} = {value};\n"
            else:
                head += f"#define {name} {value}\n"
        return f"{head}#line 1\n{text}" if head and not self.source.is_fortran else head + text

    def _place(self) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="wattune-")
        return self._folder.name

    def _copied(self, number: int, file: str, params: Params) -> str:
        """Writes a further source with the macros of the configuration, and returns the file."""
        key = "_".join(re.sub(r"\W", "-", str(value)) for value in params.values())
        copy = os.path.join(self._place(), f"{number}_{key}{os.path.splitext(file)[1]}")
        Path(copy).write_text(self._with_macros(self.source.text(Path(file), params), params, undefine=False))
        return copy

    def _shim(self, text: str, params: Params) -> str:
        """Compiles Fortran into a library, and returns the text of a function that calls it."""
        key = "_".join(re.sub(r"\W", "-", str(value)) for value in params.values())
        stem = os.path.join(self._place(), key or "kernel")
        ending = os.path.splitext(self.source.file or "kernel.F90")[1]
        Path(stem + ending).write_text(text)
        compiler = self.source.compiler or "gfortran"
        if shutil.which(compiler) is None:
            raise exception("unavailable", f"the compiler `{compiler}` is not there", {"message": "no compiler"})
        include = ["-I", os.path.dirname(self.source.file)] if self.source.file else []
        command = [compiler, "-fPIC", "-shared", *include, *self._options, stem + ending, "-o", stem + ".so"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self._place())
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "Error" in line] or done.stderr.splitlines()
            return f"#error {compiler}: {lines[0] if lines else 'failed'}\n"
        return self._call.replace("LIBRARY", stem + ".so").replace("SYMBOL", self._symbol(text, compiler))

    def _symbol(self, text: str, compiler: str) -> str:
        """Returns the name that a compiler of Fortran gives a function, in a module or outside."""
        name = self.source.name.lower()
        module = re.search(r"^\s*module\s+([A-Za-z]\w*)\s*$", text, re.MULTILINE | re.IGNORECASE)
        if module is None:
            return f"{name}_"
        inside = module.group(1).lower()
        base = os.path.basename(compiler)
        if base in ("ftn", "ifort", "ifx"):
            return f"{inside}_mp_{name}_"
        return f"{inside}_{name}_" if base == "nvfortran" else f"__{inside}_MOD_{name}"


_CAST = """
namespace wattune_kernel_tuner {
template <typename R, typename... P, typename... A>
R call(R (*function)(P...), A... arguments) { return function((P)arguments...); }
}
"""


def call_of(source: KernelSource, declared: Sequence[tuple[str, str]], function: str, returns: str) -> str:
    """Returns the text of the function that is launched for a function of the host; empty if that is launched itself.

    It converts each argument as a pointer of Kernel Tuner's is converted: to whatever type the function has.
    `declared` are types and names of the arguments.
    """
    parameters = ", ".join(f"{type_} {name}" for type_, name in declared)
    names = "".join(f", {name}" for _, name in declared)
    head = f"{returns} {CALLED}({parameters})"
    if source.is_fortran:
        types = ", ".join(type_ for type_, _ in declared)
        arguments = ", ".join(name for _, name in declared)
        return (
            f"#include <dlfcn.h>\n#include <cstdio>\n#include <cstdlib>\n{head} {{\n"
            f'  static void* const library = dlopen("LIBRARY", RTLD_NOW);\n'
            f'  static void* const symbol = library != nullptr ? dlsym(library, "SYMBOL") : nullptr;\n'
            f'  if (symbol == nullptr) {{ std::fprintf(stderr, "%s\\n", dlerror()); std::abort(); }}\n'
            f"  return reinterpret_cast<{returns} (*)({types})>(symbol)({arguments});\n}}\n"
        )
    if source.is_plain_c:
        return ""
    return f"{_CAST}{head} {{ return wattune_kernel_tuner::call(&{function}{names}); }}\n"


def returns_time(text: str, function: str) -> bool:
    """Tells whether a function of the host returns a floating-point number, which is its time in milliseconds."""
    name = re.escape(function.split("<", maxsplit=1)[0])
    if re.search(rf"\b(float|double)\s+{name}\s*\(", text):
        return True
    return re.search(rf"\bfunction\s+{name}\s*\(", text, re.IGNORECASE) is not None


Source = Callable[[dict[str, Any]], str]
"""A function of the configuration that returns the text."""

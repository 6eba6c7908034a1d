// KernelSource: the text that is compiled, and the way it is compiled. Language, Compiler, ParameterStyle and
// FunctionCall are its parts. ExpressionText is an expression as the user wrote it, which `tune` compiles once per run.
//
// All are values that own their parts.
//
//   KernelSource source{.language = Language::cuda, .function = "scale", .file = "scale.cu", .text = text};
//   source.options = {"-ftz=true"};
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/error.h"
#include "wattune/core/export.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1 {

// The languages that kernels are written in.
enum class Language { opencl, cuda, cpp, c };

WATTUNE_EXPORT std::string_view to_string(Language language);  // "OpenCL", "CUDA", "C++", "C"
// Tells whether the language is C or C++, whose kernels are functions of the host's processor. Such kernels have
// neither work-groups nor device memory.
WATTUNE_EXPORT bool is_host_language(Language language);

// The compiler that turns a source into code.
enum class Compiler {
  standard,  // the compiler of the OpenCL driver, or NVRTC for CUDA
  nvcc       // the program of the CUDA toolkit
};

// The way in which a source gets the tuning parameters.
enum class ParameterStyle {
  macros,    // #define NAME VALUE
  constants  // CUDA: constexpr int NAME = VALUE; texts stay macros
};

// An argument of a function on the host. Its compiler needs the type to call the function; the spec tells it.
struct WATTUNE_EXPORT CallArgument {
  std::string name;
  std::string type;  // in C: "float*", "int", "struct { int a; float b; }"; "void*": a pointer of any type
};
// A function of the source with the types of its arguments.
struct WATTUNE_EXPORT FunctionCall {
  std::string function;
  std::vector<CallArgument> arguments;
};

// A source file and the function in it that is launched, with other functions that are launched too. Compilers
// instantiate only templates that are asked for, so all launched functions must be named. `text` is compiled; `file` is
// for messages and #include.
struct WATTUNE_EXPORT KernelSource {
  Language language = Language::opencl;
  std::string function;
  std::vector<std::string> other_functions;
  std::filesystem::path file;
  std::string text;
  std::vector<std::string> options;  // compile options, passed unchanged
  Compiler compiler = Compiler::standard;
  ParameterStyle parameter_style = ParameterStyle::macros;
  std::vector<FunctionCall> calls = {};                   // C and C++: the types of every function
  std::map<std::string, ParameterStyle> own_styles = {};  // exceptions to parameter_style, by parameter name
  // C and C++: the program that compiles, by its name in PATH or its path. If empty, it is that of CXX (for C: CC) in
  // the environment, or the system's.
  std::string host_compiler = {};
  // C and C++: the unit of the times that the functions return as numbers. If it is set, these numbers count as the
  // times of the launches, in place of the times by the clock.
  std::optional<Nanoseconds> returned_unit = {};
};

// An expression in the parameters and the problem size, with its place in the user's file.
struct WATTUNE_EXPORT ExpressionText {
  std::string text;
  SourcePosition position;
};

}  // namespace wattune

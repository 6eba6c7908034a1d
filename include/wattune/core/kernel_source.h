// KernelSource: the text that is compiled, and how. Values; owned.
//
//   KernelSource source{.language = Language::cuda, .function = "scale", .file = "scale.cu", .text = text};
//   source.options = {"-ftz=true"};
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/language.h"

namespace wattune {

// Which compiler turns a source into code.
enum class Compiler {
  standard,  // OpenCL: the driver's; CUDA: NVRTC
  nvcc       // CUDA's, as a program
};

// How a source gets the tuning parameters.
enum class ParameterStyle {
  macros,    // #define NAME VALUE
  constants  // CUDA: constexpr int NAME = VALUE; texts stay macros
};

// How a function on the host is called: its compiler must know the types, and takes them from the spec.
struct CallArgument {
  std::string name;
  std::string type;  // in C: "float*", "int", "struct { int a; float b; }"; "void*": a pointer of any type
};
struct FunctionCall {
  std::string function;
  std::vector<CallArgument> arguments;
};

// A source file and the function in it, with others that are launched too: compilers make instances of templates for
// those that are asked for only. `text` is what gets compiled; `file` is for messages and #include.
struct KernelSource {
  Language language = Language::opencl;
  std::string function;
  std::vector<std::string> other_functions;
  std::filesystem::path file;
  std::string text;
  std::vector<std::string> options;  // compile options, passed as they are
  Compiler compiler = Compiler::standard;
  ParameterStyle parameter_style = ParameterStyle::macros;
  std::vector<FunctionCall> calls = {};                   // C and C++: of every function
  std::map<std::string, ParameterStyle> own_styles = {};  // of parameters that go another way, by name
};

}  // namespace wattune

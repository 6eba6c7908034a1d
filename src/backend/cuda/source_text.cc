#include "backend/cuda/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "backend/compile/code_text.h"
#include "backend/compile/opencl_options.h"
#include "backend/compile/preprocessor.h"
#include "backend/cuda/nvrtc_options.h"
#include "backend/cuda/toolkit.h"
#include "backend/interface/compile.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns the C++ type of a parameter's value: "int" for 32, "double" for 0.5; nullopt for a text.
std::optional<std::string_view> type_of(const std::string& value) {
  const char* const end = value.data() + value.size();
  long long integer = 0;
  if (const auto read = std::from_chars(value.data(), end, integer); read.ec == std::errc() && read.ptr == end)
    return integer == static_cast<int>(integer) ? "int" : "long long";
  double real = 0.0;
  if (const auto read = std::from_chars(value.data(), end, real); read.ec == std::errc() && read.ptr == end)
    return "double";
  return std::nullopt;
}

std::string definition(const Macro& macro, ParameterStyle style) {
  const auto type = style == ParameterStyle::constants ? type_of(macro.value) : std::nullopt;
  if (type) return fmt::format("constexpr {} {} = {};\n", *type, macro.name, macro.value);
  return fmt::format("#define {} {}\n", macro.name, on_one_line(macro.value));
}

// Returns the value that follows `=` or a blank in the option; nullopt if the value is the next option.
std::optional<std::string> own_value(const std::string& option) {
  constexpr std::string_view kEnds = "= ";
  const std::size_t begin = option.find_first_not_of(kEnds, option.find_first_of(kEnds));
  return begin == std::string::npos ? std::nullopt : std::optional(option.substr(begin));
}

}  // namespace

ParameterStyle style_of(const KernelSource& source, const std::string& parameter) {
  const auto own = source.own_styles.find(parameter);
  return own == source.own_styles.end() ? source.parameter_style : own->second;
}

std::string with_parameters(const KernelSource& source, std::span<const Macro> macros) {
  std::string text;
  for (const Macro& macro : macros) text += definition(macro, style_of(source, macro.name));
  return text + line_directive(display_name(source)) + source.text;
}

std::string with_values(const std::string& function, std::span<const Macro> macros) {
  std::string result;
  for (std::size_t at = 0; at < function.size();) {
    const auto begin = function.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = std::find_if(begin, function.end(), [](char c) { return !is_word(c); });
    if (end == begin) {
      result += function[at++];
      continue;
    }
    const std::string word(begin, end);
    const auto macro = std::ranges::find(macros, word, &Macro::name);
    result += macro == macros.end() ? word : macro->value;
    at += word.size();
  }
  return result;
}

std::vector<std::string> template_instances(const KernelSource& source, std::span<const Macro> macros) {
  std::vector<std::string> functions = source.other_functions;
  functions.push_back(source.function);
  std::vector<std::string> instances;
  for (const std::string& function : functions) {
    std::string instance = with_values(function, macros);
    if (instance.find('<') != std::string::npos && std::ranges::count(instances, instance) == 0)
      instances.push_back(std::move(instance));
  }
  return instances;
}

std::string display_name(const KernelSource& source) {
  return source.file.empty() ? "kernel.cu" : source.file.string();
}

std::vector<std::string> options_with_folders(const KernelSource& source) {
  std::vector<std::string> options = options_with_own_folder(source);
  for (const std::string& toolkit : toolkit_include_folders()) options.push_back("-I" + toolkit);
  return options;
}

SourceKind kind_of(const KernelSource& source) {
  const std::string extension = source.file.extension().string();
  if (extension == ".ptx") return SourceKind::ptx;
  return extension == ".cubin" ? SourceKind::cubin : kind_of_text(source.text);
}

SourceKind kind_of_text(std::string_view text) {
  if (text.starts_with("\x7f"
                       "ELF"))
    return SourceKind::cubin;
  // PTX begins with .version, perhaps behind comments.
  while (text.starts_with("//") || text.starts_with('\n'))
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.starts_with(".version") ? SourceKind::ptx : SourceKind::cuda_cpp;
}

bool names_architecture(std::string_view option) {
  constexpr std::string_view kPrefixes[] = {"-arch", "--gpu-architecture", "-gencode", "--generate-code",
                                            "-code", "--gpu-code"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return option.starts_with(prefix); });
}

KernelSource without_architecture(KernelSource source) {
  const std::vector<std::string> options = options_apart(source.options);
  source.options.clear();
  for (auto option = options.begin(); option != options.end(); ++option) {
    if (!names_architecture(*option))
      source.options.push_back(*option);
    else if (!own_value(*option) && option + 1 != options.end())
      ++option;  // skips the option's name, too
  }
  return source;
}

}  // namespace wattune::backend::cuda

namespace wattune::inline v0_1::backend {

std::optional<std::string> named_architecture(const KernelSource& source) {
  const std::vector<std::string> options = options_apart(source.options);
  for (auto option = options.begin(); option != options.end(); ++option) {
    if (!cuda::names_architecture(*option)) continue;
    if (const auto value = cuda::own_value(*option)) return cuda::architecture_in(*value);
    return option + 1 == options.end() ? *option : cuda::architecture_in(*(option + 1));
  }
  return std::nullopt;
}

}  // namespace wattune::backend

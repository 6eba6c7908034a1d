#include "backend/cuda/nvrtc_options.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace wattune::inline v0_1::backend::cuda {

namespace {

constexpr std::string_view kArchitecture = "--gpu-architecture=";

// An option of nvcc with a value. NVRTC's name is empty for an option that NVRTC neither has nor needs.
struct OptionName {
  std::string_view of_nvcc;
  std::string_view of_nvrtc;
};

constexpr OptionName kWithValue[] = {{"-arch", kArchitecture},
                                     {"--gpu-architecture", kArchitecture},
                                     {"-gencode", kArchitecture},
                                     {"--generate-code", kArchitecture},
                                     {"-code", kArchitecture},
                                     {"--gpu-code", kArchitecture},
                                     {"-std", "--std="},
                                     {"--std", "--std="},
                                     {"-maxrregcount", "--maxrregcount="},
                                     {"--maxrregcount", "--maxrregcount="},
                                     {"-Xptxas", "--ptxas-options="},
                                     {"--ptxas-options", "--ptxas-options="},
                                     {"-ftz", "--ftz="},
                                     {"--ftz", "--ftz="},
                                     {"-prec-div", "--prec-div="},
                                     {"--prec-div", "--prec-div="},
                                     {"-prec-sqrt", "--prec-sqrt="},
                                     {"--prec-sqrt", "--prec-sqrt="},
                                     {"-fmad", "--fmad="},
                                     {"--fmad", "--fmad="},
                                     {"-include", "--pre-include="},
                                     {"--pre-include", "--pre-include="},
                                     {"-isystem", "-I"},
                                     {"--undefine-macro", "-U"},
                                     {"-U", "-U"},
                                     {"-diag-suppress", "--diag-suppress="},
                                     {"--diag-suppress", "--diag-suppress="},
                                     {"-rdc", "--relocatable-device-code="},
                                     {"--relocatable-device-code", "--relocatable-device-code="},
                                     {"-m", ""},
                                     {"--machine", ""},
                                     {"-O", ""},
                                     {"--optimize", ""},
                                     {"-t", ""},
                                     {"--threads", ""},
                                     {"-ccbin", ""},
                                     {"--compiler-bindir", ""},
                                     {"-cudart", ""},
                                     {"--cudart", ""},
                                     {"-default-stream", ""},
                                     {"--default-stream", ""}};

// Options without a value.
constexpr OptionName kPlain[] = {{"-g", ""},
                                 {"--debug", ""},
                                 {"-v", ""},
                                 {"--verbose", ""},
                                 {"-O0", ""},
                                 {"-O1", ""},
                                 {"-O2", ""},
                                 {"-O3", ""},
                                 {"-m64", ""},
                                 {"-res-usage", ""},
                                 {"--resource-usage", ""},
                                 {"-src-in-ptx", ""},
                                 {"--source-in-ptx", ""},
                                 {"-Wno-deprecated-gpu-targets", ""},
                                 {"-allow-unsupported-compiler", ""},
                                 {"--allow-unsupported-compiler", ""},
                                 {"--lineinfo", "--generate-line-info"},
                                 {"--generate-line-info", "--generate-line-info"},
                                 {"--use_fast_math", "--use_fast_math"},
                                 {"--device-debug", "--device-debug"},
                                 {"-lineinfo", "--generate-line-info"},
                                 {"--use-fast-math", "--use_fast_math"},
                                 {"-use_fast_math", "--use_fast_math"},
                                 {"-G", "--device-debug"},
                                 {"-expt-relaxed-constexpr", "--device-as-default-execution-space"},
                                 {"--expt-relaxed-constexpr", "--device-as-default-execution-space"}};

constexpr std::string_view kEndOfName = "= \t";

// Returns the pieces of a value between commas, brackets and quotes.
std::vector<std::string> pieces_of(std::string_view value) {
  std::vector<std::string> pieces(1);
  for (const char c : value) {
    if (std::string_view(",[]\"' ").find(c) != std::string_view::npos)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  std::erase(pieces, std::string());
  return pieces;
}

// Adds an option with its value. Several ptxas options in one value become several options, and an option that is
// already there is not added again.
void add_option(std::vector<std::string>& options, std::string_view name, const std::string& value) {
  const auto add = [&](const std::string& text) {
    std::string option = std::string(name) + text;
    if (std::ranges::count(options, option) == 0) options.push_back(std::move(option));
  };
  if (name == kArchitecture) return add(architecture_in(value));
  if (name != "--ptxas-options=") return add(value);
  for (const std::string& piece : pieces_of(value)) add(piece);
}

template <std::size_t n>
const OptionName* find_option(const OptionName (&names)[n], std::string_view name) {
  const auto* const found = std::ranges::find(names, name, &OptionName::of_nvcc);
  return found == std::end(names) ? nullptr : found;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Keeps one architecture: the wanted one, or the first one if the wanted one is not there. "native" and "all" mean the
// wanted one.
void keep_one_architecture(std::vector<std::string>& options, const std::string& wanted) {
  const std::string for_wanted = std::string(kArchitecture) + wanted;
  for (std::string& option : options)
    for (const std::string_view any : {"native", "all", "all-major"})
      if (wanted.starts_with("sm_") && option == std::string(kArchitecture) + std::string(any)) option = for_wanted;
  const auto names_it = [](const std::string& option) { return option.starts_with(kArchitecture); };
  const auto first = std::ranges::find_if(options, names_it);
  if (first == options.end()) return;
  const std::string chosen = std::ranges::count(options, for_wanted) > 0 ? for_wanted : *first;
  std::erase_if(options, names_it);
  options.push_back(chosen);
}

}  // namespace

std::string architecture_in(const std::string& value) {
  std::vector<std::string> codes;
  std::string architecture;
  bool behind_code = false;
  for (std::string piece : pieces_of(value)) {
    if (piece.starts_with("arch=")) {
      architecture = piece.substr(5);
      behind_code = false;
      continue;
    }
    if (piece.starts_with("code=")) behind_code = true;
    if (piece.starts_with("code=")) piece.erase(0, 5);
    if (behind_code && !piece.empty()) codes.push_back(std::move(piece));
  }
  if (architecture.empty() && codes.empty()) return value;
  const auto real = std::ranges::find_if(codes, [](const std::string& code) { return code.starts_with("sm_"); });
  if (real != codes.end()) return *real;
  return codes.empty() ? architecture : codes.front();
}

std::vector<std::string> nvrtc_options(const std::vector<std::string>& options, const std::string& wanted) {
  // The options -arch=compute_86 -code=sm_86 together mean one architecture: that of -code.
  const bool names_code = std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-code") || option.starts_with("--gpu-code");
  });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (const OptionName* const plain = find_option(kPlain, option)) {
      if (!plain->of_nvrtc.empty()) add_option(result, plain->of_nvrtc, "");
      continue;
    }
    const std::size_t end = std::min(option.find_first_of(kEndOfName), option.size());
    const OptionName* const valued = find_option(kWithValue, std::string_view(option).substr(0, end));
    if (valued == nullptr) {
      result.push_back(option);
      continue;
    }
    const std::size_t begin = option.find_first_not_of(kEndOfName, end);
    std::string value;
    if (begin != std::string::npos)
      value = option.substr(begin);
    else if (i + 1 < options.size() && (valued->of_nvcc != "-O" || is_number(options[i + 1])))
      value = options[++i];
    const bool is_hidden = names_code && option.find("arch") < end;
    if (!valued->of_nvrtc.empty() && !is_hidden) add_option(result, valued->of_nvrtc, value);
  }
  keep_one_architecture(result, wanted);
  return result;
}

}  // namespace wattune::backend::cuda

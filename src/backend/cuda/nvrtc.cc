#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "backend/compile/code_text.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/cu_api.h"
#include "backend/cuda/cuda_error.h"
#include "backend/cuda/nvrtc_options.h"
#include "backend/cuda/source_text.h"
#include "backend/cuda/standard_headers.h"
#include "backend/interface/compile.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Owns an NVRTC program.
class NvrtcProgram {
 public:
  NvrtcProgram(const NvrtcApi& nvrtc, const std::string& text, const std::string& name,
               const std::vector<StandardHeader>& headers)
      : nvrtc_(nvrtc) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const StandardHeader& header : headers) {
      names.push_back(header.name.c_str());
      texts.push_back(header.text.c_str());
    }
    created_ = nvrtc.nvrtcCreateProgram(&program_, text.c_str(), name.c_str(), static_cast<int>(headers.size()),
                                        texts.data(), names.data());
  }
  NvrtcProgram(const NvrtcProgram&) = delete;
  NvrtcProgram& operator=(const NvrtcProgram&) = delete;
  ~NvrtcProgram() {
    if (program_ != nullptr) nvrtc_.nvrtcDestroyProgram(&program_);
  }

  nvrtcResult created() const { return created_; }
  nvrtcProgram get() const { return program_; }

  // Returns one of the texts that NVRTC gives by two calls: the first call returns the size.
  std::string text(nvrtcResult (*size_of)(nvrtcProgram, std::size_t*),
                   nvrtcResult (*fetch)(nvrtcProgram, char*)) const {
    std::size_t size = 0;
    if (size_of(program_, &size) != NVRTC_SUCCESS) return {};
    std::string text(size, '\0');
    return fetch(program_, text.data()) == NVRTC_SUCCESS ? text : std::string();
  }

  std::string log() const {
    std::string log = text(nvrtc_.nvrtcGetProgramLogSize, nvrtc_.nvrtcGetProgramLog);
    std::erase(log, '\0');  // NVRTC puts null characters at the end, and between the messages of its parts
    log.resize(log.find_last_not_of(" \n") + 1);
    return log;
  }

 private:
  const NvrtcApi& nvrtc_;
  nvrtcProgram program_ = nullptr;
  nvrtcResult created_;
};

std::vector<int> supported_architectures(const NvrtcApi& nvrtc) {
  int count = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> architectures(static_cast<std::size_t>(count));
  if (nvrtc.nvrtcGetSupportedArchs(architectures.data()) != NVRTC_SUCCESS) return {};
  return architectures;
}

// Returns the option for the device's architecture. If the device is newer than the compiler, the option asks for PTX
// of the newest architecture that the compiler knows.
Result<std::string> architecture_option(const NvrtcApi& nvrtc, const std::string& wanted) {
  const std::vector<int> known = supported_architectures(nvrtc);
  const int number = std::atoi(wanted.c_str() + std::min(wanted.find('_') + 1, wanted.size()));
  if (known.empty() || std::ranges::count(known, number) > 0) return "--gpu-architecture=" + wanted;
  if (number <= 0)
    return Error(ErrorCode::invalid_argument, "not the architecture of a GPU").about(wanted).hint("such as sm_90");
  int newest = 0;
  for (const int architecture : known)
    if (architecture < number) newest = std::max(newest, architecture);
  if (newest != 0) return fmt::format("--gpu-architecture=compute_{}", newest);
  return Error(ErrorCode::unavailable,
               fmt::format("NVRTC {} does not compile for {}", version_text(nvrtc.version), wanted))
      .hint(fmt::format("it does for sm_{} and later; CUDA_HOME may name another toolkit", std::ranges::min(known)));
}

// Returns the name that NVRTC reports as unknown in a line about the user's names: `__nv_name_map(1): error: ...
// "scale"`. std::regex is not used, because its recursion may overflow the stack on long lines with names of templates.
std::optional<std::string> unknown_name(std::string_view line) {
  constexpr std::string_view kEnd = " is undefined";
  if (line.find("__nv_name_map(") == line.npos || line.find("): error: ") == line.npos) return std::nullopt;
  if (line.ends_with(kEnd)) line.remove_suffix(kEnd.size());
  if (!line.ends_with('"')) return std::nullopt;
  line.remove_suffix(1);
  const std::string_view name = line.substr(line.rfind('"') + 1);
  return std::ranges::all_of(name, is_word) ? std::optional<std::string>(name) : std::nullopt;
}

// Returns an error if the source does not declare a name that the user wrote: a kernel, or an argument of an instance.
// If the name comes from the value of a parameter, only the configurations with that value fail.
std::optional<Error> undeclared(const KernelSource& source, std::span<const Macro> macros, const std::string& log) {
  std::vector<std::string> functions = source.other_functions;
  functions.push_back(source.function);
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::optional<std::string> name = unknown_name(line);
    for (const std::string& function : functions) {
      if (!name || std::ranges::count(words_of(function), *name) == 0) continue;
      return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", with_values(function, macros)))
          .hint(fmt::format("`{}` is not declared in {}", *name, display_name(source)));
    }
  }
  return std::nullopt;
}

// Returns the folders of headers that the options name.
std::vector<std::string> folders_of(const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (const std::string& option : options)
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  return folders;
}

// Returns advice if NVRTC lacks a header or an option; empty if something else failed.
std::string advice_of(nvrtcResult code, const std::string& log) {
  if (code == NVRTC_ERROR_INVALID_OPTION)
    return "NVRTC has no such option; compiler = \"nvcc\" takes all options of nvcc";
  constexpr std::string_view kMissing = "cannot open source file \"";
  const std::size_t found = log.find(kMissing);
  if (found == log.npos) return {};
  const std::size_t begin = found + kMissing.size();
  const std::string name = log.substr(begin, log.find_first_of("\"\n", begin) - begin);
  return fmt::format("if `{}` is a header of the host's compiler, compiler = \"nvcc\" finds it", name);
}

// The first version that caches its results. A result from that cache lacks the compiler's messages.
constexpr int kOldestWithCache = 12090;

}  // namespace

Result<Image> compile_with_nvrtc(const CompileTarget& target, const KernelSource& source,
                                 std::span<const Macro> macros) {
  WATTUNE_ASSIGN(const NvrtcApi* nvrtc, nvrtc_api(target.driver_version));
  std::vector<std::string> options = nvrtc_options(options_with_folders(source), target.architecture);
  if (!named_architecture(source)) {
    WATTUNE_ASSIGN(options.emplace_back(), architecture_option(*nvrtc, target.architecture));
  }
  if (nvrtc->version >= kOldestWithCache) options.emplace_back("--no-cache");
  const std::vector<StandardHeader> headers = standard_headers(folders_of(options));
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());

  const NvrtcProgram program(*nvrtc, with_parameters(source, macros), display_name(source), headers);
  if (program.created() != NVRTC_SUCCESS) return nvrtc_error(program.created(), "making an NVRTC program");
  const std::vector<std::string> instances = template_instances(source, macros);
  for (const std::string& instance : instances) {
    const nvrtcResult code = nvrtc->nvrtcAddNameExpression(program.get(), instance.c_str());
    if (code != NVRTC_SUCCESS) return nvrtc_error(code, fmt::format("asking for kernel `{}`", instance));
  }
  const nvrtcResult code =
      nvrtc->nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  Image image{.code = {}, .log = program.log(), .symbols = {}};
  if (code != NVRTC_SUCCESS) {
    const Error error = nvrtc_error(code, "compiling");
    if (error.code() != ErrorCode::compile_failed || image.log.empty()) return error;
    if (const auto missing = undeclared(source, macros, image.log)) return *missing;
    const std::string advice = advice_of(code, image.log);
    return Error(error.code(), std::move(image.log)).native(error.native_code(), error.native_name()).hint(advice);
  }
  for (const std::string& instance : instances) {
    const char* symbol = nullptr;
    if (nvrtc->nvrtcGetLoweredName(program.get(), instance.c_str(), &symbol) == NVRTC_SUCCESS)
      image.symbols.emplace(instance, symbol);
  }
  image.code = program.text(nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN);
  if (image.code.empty()) {
    image.code = program.text(nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX);
    std::erase(image.code, '\0');  // NVRTC puts a null character at the end
  }
  return image;
}

}  // namespace wattune::backend::cuda

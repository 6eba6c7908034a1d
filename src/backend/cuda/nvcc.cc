#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "backend/compiler_program.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/source_text.h"
#include "wattune/backend/compile.h"

namespace wattune::backend::cuda {

namespace {

namespace fs = std::filesystem;

constexpr auto kAtBeginning = std::regex_constants::match_continuous;

// Starting what is not there says so.
std::string find_nvcc() { return find_toolkit_program("nvcc").value_or("nvcc").string(); }

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Error nvcc_missing() {
  return Error(ErrorCode::unavailable, "nvcc was not found")
      .hint("let CUDA_HOME name the folder of a toolkit, or compile with NVRTC");
}

// nvcc's preprocessor replaces no macros in `#pragma unroll`.
std::string with_values_in_pragmas(const std::string& text, const KernelSource& source, std::vector<Macro> macros) {
  static const std::regex pragma(R"([ \t]*#[ \t]*pragma[ \t]+unroll\b)");
  std::erase_if(macros, [&](const Macro& macro) { return style_of(source, macro.name) != ParameterStyle::macros; });
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    result += (std::regex_search(line, pragma, kAtBeginning) ? with_values(line, macros) : line) + "\n";
  return result;
}

// The source, and for templates functions that take their address, which instantiates them.
std::string text_for_nvcc(const KernelSource& source, std::span<const Macro> macros) {
  std::string text = with_values_in_pragmas(with_parameters(source, macros), source, {macros.begin(), macros.end()});
  int number = 0;
  for (const std::string& instance : template_instances(source, macros))
    text +=
        fmt::format("\nvoid* wattune_instance_{}() {{ return reinterpret_cast<void*>(&{}); }}\n", number++, instance);
  return text;
}

}  // namespace

Result<std::string> nvcc_version() {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const Result<int> status = run_program({find_nvcc(), "--version"}, folder / "log");
  if (!status && status.error().code() == ErrorCode::not_found) return nvcc_missing();
  if (!status) return status.error();
  return contents(folder / "log");
}

Result<Image> compile_with_nvcc(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                                Nanoseconds limit) {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const fs::path input = folder / "kernel.cu";
  const fs::path output = folder / "kernel.cubin";
  const fs::path log = folder / "log";
  std::ofstream(input, std::ios::binary) << text_for_nvcc(source, macros);
  std::vector<std::string> command{find_nvcc(), "-cubin", "-o", output, input};
  if (!named_architecture(source)) command.push_back("-arch=" + target.architecture);
  for (std::string& option : options_with_folders(source)) command.push_back(std::move(option));

  const Result<int> status = run_program(command, log, limit);
  if (!status && status.error().code() == ErrorCode::not_found) return nvcc_missing();
  if (!status) return status.error();
  if (*status != 0)
    return Error(ErrorCode::compile_failed, contents(log) + death_of(command[0], *status)).native(*status, "nvcc");
  return Image{.code = contents(output), .log = contents(log), .symbols = {}};
}

}  // namespace wattune::backend::cuda

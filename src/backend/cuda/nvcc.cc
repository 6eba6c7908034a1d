#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "backend/compile/code_text.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/source_text.h"
#include "backend/interface/compile.h"
#include "backend/interface/compiler_program.h"
#include "core/new_file.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

namespace fs = std::filesystem;

// Returns the path of nvcc, or just its name if it was not found; then the start of nvcc fails with a clear error.
std::string find_nvcc() { return find_toolkit_program("nvcc").value_or("nvcc").string(); }

Error nvcc_missing() {
  return Error(ErrorCode::unavailable, "nvcc was not found")
      .hint("let CUDA_HOME name the folder of a toolkit, or compile with NVRTC");
}

// Tells whether the line begins with `#pragma unroll`, with any blanks between its words.
bool is_unroll_pragma(std::string_view line) {
  for (const std::string_view word : {"#", "pragma", "unroll"}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
  }
  return line.empty() || !is_word(line.front());
}

// Replaces macros in `#pragma unroll`, because nvcc's preprocessor does not replace them there.
std::string with_values_in_pragmas(const std::string& text, const KernelSource& source, std::vector<Macro> macros) {
  std::erase_if(macros, [&](const Macro& macro) { return style_of(source, macro.name) != ParameterStyle::macros; });
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    result += (is_unroll_pragma(line) ? with_values(line, macros) : line) + "\n";
  return result;
}

// Returns the source with a function appended. That function takes the address of each wanted instance of a template,
// so that nvcc instantiates it.
std::string text_for_nvcc(const KernelSource& source, std::span<const Macro> macros) {
  std::string text = with_values_in_pragmas(with_parameters(source, macros), source, {macros.begin(), macros.end()});
  int number = 0;
  for (const std::string& instance : template_instances(source, macros))
    text +=
        fmt::format("\nvoid* wattune_instance_{}() {{ return reinterpret_cast<void*>(&{}); }}\n", number++, instance);
  return text;
}

// Adds an option. Its value becomes a word of its own if a blank separates the two; folders and definitions keep their
// blanks.
void add_words(std::vector<std::string>& command, const std::string& option) {
  const bool is_whole = !option.starts_with('-') || option.starts_with("-I") || option.starts_with("-D");
  const std::size_t blank = is_whole ? std::string::npos : option.find(' ');
  command.push_back(option.substr(0, blank));
  if (blank != std::string::npos) command.push_back(option.substr(option.find_first_not_of(' ', blank)));
}

}  // namespace

Result<std::string> nvcc_version() {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const Result<int> status = run_program({find_nvcc(), "--version"}, folder / "log");
  if (!status && status.error().code() == ErrorCode::not_found) return nvcc_missing();
  if (!status) return status.error();
  return written_to(folder / "log");
}

Result<Image> compile_with_nvcc(const CompileTarget& target, const KernelSource& source, std::span<const Macro> macros,
                                Nanoseconds limit) {
  WATTUNE_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
  const fs::path input = folder / "kernel.cu";
  const fs::path output = folder / "kernel.cubin";
  const fs::path log = folder / "log";
  WATTUNE_TRY(write_new_file(input, text_for_nvcc(source, macros)));
  // A virtual architecture ("compute_...") has only PTX.
  const bool to_ptx = !named_architecture(source) && target.architecture.starts_with("compute_");
  std::vector<std::string> command{find_nvcc(), to_ptx ? "-ptx" : "-cubin", "-o", output, input};
  if (!named_architecture(source)) command.push_back("-arch=" + target.architecture);
  for (const std::string& option : options_with_folders(source)) add_words(command, option);

  const Result<int> status = run_program(command, log, limit);
  if (!status && status.error().code() == ErrorCode::not_found) return nvcc_missing();
  if (!status) return status.error();
  if (*status != 0)
    return Error(ErrorCode::compile_failed, written_to(log) + death_of(command[0], *status)).native(*status, "nvcc");
  return Image{.code = written_to(output), .log = written_to(log), .symbols = {}};
}

}  // namespace wattune::backend::cuda

#include "cli/sanitize.h"

#include <fmt/format.h>

#include <fstream>

#include "backend/compiler_program.h"
#include "wattune/backend/compile.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "compute-sanitizer";
constexpr std::string_view kPrefix = "========= ";
constexpr Nanoseconds kLimit = nanoseconds_from_seconds(600);

std::vector<std::string> command_for(const fs::path& sanitizer, const std::string& spec_file, const KernelSpec& spec,
                                     const Configuration& configuration, const std::string& device,
                                     const fs::path& log) {
  // Calls of the driver may fail on purpose. Padding keeps what is read past a buffer from being part of the next one.
  // Kernels are launched once to be checked and once to be timed.
  std::vector<std::string> command{"env",
                                   "WATTUNE_NO_GUARDS=1",
                                   sanitizer,
                                   "--tool",
                                   "memcheck",
                                   "--report-api-errors",
                                   "no",
                                   "--padding",
                                   "65536",
                                   "--log-file",
                                   log,
                                   fs::read_symlink("/proc/self/exe"),
                                   "run",
                                   spec_file,
                                   "--in-process",
                                   "--device",
                                   device,
                                   "--check",
                                   "never",
                                   "--warm-up",
                                   "0s",
                                   "--min-samples",
                                   "1",
                                   "--max-samples",
                                   "1"};
  for (const auto& [name, extent] : spec.problem_size)
    command.insert(command.end(), {"--problem-size", fmt::format("{}={}", name, extent)});
  std::vector<std::string> values;
  for (std::size_t i = 0; i < configuration.names().size(); ++i)
    values.push_back(fmt::format("{}={}", configuration.names()[i], configuration.values()[i].to_string()));
  command.insert(command.end(), {"--configuration", fmt::format("{}", fmt::join(values, ","))});
  return command;
}

std::string last_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string last;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

Result<fs::path> find_compute_sanitizer() {
  if (std::optional<fs::path> file = backend::find_toolkit_program(kProgram)) return *std::move(file);
  return Error(ErrorCode::unavailable, "compute-sanitizer, which --sanitize needs, was not found")
      .hint("install CUDA's toolkit, or let CUDA_HOME name its folder");
}

Result<Sanitized> sanitize(const fs::path& sanitizer, const std::string& spec_file, const KernelSpec& spec,
                           const Configuration& configuration, const std::string& device) {
  WATTUNE_ASSIGN(const auto folder, backend::TemporaryFolder::create());
  const fs::path log = folder / "memcheck.log";
  const fs::path output = folder / "output";
  WATTUNE_TRY(
      backend::run_program(command_for(sanitizer, spec_file, spec, configuration, device, log), output, kLimit));
  Result<Sanitized> found = read_sanitizer_log(log);
  if (found) return found;
  return Error(ErrorCode::unavailable, fmt::format("{}: {}", found.error().message(), last_line(output)));
}

Result<Sanitized> read_sanitizer_log(const fs::path& log) {
  Sanitized found;
  std::ifstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kPrefix)) continue;
    line.erase(0, kPrefix.size());
    const std::size_t text = line.find_first_not_of(' ');
    if (text == std::string::npos) continue;
    unsigned long long errors = 0;
    if (std::sscanf(line.c_str(), "ERROR SUMMARY: %llu error", &errors) == 1) {
      found.errors = errors;
      return found;
    }
    // A finding begins at the margin, and where it happened follows on the next line.
    if (found.first.empty() && text == 0 && !line.starts_with("COMPUTE-SANITIZER")) {
      found.first = line;
      if (std::getline(stream, line) && line.find(" at ") != std::string::npos)
        found.first += line.substr(line.find(" at "));
    }
  }
  return Error(ErrorCode::unavailable, "compute-sanitizer did not come to an end");
}

}  // namespace wattune::cli

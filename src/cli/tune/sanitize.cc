#include "cli/tune/sanitize.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "backend/interface/compile.h"
#include "backend/interface/compiler_program.h"

namespace wattune::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "compute-sanitizer";
constexpr std::string_view kPrefix = "========= ";
constexpr std::string_view kComplaint = "Error: ";
constexpr Nanoseconds kSanitizerLimit = nanoseconds_from_seconds(600);

std::vector<std::string> command_for(const fs::path& sanitizer, const std::string& spec_file, const KernelSpec& spec,
                                     const Configuration& configuration, const std::string& device,
                                     const fs::path& log) {
  // Failed calls of the driver are not reported, because some fail on purpose. Padding separates buffers, so that a
  // read past the end of one does not lie in the next. Kernels are launched once to be checked and once to be timed.
  // Nothing else is measured, so metrics that need more are left out.
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
                                   "--no-metrics",
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
  WATTUNE_ASSIGN(const int status,
                 backend::run_program(command_for(sanitizer, spec_file, spec, configuration, device, log), output,
                                      kSanitizerLimit));
  Result<Sanitized> found = read_sanitizer_log(log);
  if (found && found->errors == 0 && status != 0)
    found = Error(ErrorCode::unavailable, "the run under compute-sanitizer failed");
  if (found) return found;
  const std::string words = last_line(output);
  return Error(ErrorCode::unavailable, found.error().message() + (words.empty() ? "" : ": " + words));
}

// Reads the log. A line that is not indented begins a finding, and the indented line after it contains the place. Lines
// with "Error: " are about compute-sanitizer itself or the program.
Result<Sanitized> read_sanitizer_log(const fs::path& log) {
  Sanitized found;
  std::string complaint;
  bool first_began = false;  // true if the previous line began the first finding
  std::ifstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kPrefix)) continue;
    line.erase(0, kPrefix.size());
    unsigned long long errors = 0;
    const bool indented = line.starts_with(' ');
    if (std::sscanf(line.c_str(), "ERROR SUMMARY: %llu error", &errors) == 1) {
      found.errors = errors;
      if (errors > 0) return found;
      if (complaint.empty()) return Sanitized{};
      break;
    }
    if (std::exchange(first_began, false) && indented && line.find(" at ") != std::string::npos)
      found.first += line.substr(line.find(" at "));
    if (indented || line.empty() || line.starts_with("COMPUTE-SANITIZER")) continue;
    if (line.starts_with(kComplaint)) {
      complaint = line.substr(kComplaint.size());
    } else if (found.first.empty()) {
      found.first = line;
      first_began = true;
    }
  }
  return Error(ErrorCode::unavailable,
               "compute-sanitizer" + (complaint.empty() ? " did not come to an end" : ": " + complaint));
}

}  // namespace wattune::cli

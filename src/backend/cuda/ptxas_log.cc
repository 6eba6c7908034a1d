#include "backend/cuda/ptxas_log.h"

#include <cstdlib>
#include <sstream>

namespace wattune::backend::cuda {

namespace {

// The number right before `word`: 30 for "registers" in "Used 30 registers, used 1 barriers".
std::optional<std::uint64_t> number_before(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(" " + word);
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  if (begin == at) return std::nullopt;
  return std::strtoull(line.c_str() + begin, nullptr, 10);
}

// The text between the first two quotes.
std::string first_quoted(const std::string& line) {
  const std::size_t begin = line.find('\'') + 1;
  return line.substr(begin, line.find('\'', begin) - begin);
}

}  // namespace

PtxasLog read_ptxas_log(const std::string& log) {
  PtxasLog result;
  KernelResources* kernel = nullptr;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    // "ptxas info    : Compiling entry function 'symbol' for 'sm_90'", then lines about it.
    if (line.find("Compiling entry function '") != std::string::npos) {
      kernel = &result.kernels[first_quoted(line)];
      kernel->static_local_bytes = 0;  // not mentioned when there is none
    } else if (const auto stack = number_before(line, "bytes stack frame"); stack && kernel != nullptr) {
      kernel->private_bytes = stack;
      kernel->spill_bytes = number_before(line, "bytes spill stores");
    } else if (const auto registers = number_before(line, "registers"); registers && kernel != nullptr) {
      kernel->registers = static_cast<unsigned>(*registers);
      if (const auto shared = number_before(line, "bytes smem")) kernel->static_local_bytes = shared;
    } else if (!line.starts_with("ptxas info")) {
      result.rest += line + "\n";
    }
  }
  return result;
}

}  // namespace wattune::backend::cuda

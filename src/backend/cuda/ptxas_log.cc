#include "backend/cuda/ptxas_log.h"

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

namespace wattune::inline v0_1::backend::cuda {

namespace {

// Returns the number right before `word`: 30 for "registers" in "Used 30 registers, used 1 barriers".
std::optional<std::uint64_t> number_before(const std::string& line, const std::string& word) {
  const std::size_t at = line.find(" " + word);
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  if (begin == at) return std::nullopt;
  return std::strtoull(line.c_str() + begin, nullptr, 10);
}

// Returns the symbol that follows `before`, up to a quote or the end of the line.
std::optional<std::string> symbol_behind(const std::string& line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + before.size();
  return line.substr(begin, line.find('\'', begin) - begin);
}

// Tells whether the line has figures that the options requested. A line such as "ptxas info    : (C7510) Potential
// Performance Loss: ..." is printed without request.
bool is_figure(const std::string& line) {
  return line.starts_with("ptxas info") && line.find(": (C") == std::string::npos;
}

}  // namespace

PtxasLog read_ptxas_log(const std::string& log) {
  PtxasLog result;
  KernelResources* kernel = nullptr;
  KernelResources* described = nullptr;  // the kernel that the lines describe; nullptr while it is a function
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    // A kernel's lines begin with "ptxas info : Compiling entry function 'symbol' for 'sm_90'". Lines about the kernel
    // and about functions that it calls follow. The stack of such functions is part of the kernel's stack.
    if (const auto entry = symbol_behind(line, "Compiling entry function '")) {
      described = kernel = &result.kernels[*entry];
      kernel->static_local_bytes = 0;  // the log mentions only sizes above 0
    } else if (const auto function = symbol_behind(line, "Function properties for ")) {
      const auto known = result.kernels.find(*function);
      described = known == result.kernels.end() ? nullptr : &known->second;
    } else if (const auto stack = number_before(line, "bytes stack frame")) {
      if (described == nullptr) continue;
      described->private_bytes = stack;
      described->spill_bytes = number_before(line, "bytes spill stores");
    } else if (const auto registers = number_before(line, "registers"); registers && kernel != nullptr) {
      kernel->registers = static_cast<unsigned>(*registers);
      if (const auto shared = number_before(line, "bytes smem")) kernel->static_local_bytes = shared;
    } else if (!is_figure(line)) {
      result.rest += line + "\n";
    }
  }
  return result;
}

}  // namespace wattune::backend::cuda

// Runs a configuration once more, by `wattune run`, under compute-sanitizer's memcheck.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

struct Sanitized {
  std::uint64_t errors = 0;
  std::string first;  // "Invalid __global__ read of size 4 bytes at f(int*)+0x90"; empty without errors
};

// compute-sanitizer of the toolkits that CUDA_HOME and CUDA_PATH name, of /usr/local/cuda, or on the path. unavailable,
// saying what to install.
Result<std::filesystem::path> find_compute_sanitizer();

// What memcheck says of the kernel in this configuration. Buffers have no guard zones there, so that it sees every
// access past their ends. `spec_file` is what `spec` was loaded from. unavailable: the kernel could not be run under
// it; timeout.
Result<Sanitized> sanitize(const std::filesystem::path& sanitizer, const std::string& spec_file, const KernelSpec& spec,
                           const Configuration& configuration, const std::string& device);

// What compute-sanitizer wrote to its log. unavailable when that does not end with its count of errors, and with what
// it complains of where it counted none.
Result<Sanitized> read_sanitizer_log(const std::filesystem::path& log);

}  // namespace wattune::cli

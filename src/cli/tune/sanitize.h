// Checks a configuration by compute-sanitizer's memcheck, which runs `wattune run`.
#pragma once

#include <filesystem>
#include <string>

#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::cli {

struct Sanitized {
  std::uint64_t errors = 0;
  std::string first;  // first error, "Invalid __global__ read of size 4 bytes at f(int*)+0x90"; may be empty
};

// Finds compute-sanitizer in the toolkits that CUDA_HOME and CUDA_PATH name, in /usr/local/cuda, or on the path. Fails
// with unavailable and advice on what to install.
Result<std::filesystem::path> find_compute_sanitizer();

// Runs the kernel in this configuration under memcheck and returns its findings. Buffers have no guard zones in that
// run, so that memcheck sees every access past their ends. `spec_file` is the file of `spec`. Fails with unavailable if
// the kernel could not be run under memcheck, or with timeout.
Result<Sanitized> sanitize(const std::filesystem::path& sanitizer, const std::string& spec_file, const KernelSpec& spec,
                           const Configuration& configuration, const std::string& device);

// Reads the log of compute-sanitizer. Fails with unavailable if the log does not end with a count of errors, or if the
// count is 0 but the log has an error of the tool itself.
Result<Sanitized> read_sanitizer_log(const std::filesystem::path& log);

}  // namespace wattune::cli

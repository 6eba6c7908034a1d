// The spec that a command works on, and the sizes of its problem.
#pragma once

#include <string>
#include <vector>

#include "cli/program/app.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/spec/spec.h"

namespace wattune::cli {

struct SpecOptions {
  std::string file;
  std::vector<std::string> problem_size;  // sizes as NAME=VALUE
};

// Declares SPEC and --problem-size in the group of options that `app` has now; `options` must outlive `app`.
void declare_spec_options(CLI::App& app, SpecOptions& options, const std::string& description);

// Loads the spec and replaces sizes before anything else is computed from them. Fails as spec::load() does, with
// not_found and the nearest name if the spec lacks a size, and with invalid_argument if a size is no integer.
Result<KernelSpec> load_spec(const SpecOptions& options, spec::SourcePolicy policy = spec::SourcePolicy::required);

// Takes the sizes of several kernels as KERNEL.SIZE=VALUE, and returns those of one kernel as SIZE=VALUE.
std::vector<std::string> sizes_of_kernel(const std::vector<std::string>& sizes, const std::string& kernel);
// Checks that each of the sizes belongs to one of these kernels. Fails with invalid_argument otherwise.
Result<void> check_sizes_of_kernels(const std::vector<std::string>& sizes, const std::vector<std::string>& kernels);

}  // namespace wattune::cli

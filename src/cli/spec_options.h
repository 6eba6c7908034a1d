// The spec that a command works on, and the sizes of its problem.
#pragma once

#include <string>
#include <vector>

#include "cli/app.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/spec/spec.h"

namespace wattune::cli {

struct SpecOptions {
  std::string file;
  std::vector<std::string> problem_size;  // NAME=VALUE
};

// Declares SPEC and --problem-size in the group that `app` has now; `options` must outlive `app`.
void declare_spec_options(CLI::App& app, SpecOptions& options, const std::string& description);

// Reads the spec, with the sizes replaced before anything else is computed from them. As spec::load(); not_found (with
// the nearest name) for a size that the spec does not have.
Result<KernelSpec> load_spec(const SpecOptions& options, spec::SourcePolicy policy = spec::SourcePolicy::required);

// Of several kernels, each size is KERNEL.SIZE=VALUE: those of this kernel, as SIZE=VALUE.
std::vector<std::string> sizes_of_kernel(const std::vector<std::string>& sizes, const std::string& kernel);
// invalid_argument: one of them is of none of these kernels.
Result<void> check_sizes_of_kernels(const std::vector<std::string>& sizes, const std::vector<std::string>& kernels);

}  // namespace wattune::cli

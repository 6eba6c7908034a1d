// Reading tuning problems: TOML (docs/formats/spec.md) and T1 JSON (docs/formats/t1.md) into a KernelSpec.
//
// The kernel's source text is read along. Every mistake is one Error with file, line, column, the offending text
// and the nearest valid name; all keys are checked, so a misspelt one is never silently ignored. Any thread may call;
// what is returned holds on to nothing.
//
//   WATTUNE_ASSIGN(KernelSpec spec, spec::load("gemm.toml"));
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::spec {

enum class SourcePolicy {
  required,  // a missing kernel file is an Error
  optional,  // leaves KernelSource::text empty: enough for counting a space
};

// By extension: .toml, .json. `sizes` replace extents of the problem, by name; they must be given here, because the
// extents are put into the constraints. not_found, parse_error, invalid_argument.
Result<KernelSpec> load(const std::filesystem::path& file, SourcePolicy policy = SourcePolicy::required,
                        const std::vector<NamedSize>& sizes = {});

// The same from texts; `file` names the text in messages and anchors relative paths.
Result<KernelSpec> parse_toml(std::string_view text, const std::filesystem::path& file,
                              SourcePolicy policy = SourcePolicy::required, const std::vector<NamedSize>& sizes = {});
Result<KernelSpec> parse_t1(std::string_view text, const std::filesystem::path& file,
                            SourcePolicy policy = SourcePolicy::required, const std::vector<NamedSize>& sizes = {});

// The TOML that reads back as this spec, in the language of its source. Files are named as the spec names them;
// `divide` becomes a grid. invalid_argument: a reference other than data, or a value that no spec can hold.
Result<std::string> write_toml(const KernelSpec& spec);

// What may be a mistake, but only the user knows: a line for each parameter that the kernel names though it is no macro
// there, because of its role.
std::vector<std::string> doubts(const KernelSpec& spec);

// A commented TOML spec to start from, for `wattune init`, and what it names: NAME.cl, NAME.cu and
// NAME_reference.cc.
struct Template {
  std::string spec;
  std::string_view opencl_kernel;
  std::string_view cuda_kernel;
  std::string_view reference;
};
Template starting_point(std::string_view name);

}  // namespace wattune::spec

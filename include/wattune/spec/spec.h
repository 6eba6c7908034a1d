// Reading tuning problems: TOML (docs/formats/spec.md) and T1 JSON (docs/formats/t1.md) into a KernelSpec.
//
// The kernel's source text is read at the same time. Every mistake is one Error with file, line, column, the offending
// text and the nearest valid name. All keys are checked, so that a misspelt one is never silently ignored. Any thread
// may call; the results refer to nothing outside.
//
//   WATTUNE_ASSIGN(KernelSpec spec, spec::load("gemm.toml"));
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"

namespace wattune::inline v0_1::spec {

// The files that must be there. A missing file of another kind is no Error.
enum class SourcePolicy {
  required,  // the files of the kernel, its data and its reference
  optional,  // no file; a missing kernel file leaves KernelSource::text empty, which is enough for counting a space
  kernel,    // the files of the kernel, which is enough for compiling it
};

// Loads a spec. The extension tells its format: .toml or .json. `sizes` replace extents of the problem, by name. They
// must be given here, because loading puts the extents into the constraints. Fails with not_found, parse_error or
// invalid_argument.
WATTUNE_EXPORT Result<KernelSpec> load(const std::filesystem::path& file, SourcePolicy policy = SourcePolicy::required,
                                       const std::vector<NamedSize>& sizes = {});

// Tells whether the file seems to hold a spec. A text that begins with a brace is a spec if it has a
// ConfigurationSpace, like T1 JSON (docs/formats/t1.md). Any other file, and one that cannot be read, is a spec if its
// extension is .toml.
WATTUNE_EXPORT bool is_spec(const std::filesystem::path& file);

// Parses a spec from a text; `file` names the text in messages and anchors relative paths. Errors are those of load().
WATTUNE_EXPORT Result<KernelSpec> parse_toml(std::string_view text, const std::filesystem::path& file,
                                             SourcePolicy policy = SourcePolicy::required,
                                             const std::vector<NamedSize>& sizes = {});
WATTUNE_EXPORT Result<KernelSpec> parse_t1(std::string_view text, const std::filesystem::path& file,
                                           SourcePolicy policy = SourcePolicy::required,
                                           const std::vector<NamedSize>& sizes = {});

// Returns TOML that reads back as this spec, in the language of the spec's source. Files are named as the spec names
// them; a geometry that divides the problem is written as a grid. Fails with invalid_argument if the spec has a
// reference other than data, or a value that no spec can hold.
WATTUNE_EXPORT Result<std::string> write_toml(const KernelSpec& spec);

// Lists possible mistakes that only the user can judge. There is a line for each parameter that nothing reads. There is
// also a line for each parameter that the kernel names although its role keeps it from being a macro there.
WATTUNE_EXPORT std::vector<std::string> doubts(const KernelSpec& spec);

// A commented TOML spec to start from, for `wattune init`, and the files that it names: NAME.cl, NAME.cu and
// NAME_reference.cc.
struct WATTUNE_EXPORT Template {
  std::string spec;
  std::string_view opencl_kernel;
  std::string_view cuda_kernel;
  std::string_view reference;
};
WATTUNE_EXPORT Template starting_point(std::string_view name);

}  // namespace wattune::spec

// Launch geometry: how both formats say how many work-items run, and which arguments a launch takes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::spec {

// One expression for each of up to three dimensions.
using Expressions3 = std::array<ExpressionText, 3>;

// The keys that read_geometry() reads.
const std::vector<std::string>& geometry_keys();
std::vector<std::string> with_geometry_keys(std::vector<std::string> keys);

// From the keys global, grid or divide, and local or block, of a TOML table. Without local and block, the parameters
// block_size_x, block_size_y and block_size_z are the work-group. Functions on the host have none of them.
// invalid_argument.
Result<Geometry> read_geometry(const Table& table, const KernelSpec& spec);

// Which of the spec's arguments has this name, which stands at `position` in the file. not_found.
Result<std::size_t> argument_position(const KernelSpec& spec, const std::string& name, const SourcePosition& position);

// The arguments that `arguments` of the table names, as positions in the spec's; all of them without the key.
// invalid_argument, not_found.
Result<std::vector<std::size_t>> read_argument_names(const Table& table, const KernelSpec& spec);

// Kernel Tuner's convention: block_size_x, _y, _z, those that are parameters; all empty when none is.
Expressions3 default_work_group(const std::vector<Parameter>& parameters);

// No dimension has an expression.
bool is_empty(const Expressions3& sizes);

// How an extent of the problem is written in an expression.
ExpressionText problem_extent(const KernelSpec& spec, std::size_t dimension);

}  // namespace wattune::spec

// Reads the geometry of a launch (its number of work-items) and the arguments that it takes, in both formats.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "spec/document.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::spec {

// An expression for each of up to three dimensions.
using Expressions3 = std::array<ExpressionText, 3>;

// Lists the keys that read_geometry() reads.
const std::vector<std::string>& geometry_keys();
std::vector<std::string> with_geometry_keys(std::vector<std::string> keys);

// Reads the geometry of a TOML table from the keys global, grid or divide, and local or block, and from cluster and
// cooperative. If both local and block are missing, the parameters block_size_x, block_size_y and block_size_z are the
// work-group. Functions on the host have none of these keys. Fails with invalid_argument.
Result<Geometry> read_geometry(const Table& table, const KernelSpec& spec);

// Returns the index of the argument with this name. Fails with not_found, at the `position` in the file where the name
// stands.
Result<std::size_t> argument_position(const KernelSpec& spec, const std::string& name, const SourcePosition& position);

// Returns the indices of the arguments that the table's key `arguments` names, or of all arguments if the key is
// missing. Fails with invalid_argument or not_found.
Result<std::vector<std::size_t>> read_argument_names(const Table& table, const KernelSpec& spec);

// Returns Kernel Tuner's default work-group: the parameters block_size_x, _y and _z, as far as they exist. All three
// sizes are empty if none of them exists.
Expressions3 default_work_group(const std::vector<Parameter>& parameters);

// True if no dimension has an expression.
bool is_empty(const Expressions3& sizes);

// Returns the expression for an extent of the problem.
ExpressionText problem_extent(const KernelSpec& spec, std::size_t dimension);

}  // namespace wattune::spec

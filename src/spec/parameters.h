// Reads the values and the role of a tuning parameter, in both formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/interface/expression.h"
#include "spec/document.h"
#include "wattune/core/parameter.h"

namespace wattune::inline v0_1::spec {

// Reads a list of scalars, or a text such as "range(1, 9)". The text may use the constants. Fails if there is no value,
// or if a value is NaN or infinite.
Result<std::vector<Value>> read_values(const Document& document, const Node& node, const std::string& what,
                                       const space::Expression::Constants& constants = {});

// Sets the default value. Fails with invalid_argument if the node is not one of the parameter's values.
Result<void> set_default(const Document& document, const Node& node, Parameter& parameter);

// Returns the role that `key` in the parameter's table gives. Without the key, returns the usual role of the
// parameter's name.
Result<ParameterRole> read_role(const Table& table, std::string_view key, std::string_view parameter);

}  // namespace wattune::spec

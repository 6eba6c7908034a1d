// The values and the role of a tuning parameter, as both formats write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/document.h"
#include "wattune/core/parameter.h"
#include "wattune/space/expression.h"

namespace wattune::spec {

// A list of scalars, or a text such as "range(1, 9)", which may read the constants. At least one value; no NaN or
// infinity.
Result<std::vector<Value>> read_values(const Document& document, const Node& node, const std::string& what,
                                       const space::Expression::Constants& constants = {});

// invalid_argument when the node is none of the parameter's values.
Result<void> set_default(const Document& document, const Node& node, Parameter& parameter);

// What `key` of the parameter's table says; without it, the usual role of its name.
Result<ParameterRole> read_role(const Table& table, std::string_view key, std::string_view parameter);

}  // namespace wattune::spec

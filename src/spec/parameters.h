// The values of a tuning parameter, as both formats write them.
#pragma once

#include <string>
#include <vector>

#include "spec/document.h"
#include "wattune/core/parameter.h"

namespace wattune::spec {

// A list of scalars, or a text such as "range(1, 9)". At least one value; no NaN or infinity.
Result<std::vector<Value>> read_values(const Document& document, const Node& node, const std::string& what);

// invalid_argument when the node is none of the parameter's values.
Result<void> set_default(const Document& document, const Node& node, Parameter& parameter);

}  // namespace wattune::spec

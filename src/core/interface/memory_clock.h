// The memory clock of a recorded configuration.
#pragma once

#include <optional>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/parameter.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1 {

// Returns the clock of the memory that a configuration names, in MHz: the value of its parameter of the role
// memory_clock. Returns nullopt if there is no such parameter. Fails with invalid_argument if its value is not a number
// above 0, since the clock at which the memory ran is then unknown.
Result<std::optional<Megahertz>> memory_clock_of(const Configuration& configuration,
                                                 const std::vector<Parameter>& parameters);

}  // namespace wattune

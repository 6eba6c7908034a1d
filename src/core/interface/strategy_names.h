// Translates other tuners' names of search strategies.
#pragma once

#include <string>
#include <string_view>

namespace wattune::inline v0_1 {

// Returns Wattune's name of a strategy of KTT or Kernel Tuner; empty for a name that neither has, or that is the same.
std::string strategy_of_other_tuner(std::string_view name);

}  // namespace wattune

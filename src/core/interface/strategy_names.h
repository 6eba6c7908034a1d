// Translates other tuners' names of search strategies.
#pragma once

#include <string>
#include <string_view>

namespace wattune::inline v0_1 {

// Returns Wattune's name of a strategy of KTT or Kernel Tuner; an empty text for a name that neither tuner has, or that
// is the same in Wattune.
std::string strategy_of_other_tuner(std::string_view name);

}  // namespace wattune

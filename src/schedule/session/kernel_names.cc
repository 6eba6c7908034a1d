#include "schedule/interface/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::inline v0_1::schedule {

std::string name_of_place(std::span<const std::string> names, std::size_t place) {
  const auto same = std::ranges::count(names.first(place), names[place]);
  return same == 0 ? names[place] : fmt::format("{}#{}", names[place], same + 1);
}

}  // namespace wattune::schedule

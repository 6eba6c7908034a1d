#include "core/interface/some_of.h"

#include <algorithm>

namespace wattune::inline v0_1 {

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) list += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return list;
}

}  // namespace wattune

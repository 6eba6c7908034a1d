// What a header lets its users choose from.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/trial.h"

namespace wattune::report {

// The best configuration of a device for one size of the problem. The results outlive it.
struct Choice {
  std::string device_macro;
  std::string size_macro;  // empty: no size was recorded
  const RunInfo* info;
  const Trial* trial;
};

// One for each device and size, in the order of the results, those without a size behind the others. Of several results
// for both the best counts, so that their order only matters in a tie. mismatch: results of different objectives for
// one device, or one without a size beside others of several.
Result<std::vector<Choice>> choices_of(const std::vector<ResultSet>& results);

// Some device has several sizes.
bool differ_in_size(const std::vector<Choice>& choices);

}  // namespace wattune::report

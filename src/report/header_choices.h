// Collects the configurations of a header. The user of the header chooses among them by device and size.
#pragma once

#include <string>
#include <vector>

#include "wattune/core/result.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

// The best configuration of a device for one size of the problem. The results must outlive this object.
struct Choice {
  std::string device_macro;
  std::string size_macro;  // empty if no size was recorded
  const RunInfo* info;
  const Trial* trial;
};

// Returns a choice for each device and size, in the order of the results, with choices without a size last. If several
// results are for the same device and size, the best one is chosen. So the order of results matters only in a tie.
// Fails with mismatch if two names become the same macro, or if results for one device have different objectives. Fails
// with mismatch as well if a result has no size while others for its device have several sizes.
Result<std::vector<Choice>> choices_of(const std::vector<ResultSet>& results);

// True if at least one device has choices for several sizes.
bool differ_in_size(const std::vector<Choice>& choices);

}  // namespace wattune::report

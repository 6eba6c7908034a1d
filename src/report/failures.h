// Groups failures by their kinds and messages, for terminals and pages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

struct FailureMessage {
  std::string text;  // as recorded; may be empty
  std::size_t count = 0;
  const Trial* example = nullptr;  // the first Trial with it
};

// All failures of one kind. Trials of the kind `correct` are listed if they lack some metrics.
struct FailureKind {
  Status status = Status::correct;
  std::size_t count = 0;
  std::vector<FailureMessage> messages;  // the most frequent first
};

// Returns the kinds that occur, in the order of kAllStatuses.
std::vector<FailureKind> failures_of(const ResultSet& results);

}  // namespace wattune::report

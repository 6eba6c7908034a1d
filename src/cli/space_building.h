// Search spaces whose building --time ends.
#pragma once

#include <optional>

#include "core/stopwatch.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/space/build_report.h"

namespace wattune::cli {

// Returns options of a build that is cancelled once so much time has passed. `since_start` must outlive them.
space::BuildOptions building_within(std::optional<Nanoseconds> time, const Stopwatch& since_start);
// Returns what is told of a build that failed: that the time was over, where it was.
Error build_error(Error error);

}  // namespace wattune::cli

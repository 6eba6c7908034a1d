// Limits the time for building search spaces by the value of --time.
#pragma once

#include <optional>

#include "core/stopwatch.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"
#include "wattune/space/search_space.h"

namespace wattune::cli {

// Returns options with which building a space is cancelled after `time`. `since_start` must outlive them.
space::BuildOptions building_within(std::optional<Nanoseconds> time, const Stopwatch& since_start);
// Returns the error to report for a failed build. If the time limit ended the build, this error says so.
Error build_error(Error error);

}  // namespace wattune::cli

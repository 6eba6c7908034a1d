#include "cli/tune/space_building.h"

namespace wattune::cli {

space::BuildOptions building_within(std::optional<Nanoseconds> time, const Stopwatch& since_start) {
  space::BuildOptions building;
  if (time) building.cancelled = [&since_start, limit = *time] { return since_start.elapsed() >= limit; };
  return building;
}

Error build_error(Error error) {
  if (error.code() != ErrorCode::cancelled) return error;
  return Error(ErrorCode::timeout, "the time was over before the search space was built")
      .hint("give --time more, or loosen the constraints that tie most parameters together")
      .at(error.position());
}

}  // namespace wattune::cli

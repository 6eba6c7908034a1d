// Implements Device::finish() for devices without sensors, by finishing one stream after the other.
#include <algorithm>

#include "core/stopwatch.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend {

Result<std::vector<SensorSample>> Device::finish(std::span<Stream* const> streams, const Wait& wait) {
  const Stopwatch stopwatch;
  Result<void> result;
  for (Stream* const stream : streams) {
    Result<void> submitted = stream->submit();
    if (result) result = std::move(submitted);
  }
  Nanoseconds left = wait.limit;
  for (Stream* const stream : streams) {
    Result<void> finished = stream->finish(left);
    if (result) result = std::move(finished);
    left = std::max(Nanoseconds(), wait.limit - stopwatch.elapsed());
  }
  if (!result) return std::move(result).error();
  return std::vector<SensorSample>();
}

}  // namespace wattune::backend

// SensorSampler: reads a device's sensors at intervals, and notes the moments on the clock of the device's events.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "backend/cuda/clock.h"
#include "core/stopwatch.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

class SensorSampler {
 public:
  // Makes a sampler, which takes no samples if there is no interval or the device has no sensors.
  SensorSampler(const Session& session, std::optional<Nanoseconds> interval)
      : session_(session), interval_(session.info().sensors.empty() ? std::nullopt : interval) {}

  // Takes a sample if the interval has passed since the last one.
  void sample_when_due() {
    if (interval_ && (taken_.empty() || since_last_.elapsed() >= *interval_)) sample();
  }
  // Takes the last sample.
  Result<std::vector<SensorSample>> finish(Clock& clock);

 private:
  struct Sample {
    ClockMark::HostTime at;
    SensorReadings readings;
  };

  void sample() {
    since_last_ = Stopwatch();
    taken_.push_back({std::chrono::steady_clock::now(), session_.sensors().readings()});
  }

  const Session& session_;
  const std::optional<Nanoseconds> interval_;
  Stopwatch since_last_;
  std::vector<Sample> taken_;
};

}  // namespace wattune::backend::cuda

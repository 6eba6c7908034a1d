// Track records the readings of one sensor. One thread polls, and others may copy the record.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "power/steady_now.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

template <typename T>
class Track {
 public:
  explicit Track(Sensor<T>& sensor) : sensor_(sensor), trace_{sensor.info(), {}} {}

  const SensorTraits& traits() const { return trace_.sensor.traits; }

  // Reads the sensor. Returns false if that failed; then the sensor must not be polled again.
  bool poll() {
    const Nanoseconds asked = steady_now();
    Result<Reading<T>> reading = sensor_.read();
    const std::lock_guard lock(mutex_);
    if (!reading) {
      failure_ = reading.error().to_string();
      return false;
    }
    trace_.note(*reading, last_asked_);
    last_asked_ = asked;
    return true;
  }

  void copy_to(std::vector<Trace<T>>& traces, std::vector<std::string>& failures) const {
    const std::lock_guard lock(mutex_);
    if (!trace_.changes.empty()) traces.push_back(trace_);
    if (failure_) failures.push_back(*failure_);
  }

 private:
  Sensor<T>& sensor_;
  mutable std::mutex mutex_;
  Trace<T> trace_;
  Nanoseconds last_asked_;
  std::optional<std::string> failure_;
};

}  // namespace wattune::power

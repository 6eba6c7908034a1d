// AskedSensor is a sensor of a real board that calls a function of some library for each reading.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "power/steady_now.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

template <typename T>
class AskedSensor : public Sensor<T> {
 public:
  using Ask = std::function<Result<T>()>;

  AskedSensor(SensorInfo info, Ask ask) : info_(std::move(info)), ask_(std::move(ask)) {}

  const SensorInfo& info() const override { return info_; }
  // Asks the function. The reading's time is taken after the answer, because the value was published before.
  Result<Reading<T>> read() override {
    Result<T> value = ask_();
    if (!value) return std::move(value).error().with_context(info_.name);
    return Reading<T>{steady_now(), *value};
  }

 private:
  const SensorInfo info_;
  const Ask ask_;
};

template <typename T>
using Sensors = std::vector<std::unique_ptr<Sensor<T>>>;

// Adds the first of these sensors that answers. Returns the Error of the first candidate if none answers. Precondition:
// there is a candidate.
template <typename T>
Result<void> add_first_of(Sensors<T>& sensors, std::vector<AskedSensor<T>> candidates) {
  Result<void> refused;
  for (AskedSensor<T>& each : candidates) {
    auto reading = each.read();
    if (reading) {
      sensors.push_back(std::make_unique<AskedSensor<T>>(std::move(each)));
      return {};
    }
    if (refused) refused = std::move(reading).error();
  }
  return refused;
}

}  // namespace wattune::power

// Replaces the traits of a board's sensors by measured ones.
#include <utility>

#include "power/interface/characterise.h"

namespace wattune::inline v0_1::power {

namespace {

template <typename T>
class CharacterisedSensor : public Sensor<T> {
 public:
  CharacterisedSensor(std::unique_ptr<Sensor<T>> sensor, SensorInfo info)
      : sensor_(std::move(sensor)), info_(std::move(info)) {}

  const SensorInfo& info() const override { return info_; }
  Result<Reading<T>> read() override { return sensor_->read(); }

 private:
  const std::unique_ptr<Sensor<T>> sensor_;
  const SensorInfo info_;
};

template <typename T>
void adopt_traits(std::vector<std::unique_ptr<Sensor<T>>>& sensors, const Characterisation& characterisation) {
  for (std::unique_ptr<Sensor<T>>& each : sensors) {
    const auto found = characterisation.sensors.find(each->info().name);
    if (found == characterisation.sensors.end()) continue;
    SensorInfo info = each->info();
    info.traits = found->second;
    each = std::make_unique<CharacterisedSensor<T>>(std::move(each), std::move(info));
  }
}

}  // namespace

void adopt(Board& board, const Characterisation& characterisation) {
  adopt_traits(board.energy, characterisation);
  adopt_traits(board.power, characterisation);
  board.idle = characterisation.idle;
  board.context_idle = characterisation.context_idle;
  const auto& problems = characterisation.problems;
  board.missing.insert(board.missing.end(), problems.begin(), problems.end());
}

}  // namespace wattune::power

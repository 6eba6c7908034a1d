// The recorder of a simulated board. It reads the sensors while the board's time passes.
#include <algorithm>
#include <deque>
#include <functional>

#include "lab/emulation/board_sensors.h"

namespace wattune::emulation {

namespace {

constexpr Nanoseconds kConditionsPeriod = nanoseconds_from_ms(25);

// A sensor with its readings and the time of its next reading.
template <typename T>
class Channel {
 public:
  Channel(power::Sensor<T>& sensor, Nanoseconds now)
      : sensor_(&sensor),
        trace_{sensor.info(), {}},
        period_(power::reading_interval(sensor.info().traits)),
        due_(now) {}

  Nanoseconds due() const { return due_; }
  const power::Trace<T>& trace() const { return trace_; }

  // Reads the sensor. If the sensor stops reporting, adds the reason to `failures`.
  void read(std::vector<std::string>& failures) {
    due_ += period_;
    const Result<power::Reading<T>> reading = sensor_->read();
    if (!reading) {
      failures.push_back(trace_.sensor.name + ": " + reading.error().to_string());
      due_ = kNever;
      return;
    }
    trace_.note(*reading, last_);
    last_ = reading->at;
  }

 private:
  static constexpr Nanoseconds kNever{1e300};

  power::Sensor<T>* sensor_;
  power::Trace<T> trace_;
  Nanoseconds period_;
  Nanoseconds due_;
  Nanoseconds last_;
};

template <typename T>
std::vector<Channel<T>> channels_of(const std::vector<std::unique_ptr<power::Sensor<T>>>& sensors, Nanoseconds now) {
  std::vector<Channel<T>> channels;
  for (const auto& sensor : sensors) channels.emplace_back(*sensor, now);
  return channels;
}

template <typename T>
std::vector<power::Trace<T>> traces_of(const std::vector<Channel<T>>& channels) {
  std::vector<power::Trace<T>> traces;
  for (const Channel<T>& channel : channels) traces.push_back(channel.trace());
  return traces;
}

class SimulatedRecorder : public power::Recorder, private simulate::Watcher {
 public:
  SimulatedRecorder(simulate::SimulatedBoard& board, power::Board& sensors) : board_(board), sensors_(sensors) {}
  SimulatedRecorder(const SimulatedRecorder&) = delete;
  SimulatedRecorder& operator=(const SimulatedRecorder&) = delete;
  ~SimulatedRecorder() override { board_.remove(*this); }

  Nanoseconds now() const override { return board_.now(); }
  void wait(Nanoseconds time) override { board_.pass(time); }

  Result<void> start() override {
    if (sensors_.energy.empty() && sensors_.power.empty())
      return Error(ErrorCode::unavailable,
                   "the simulated board " + sensors_.name + " has no sensor of power or energy");
    begin_ = conditions_due_ = now();
    energy_ = channels_of(sensors_.energy, begin_);
    power_ = channels_of(sensors_.power, begin_);
    temperature_ = channels_of(sensors_.temperature, begin_);
    voltage_ = channels_of(sensors_.voltage, begin_);
    conditions_.clear();
    failures_.clear();
    board_.add(*this);
    look();
    return {};
  }

  Result<power::Recording> so_far() override {
    return power::Recording{.begin = begin_,
                            .end = now(),
                            .energy = traces_of(energy_),
                            .power = traces_of(power_),
                            .temperature = traces_of(temperature_),
                            .voltage = traces_of(voltage_),
                            .conditions = conditions_,
                            .failures = failures_};
  }

  Result<power::Recording> stop() override {
    board_.remove(*this);
    return so_far();
  }

  std::optional<power::Measured<Watts>> context_idle() const override { return sensors_.context_idle; }

 private:
  template <typename Visit>
  void for_each_channel(Visit visit) {
    for (auto& channel : energy_) visit(channel);
    for (auto& channel : power_) visit(channel);
    for (auto& channel : temperature_) visit(channel);
    for (auto& channel : voltage_) visit(channel);
  }

  Nanoseconds due() const override { return due_; }

  void look() override {
    for_each_channel([&](auto& channel) {
      if (channel.due() <= now()) channel.read(failures_);
    });
    read_conditions();
    due_ = conditions_due_;
    for_each_channel([&](const auto& channel) { due_ = std::min(due_, channel.due()); });
  }

  void read_conditions() {
    if (!sensors_.conditions || conditions_due_ > now()) return;
    conditions_due_ += kConditionsPeriod;
    if (const Result<backend::SensorReadings> readings = sensors_.conditions->read())
      conditions_.push_back({now(), readings->conditions});
  }

  simulate::SimulatedBoard& board_;
  power::Board& sensors_;
  Nanoseconds begin_;
  Nanoseconds due_;
  Nanoseconds conditions_due_;
  std::vector<Channel<Joules>> energy_;
  std::vector<Channel<Watts>> power_;
  std::vector<Channel<Celsius>> temperature_;
  std::vector<Channel<Volts>> voltage_;
  std::vector<power::Reading<backend::Conditions>> conditions_;
  std::vector<std::string> failures_;
};

}  // namespace

std::unique_ptr<power::Recorder> make_recorder(simulate::SimulatedBoard& board, power::Board& sensors) {
  return std::make_unique<SimulatedRecorder>(board, sensors);
}

}  // namespace wattune::emulation

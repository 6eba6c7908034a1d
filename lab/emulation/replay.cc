#include "lab/emulation/replay.h"

#include <algorithm>
#include <utility>

namespace wattune::emulation {

namespace {

using power::Change;
using power::Reading;
using power::Recording;
using power::Sensor;
using power::SensorInfo;
using power::Trace;

constexpr const char* kOver = "the recording that is replayed has ended";

// State that the sensors and the recorder of a replay share: the recording, and the current time in it.
struct Stage {
  Recording recording;
  Nanoseconds now;

  bool over() const { return now > recording.end; }
};
using SharedStage = std::shared_ptr<Stage>;

template <typename T>
using Traces = std::vector<Trace<T>> Recording::*;

// Returns the first change after `moment`.
template <typename T>
auto after(const std::vector<Change<T>>& changes, Nanoseconds moment) {
  return std::ranges::upper_bound(changes, moment, {}, &Change<T>::at);
}

template <typename T>
class ReplayedSensor : public Sensor<T> {
 public:
  ReplayedSensor(SharedStage stage, Traces<T> member, std::size_t index)
      : stage_(std::move(stage)), member_(member), index_(index) {}

  const SensorInfo& info() const override { return trace().sensor; }
  Result<Reading<T>> read() override {
    if (stage_->over()) return Error(ErrorCode::unavailable, info().name + ": " + kOver);
    const auto next = after(trace().changes, stage_->now);
    if (next != trace().changes.begin()) return Reading<T>{stage_->now, std::prev(next)->value};
    return Error(ErrorCode::unavailable, info().name + ": nothing was recorded so early");
  }

 private:
  const Trace<T>& trace() const { return (stage_->recording.*member_)[index_]; }

  const SharedStage stage_;
  const Traces<T> member_;
  const std::size_t index_;
};

template <typename T>
std::vector<std::unique_ptr<Sensor<T>>> replayed_sensors(const SharedStage& stage, Traces<T> member) {
  std::vector<std::unique_ptr<Sensor<T>>> sensors;
  for (std::size_t i = 0; i < (stage->recording.*member).size(); ++i)
    sensors.push_back(std::make_unique<ReplayedSensor<T>>(stage, member, i));
  return sensors;
}

class ReplayedConditions : public backend::Sensors {
 public:
  explicit ReplayedConditions(SharedStage stage) : stage_(std::move(stage)) {}
  Result<backend::SensorReadings> read() override {
    const auto& all = stage_->recording.conditions;
    const auto next = std::ranges::upper_bound(all, stage_->now, {}, &Reading<backend::Conditions>::at);
    if (next == all.begin()) return backend::SensorReadings{};
    return backend::SensorReadings{.conditions = std::prev(next)->value};
  }

 private:
  const SharedStage stage_;
};

// Returns the readings from `begin` to `end`. The first one has the value that the sensor shows at `begin`.
template <typename T>
std::vector<Trace<T>> part_of(const std::vector<Trace<T>>& traces, Nanoseconds begin, Nanoseconds end) {
  std::vector<Trace<T>> parts;
  for (const Trace<T>& each : traces) {
    const auto first = after(each.changes, begin);
    Trace<T> part{each.sensor, {first, after(each.changes, end)}};
    if (first != each.changes.begin())
      part.changes.insert(part.changes.begin(), {begin, begin, std::prev(first)->value});
    if (!part.changes.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

class ReplayRecorder : public power::Recorder {
 public:
  explicit ReplayRecorder(SharedStage stage) : stage_(std::move(stage)) {}

  Nanoseconds now() const override { return stage_->now; }
  void wait(Nanoseconds time) override { stage_->now += time; }
  Result<void> start() override {
    begin_ = now();
    return {};
  }
  Result<Recording> so_far() override {
    const Recording& all = stage_->recording;
    Recording part{.begin = begin_,
                   .end = now(),
                   .energy = part_of(all.energy, begin_, now()),
                   .power = part_of(all.power, begin_, now()),
                   .temperature = part_of(all.temperature, begin_, now()),
                   .voltage = part_of(all.voltage, begin_, now()),
                   .conditions = {},
                   .failures = all.failures};
    const auto inside = [&](const auto& each) { return each.at >= begin_ && each.at <= now(); };
    std::ranges::copy_if(all.conditions, std::back_inserter(part.conditions), inside);
    if (stage_->over()) part.failures.emplace_back(kOver);
    return part;
  }
  Result<Recording> stop() override { return so_far(); }

 private:
  const SharedStage stage_;
  Nanoseconds begin_;
};

}  // namespace

Replay replay(Recording recording) {
  const Nanoseconds begin = recording.begin;
  const auto stage = std::make_shared<Stage>(Stage{std::move(recording), begin});
  Replay replay{{.name = "replayed board",
                 .energy = replayed_sensors(stage, &Recording::energy),
                 .power = replayed_sensors(stage, &Recording::power),
                 .temperature = replayed_sensors(stage, &Recording::temperature),
                 .voltage = replayed_sensors(stage, &Recording::voltage)},
                std::make_unique<ReplayRecorder>(stage)};
  if (!stage->recording.conditions.empty()) replay.board.conditions = std::make_unique<ReplayedConditions>(stage);
  return replay;
}

}  // namespace wattune::emulation

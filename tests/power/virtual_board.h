// VirtualBoard is a board in virtual time with known power, and a Recorder of ideal sensors. Traces are computed from
// the whole past when they are asked for, so nothing sleeps or polls.
//
//   VirtualBoard board({.energy = {counter(ms(100))}, .power = {boxcar(ms(100), ms(25))}});
//   board.run({{nanoseconds_from_ms(50), Watts(300)}}, 10);   // ten launches
//   board.true_energy(begin, end);
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "wattune/core/random.h"
#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

inline Nanoseconds ms(double value) { return nanoseconds_from_ms(value); }

// A power for some time.
struct Stretch {
  Nanoseconds time;
  Watts power;
};
using Profile = std::vector<Stretch>;

// Power as a function of time, constant between moments.
class Signal {
 public:
  void append(Stretch stretch) {
    if (stretch.time <= Nanoseconds()) return;
    if (powers_.empty() || powers_.back() != stretch.power) {
      powers_.push_back(stretch.power);
      begins_.push_back(end_);
      sums_.push_back(sum_);
    }
    end_ += stretch.time;
    sum_ += stretch.power * stretch.time;
  }
  Nanoseconds end() const { return end_; }
  // Returns the energy from time 0. Before and after the signal there is no power.
  Joules until(Nanoseconds moment) const {
    moment = std::clamp(moment, Nanoseconds(), end_);
    const auto behind = std::ranges::upper_bound(begins_, moment);
    if (behind == begins_.begin()) return {};
    const auto i = static_cast<std::size_t>(behind - begins_.begin()) - 1;
    return sums_[i] + powers_[i] * (moment - begins_[i]);
  }
  Joules between(Nanoseconds begin, Nanoseconds end) const { return until(end) - until(begin); }
  // Returns the reading of a sensor with a time constant that has shown the first power for ever (Guerreiro et al.
  // 2015, eq 6).
  Watts lagging(Nanoseconds moment, Nanoseconds time_constant) const {
    Watts shown = powers_.front();
    for (std::size_t i = 0; i < powers_.size() && begins_[i] < moment; ++i) {
      const Nanoseconds until = i + 1 < begins_.size() ? std::min(begins_[i + 1], moment) : moment;
      shown = powers_[i] + (shown - powers_[i]) * std::exp(-((until - begins_[i]) / time_constant));
    }
    return shown;
  }

 private:
  std::vector<Watts> powers_;
  std::vector<Nanoseconds> begins_;
  std::vector<Joules> sums_;
  Nanoseconds end_;
  Joules sum_;
};

// A sensor of the board, with the times of its publications and readings.
struct VirtualSensor {
  SensorInfo info;
  Nanoseconds phase = {};                                            // of its publications
  Nanoseconds poll = ms(25);                                         // between two readings
  Nanoseconds poll_phase = {};                                       // of the readings
  Nanoseconds dies{std::numeric_limits<double>::infinity()};         // shows nothing new after that
  Nanoseconds resets{std::numeric_limits<double>::infinity()};       // a counter that begins at 0 again
  Nanoseconds unread_from{std::numeric_limits<double>::infinity()};  // no reading from here ...
  Nanoseconds unread_to{std::numeric_limits<double>::infinity()};    // ... to here
  bool counts_windows = false;  // a counter that sees only its window of each period
  double quantum = 0.0;         // readings are multiples of this; 0 for any number
  double drops = 0.0;           // share of the readings that get lost
  double repeats = 0.0;         // share of the publications that show the old value
  Nanoseconds delay = {};       // most delay of a publication
  double gain = 1.0;
  std::uint64_t seed = 1;  // of its noise
};

// Returns the reading of the k-th publication, at time k * period + phase.
inline double shown(const VirtualSensor& sensor, const Signal& signal, std::int64_t k, double sum_before) {
  const SensorTraits& traits = sensor.info.traits;
  const Nanoseconds at = static_cast<double>(k) * traits.period + sensor.phase;
  const Nanoseconds seen = at - traits.lag;
  Random random(sensor.seed * 1'000'003 + static_cast<std::uint64_t>(k + 1));
  double normal = -6.0;
  for (int i = 0; i < 12 && traits.noise > 0.0; ++i) normal += random.uniform();
  const double noise = 1.0 + traits.noise * normal;
  switch (traits.response) {
    case Response::counter: {
      const Nanoseconds window = sensor.counts_windows ? traits.window : traits.period;
      const double rise = sensor.gain * signal.between(seen - window, seen).value() * (traits.period / window);
      return at >= sensor.resets && at - traits.period < sensor.resets ? rise : sum_before + rise;
    }
    case Response::boxcar:
      return sensor.gain * noise * (signal.between(seen - traits.window, seen) / traits.window).value();
    case Response::lag: return sensor.gain * noise * signal.lagging(seen, traits.time_constant).value();
    case Response::direct: break;
  }
  return sensor.gain * noise * (signal.between(seen - ms(0.001), seen) / ms(0.001)).value();
}

// Returns a random number that is the same for every call with these arguments.
inline double chance_of(const VirtualSensor& sensor, std::int64_t k, std::uint64_t of_what) {
  std::uint64_t bits = (sensor.seed * 1'000'003 + static_cast<std::uint64_t>(k)) * 7919 + of_what;
  for (const std::uint64_t odd : {0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}) bits = (bits ^ (bits >> 30)) * odd;
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

// Computes readings from `begin` to the end of the signal.
template <typename T>
Trace<T> trace_of(const VirtualSensor& sensor, const Signal& signal, Nanoseconds begin) {
  Trace<T> trace{sensor.info, {}};
  std::int64_t published = static_cast<std::int64_t>(std::floor(-(sensor.phase / sensor.info.traits.period)));
  double value = 0.0;
  double seen = 0.0;
  Nanoseconds since = begin;
  const Nanoseconds last = std::min(signal.end(), sensor.dies);
  std::int64_t readings = 0;
  for (Nanoseconds read = begin + sensor.poll_phase; read <= last; read += sensor.poll) {
    const auto due = [&] {
      const Nanoseconds late = sensor.delay * chance_of(sensor, published, 1);
      return static_cast<double>(published) * sensor.info.traits.period + sensor.phase + late;
    };
    while (due() <= read) {
      const bool repeats = chance_of(sensor, published, 2) < sensor.repeats;
      value = shown(sensor, signal, published++, value);
      if (!repeats) seen = sensor.quantum > 0.0 ? sensor.quantum * std::floor(value / sensor.quantum + 0.5) : value;
    }
    if (chance_of(sensor, readings++, 3) < sensor.drops) continue;
    if (read >= sensor.unread_from && read < sensor.unread_to) continue;
    if (trace.changes.empty()) since = read;
    if (trace.changes.empty() || trace.changes.back().value != T(seen)) trace.changes.push_back({since, read, T(seen)});
    since = read;
  }
  return trace;
}

struct VirtualSensors {
  std::vector<VirtualSensor> energy;
  std::vector<VirtualSensor> power;
};

inline VirtualSensor counter(Nanoseconds period, Nanoseconds phase = {}) {
  return {{"virtual.energy", Scope::gpu, {.response = Response::counter, .period = period}}, phase, period / 4.0};
}

inline VirtualSensor boxcar(Nanoseconds period, Nanoseconds window, Nanoseconds lag = {}, double noise = 0.0) {
  return {{"virtual.power",
           Scope::gpu,
           {.response = Response::boxcar, .period = period, .window = window, .lag = lag, .noise = noise}},
          {},
          period / 4.0};
}

inline VirtualSensor lagging(Nanoseconds period, Nanoseconds time_constant, double noise = 0.0) {
  return {{"virtual.lagging",
           Scope::gpu,
           {.response = Response::lag, .period = period, .time_constant = time_constant, .noise = noise}},
          {},
          period / 4.0};
}

class VirtualBoard : public Recorder {
 public:
  explicit VirtualBoard(VirtualSensors sensors, Watts idle = Watts(50)) : sensors_(std::move(sensors)), idle_(idle) {
    wait(nanoseconds_from_seconds(2));  // time before the first call
  }

  Nanoseconds now() const override { return signal_.end(); }
  void wait(Nanoseconds time) override { signal_.append({time, idle_}); }
  Result<void> start() override {
    begin_ = now();
    recording_ = true;
    return {};
  }
  Result<Recording> so_far() override {
    Recording recording{.begin = begin_, .end = now(), .failures = failures};
    for (const VirtualSensor& each : sensors_.energy)
      recording.energy.push_back(trace_of<Joules>(each, signal_, begin_));
    for (const VirtualSensor& each : sensors_.power) recording.power.push_back(trace_of<Watts>(each, signal_, begin_));
    if (!tells_conditions) return recording;
    recording.temperature = {{{"virtual.temperature", Scope::gpu, {}}, {}}};
    for (Nanoseconds at = begin_; at < now(); at += ms(100)) {
      recording.temperature.front().note({at, temperature(at)}, at);
      recording.conditions.push_back({at, conditions(at)});
    }
    return recording;
  }
  Result<Recording> stop() override {
    recording_ = false;
    return so_far();
  }
  bool recording() const { return recording_; }

  void run(const Profile& launch, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      for (const Stretch& each : launch) signal_.append(each);
  }
  Joules true_energy(Nanoseconds begin, Nanoseconds end) const { return signal_.between(begin, end); }
  const Signal& signal() const { return signal_; }

  VirtualSensors& sensors() { return sensors_; }
  std::vector<std::string> failures;
  bool tells_conditions = true;  // false if nothing but energy and power is of interest, which saves time
  // Conditions at a moment.
  std::function<backend::Conditions(Nanoseconds)> conditions = [](Nanoseconds) {
    return backend::Conditions{Megahertz(1410), false};
  };
  std::function<Celsius(Nanoseconds)> temperature = [](Nanoseconds) { return Celsius(45); };

 private:
  VirtualSensors sensors_;
  Watts idle_;
  Signal signal_;
  Nanoseconds begin_;
  bool recording_ = false;
};

}  // namespace wattune::power

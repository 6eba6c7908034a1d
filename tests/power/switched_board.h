// A board in virtual time for tests of characterisation. A load switches its power, and the test chooses the behaviour
// of its sensor.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "power/interface/characterise.h"
#include "power/response_fit.h"
#include "wattune/core/random.h"

namespace wattune::inline v0_1::power::test {

constexpr Watts kIdleWatts{60};
constexpr Watts kContextWatts{80};
constexpr Watts kLoadWatts{300};

// Time passes when the recorder waits or the load runs, in steps of a millisecond. At each step the sensors publish if
// they are due, and at every other step the recorder reads them.
class SwitchedBoard : public Recorder, public KnownLoad {
 public:
  SensorTraits power{.response = Response::boxcar,
                     .period = nanoseconds_from_ms(100),
                     .window = nanoseconds_from_ms(25),
                     .noise = 0.0};
  Nanoseconds counter_period = nanoseconds_from_ms(100);
  // The part at the end of each period that it counts for the whole.
  Nanoseconds counter_window = nanoseconds_from_ms(100);
  bool counter_stuck = false;
  bool deaf = false;  // true if the power sensor does not show the load

  Nanoseconds now() const override { return nanoseconds_from_ms(static_cast<double>(ms_)); }
  void wait(Nanoseconds time) override { pass(time, prepared_ ? kContextWatts : kIdleWatts); }
  Result<void> prepare() override {
    prepared_ = true;
    return {};
  }
  Result<void> run(Nanoseconds time) override {
    pass(time, kLoadWatts);
    return {};
  }

  Result<void> start() override {
    recording_ = {};
    recording_.energy = {{{"counter", Scope::gpu, {.response = Response::counter}}, {}}};
    recording_.power = {{{"power", Scope::gpu, power}, {}}};
    recording_.begin = now();
    return {};
  }
  Result<Recording> so_far() override {
    recording_.end = now();
    return recording_;
  }
  Result<Recording> stop() override { return so_far(); }

 private:
  void pass(Nanoseconds time, Watts drawn) {
    const auto steps = static_cast<int>(std::lround(to_ms(time)));
    for (int i = 0; i < steps; ++i) step(drawn);
  }

  void step(Watts drawn) {
    ++ms_;
    drawn_.push_back(deaf ? kIdleWatts : drawn);
    if (counts()) counted_ += drawn * nanoseconds_from_ms(1) * (counter_period / counter_window);
    lagging_ += (drawn_.back() - lagging_) * (1.0 - std::exp(-1e6 / std::max(1.0, power.time_constant.value())));
    if (due(power.period)) shown_ = shown();
    if (due(counter_period) && !counter_stuck) published_ = counted_;
    if (ms_ % 2 == 0) look();
  }
  bool counts() const {
    const double left_ms = to_ms(counter_period) - static_cast<double>((ms_ - 1) % std::lround(to_ms(counter_period)));
    return left_ms <= to_ms(counter_window);
  }
  bool due(Nanoseconds period) const { return ms_ % std::lround(to_ms(period)) == 0; }

  Watts shown() {
    const double jitter = 1.0 + power.noise * std::sqrt(12.0) * (random_.uniform() - 0.5);
    return (power.response == Response::lag ? lagging_ : mean()) * jitter;
  }
  // Returns the mean of the window that ended `lag` ago.
  Watts mean() const {
    const auto end = std::max<std::ptrdiff_t>(0, ms_ - std::lround(to_ms(power.lag)));
    const auto begin = std::max<std::ptrdiff_t>(0, end - std::lround(to_ms(power.window)));
    Watts sum;
    for (auto i = begin; i < end; ++i) sum += drawn_[static_cast<std::size_t>(i)];
    return end > begin ? sum / static_cast<double>(end - begin) : kIdleWatts;
  }

  void look() {
    note(recording_.power[0].changes, shown_);
    note(recording_.energy[0].changes, published_);
  }
  template <typename T>
  void note(std::vector<Change<T>>& changes, T value) const {
    if (!changes.empty() && changes.back().value == value) return;
    changes.push_back({changes.empty() ? now() : now() - nanoseconds_from_ms(2), now(), value});
  }

  long ms_ = 0;
  bool prepared_ = false;
  std::vector<Watts> drawn_;
  Joules counted_;
  Joules published_;
  Watts lagging_ = kIdleWatts;
  Watts shown_ = kIdleWatts;
  Recording recording_;
  Random random_{7};
};

}  // namespace wattune::power::test

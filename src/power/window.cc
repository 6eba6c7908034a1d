#include "power/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "power/board_sensors.h"
#include "power/window_figures.h"

namespace wattune::inline v0_1::power {

namespace {

// Length of a batch. It is so long that the gap between two batches hardly matters, and so short that a window ends on
// time.
constexpr Nanoseconds kBatch = nanoseconds_from_ms(50);

class WindowRun {
 public:
  WindowRun(Recorder& recorder, const RunBatch& run, const EnergyOptions& options, Heat heat, const IsEnough& is_enough)
      : recorder_(recorder), run_(run), options_(options), heat_(heat), is_enough_(is_enough), begun_(recorder.now()) {}

  // Runs the window. Precondition: the recorder is started. The first warm-up lasts until the sensors have shown a
  // reading, and the second one as long as these sensors need.
  Result<RunWindow> run() {
    constexpr Nanoseconds kFirstWarmUp = nanoseconds_from_ms(300);
    WATTUNE_TRY(check_budget(options_.window + kFirstWarmUp));
    WATTUNE_TRY(keep_busy(kFirstWarmUp));
    WATTUNE_ASSIGN(const Recording recording, recorder_.so_far());
    WATTUNE_ASSIGN(const BoardSensors sensors, BoardSensors::in(recording));
    WATTUNE_TRY(keep_busy(sensors.warm_up()));
    // Each end lies within a period of the requested moment, and becomes visible only after the sensor's lag.
    const Nanoseconds measured = options_.window + 2.0 * sensors.period() + sensors.lag();
    if (heat_ == Heat::steady) WATTUNE_TRY(keep_busy_until_steady(begun_ + options_.budget - 2.0 * measured));
    window_.begin = recorder_.now();
    if (sensors.aliases(window_.log.launch_time()))
      WATTUNE_TRY(run_phases(measured, sensors));
    else
      WATTUNE_TRY(run_through(measured, sensors));
    WATTUNE_TRY(run_on_until_counted(measured));
    return std::move(window_);
  }

 private:
  Result<void> check_budget(Nanoseconds needed) const {
    if (needed <= options_.budget) return {};
    return Error(ErrorCode::invalid_argument,
                 fmt::format("an energy window that takes {:.1f} s is longer than its budget of {:.1f} s",
                             to_seconds(needed), to_seconds(options_.budget)))
        .hint("give it more time, or take a shorter window");
  }

  // Runs batches until the load has been running for this time.
  Result<void> keep_busy(Nanoseconds time) {
    while (window_.log.empty() || recorder_.now() < begun_ + time) WATTUNE_TRY(run_batch(next_batch()));
    return {};
  }

  // Waits for a steady temperature. A board that was idle warms up for a minute, but the wait is limited, so that
  // screening does not wait at all. Without a temperature sensor there is nothing to wait for.
  Result<void> keep_busy_until_steady(Nanoseconds latest) {
    constexpr Nanoseconds kSteadyTime = nanoseconds_from_seconds(2);
    constexpr Nanoseconds kSteadyCheckInterval = nanoseconds_from_ms(200);
    constexpr Nanoseconds kLongestSteadyWait = nanoseconds_from_seconds(5);
    const Nanoseconds most = std::min(options_.window / 2.0, kLongestSteadyWait);
    if (most < kSteadyTime) return {};
    latest = std::min(latest, recorder_.now() + most);
    while (recorder_.now() < latest) {
      WATTUNE_ASSIGN(const Recording recording, recorder_.so_far());
      if (is_steady(recording, kSteadyTime)) break;
      WATTUNE_TRY(keep_busy(recorder_.now() - begun_ + kSteadyCheckInterval));
    }
    return {};
  }

  // Runs the load for the window. If the window may end early, checks that once a period.
  Result<void> run_through(Nanoseconds time, const BoardSensors& sensors) {
    const Nanoseconds before = recorder_.now() - begun_;
    WATTUNE_TRY(check_budget(before + time));
    if (!is_enough_) return keep_busy(before + time);
    for (Nanoseconds look = first_look(sensors); look < time; look += sensors.period()) {
      WATTUNE_TRY(keep_busy(before + look));
      if (has_shown_enough()) return {};
    }
    return keep_busy(before + time);
  }

  static Nanoseconds first_look(const BoardSensors& sensors) {
    constexpr double kPeriodsBeforeFirstCheck = 3.0;
    return kPeriodsBeforeFirstCheck * sensors.period() + sensors.lag();
  }

  bool has_shown_enough() {
    window_.end = recorder_.now();
    const Result<Recording> recording = recorder_.so_far();
    const Result<WindowFigures> figures =
        recording ? figures_of(window_, *recording, options_) : Result<WindowFigures>(recording.error());
    if (!figures || !is_enough_(*figures)) return false;
    window_.ended_after = window_.end - window_.begin;
    return true;
  }

  // Runs batches that begin at all phases. If a sensor may show only one part of a launch, each batch fills a period,
  // so that a reading falls into it. A window with phases does not end early, since half of the phases would not give a
  // mean.
  Result<void> run_phases(Nanoseconds time, const BoardSensors& sensors) {
    const Nanoseconds period = sensors.sampling().period;
    const Nanoseconds launch = window_.log.launch_time();
    const bool sees_parts = sensors.sees_parts(launch);
    // A sensor shows the last batch only later, while the load must go on.
    const Nanoseconds later = sensors.period() + sensors.lag();
    const Nanoseconds phase =
        std::max((time - later) / static_cast<double>(kPhases), sees_parts ? period : Nanoseconds());
    const double launches = std::ceil(phase / launch);
    const double launches_later = std::ceil(later / launch);
    const double launches_of_all = static_cast<double>(kPhases) * launches + launches_later;
    WATTUNE_TRY(check_budget(recorder_.now() - begun_ + launches_of_all * launch));
    window_.phases.emplace(period, sees_parts ? period : launch, recorder_.now());
    for (std::size_t i = 0; i < kPhases; ++i) {
      recorder_.wait(window_.phases->wait(recorder_.now()));
      WATTUNE_ASSIGN(const Load::Batch batch, run_batch(static_cast<std::size_t>(launches)));
      window_.phases->add(batch);
      const bool may_end = is_enough_ && !sees_parts && recorder_.now() - window_.begin >= first_look(sensors);
      if (may_end && has_shown_enough()) return {};
    }
    if (launches_later > 0.0) WATTUNE_TRY(run_batch(static_cast<std::size_t>(launches_later)));
    return {};
  }

  // Ends the window. Before that, continues the load if the counter was read too rarely for a result, as happens in a
  // process that gets little processor time. Each of the few further parts is as long as the window.
  Result<void> run_on_until_counted(Nanoseconds time) {
    constexpr int kMostFurtherParts = 4;
    window_.end = recorder_.now();
    for (int i = 0; i < kMostFurtherParts && !is_counted() && window_.end - begun_ + time <= options_.budget; ++i) {
      WATTUNE_TRY(keep_busy(window_.end - begun_ + time));
      window_.end = recorder_.now();
    }
    return {};
  }

  // True unless the board has a counter whose readings give no energy for the window. Also true if the recorder fails;
  // its caller reports the failure.
  bool is_counted() {
    const Result<Recording> recording = recorder_.so_far();
    if (!recording) return true;
    const Result<BoardSensors> sensors = BoardSensors::in(*recording);
    if (!sensors || sensors->counter == nullptr) return true;
    return static_cast<bool>(between_publications(*sensors->counter, window_.begin, window_.end));
  }

  // Returns the number of launches of the next batch. It is at most twice the number of the last batch, since the first
  // batch may have been slow for other reasons.
  std::size_t next_batch() const {
    if (window_.log.empty()) return 1;
    const double fitting = std::ceil(kBatch / std::max(window_.log.launch_time(), Nanoseconds(1)));
    return std::min(static_cast<std::size_t>(fitting), 2 * window_.log.last_launches());
  }

  Result<Load::Batch> run_batch(std::size_t launches) {
    WATTUNE_ASSIGN(const Load::Batch batch, run_(launches));
    window_.log.add(batch);
    return batch;
  }

  Recorder& recorder_;
  const RunBatch& run_;
  const EnergyOptions& options_;
  const Heat heat_;
  const IsEnough& is_enough_;
  const Nanoseconds begun_;
  RunWindow window_;
};

}  // namespace

Result<WindowFigures> measure_window(Recorder& recorder, const RunBatch& run, const EnergyOptions& options, Heat heat,
                                     const IsEnough& is_enough) {
  WATTUNE_TRY(recorder.start());
  const Result<RunWindow> window = WindowRun(recorder, run, options, heat, is_enough).run();
  const Result<Recording> recording = recorder.stop();
  if (!window) return window.error();
  if (!recording) return recording.error();
  Result<WindowFigures> figures = figures_of(*window, *recording, options);
  if (figures || recording->failures.empty()) return figures;
  return Error(ErrorCode::unavailable, fmt::format("a sensor stopped reporting in the middle of an energy window: {}",
                                                   recording->failures.front()));
}

}  // namespace wattune::power

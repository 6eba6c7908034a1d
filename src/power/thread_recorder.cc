// The Recorder of real boards. Each sensor has a thread, so that a slow sensor does not delay others.
#include <algorithm>
#include <deque>
#include <utility>

#include "power/interface/poller.h"
#include "power/track.h"
#include "wattune/power/board.h"

namespace wattune::inline v0_1::power {

namespace {

constexpr Nanoseconds kConditionsInterval = nanoseconds_from_ms(25);

class ConditionsTrack {
 public:
  explicit ConditionsTrack(backend::Sensors& sensors) : sensors_(sensors) {}

  bool poll() {
    Result<backend::SensorReadings> readings = sensors_.read();
    const std::lock_guard lock(mutex_);
    if (readings)
      readings_.push_back({steady_now(), readings->conditions});
    else
      failure_ = readings.error().to_string();
    return readings.has_value();
  }

  void copy_to(std::vector<Reading<backend::Conditions>>& conditions, std::vector<std::string>& failures) const {
    const std::lock_guard lock(mutex_);
    conditions = readings_;
    if (failure_) failures.push_back(*failure_);
  }

 private:
  backend::Sensors& sensors_;
  mutable std::mutex mutex_;
  std::vector<Reading<backend::Conditions>> readings_;
  std::optional<std::string> failure_;
};

// All tracks of a board. They are never moved, because they contain mutexes.
class Tracks {
 public:
  explicit Tracks(Board& board) {
    for (const auto& each : board.energy) energy_.emplace_back(*each);
    for (const auto& each : board.power) power_.emplace_back(*each);
    for (const auto& each : board.temperature) temperature_.emplace_back(*each);
    for (const auto& each : board.voltage) voltage_.emplace_back(*each);
    if (board.conditions) conditions_.emplace(*board.conditions);
  }

  Recording copy() const {
    Recording recording;
    copy_all(energy_, recording.energy, recording.failures);
    copy_all(power_, recording.power, recording.failures);
    copy_all(temperature_, recording.temperature, recording.failures);
    copy_all(voltage_, recording.voltage, recording.failures);
    if (conditions_) conditions_->copy_to(recording.conditions, recording.failures);
    return recording;
  }

  // Reads each track once in this thread, and calls start(interval, poll) for those that could be read.
  template <typename Start>
  void start_all(std::optional<Nanoseconds> interval, Start start) {
    const auto each = [&](auto& track, Nanoseconds usual) {
      if (track.poll()) start(interval.value_or(usual), [&track] { return track.poll(); });
    };
    for_each_sensor(each);
    if (conditions_) each(*conditions_, kConditionsInterval);
  }

 private:
  template <typename T>
  static void copy_all(const std::deque<Track<T>>& tracks, std::vector<Trace<T>>& to,
                       std::vector<std::string>& failures) {
    for (const Track<T>& each : tracks) each.copy_to(to, failures);
  }
  template <typename Each>
  void for_each_sensor(const Each& each) {
    const auto all = [&](auto& tracks) {
      for (auto& track : tracks) each(track, reading_interval(track.traits()));
    };
    all(energy_);
    all(power_);
    all(temperature_);
    all(voltage_);
  }

  std::deque<Track<Joules>> energy_;
  std::deque<Track<Watts>> power_;
  std::deque<Track<Celsius>> temperature_;
  std::deque<Track<Volts>> voltage_;
  std::optional<ConditionsTrack> conditions_;
};

class ThreadRecorder : public Recorder {
 public:
  ThreadRecorder(Board& board, std::optional<Nanoseconds> interval) : board_(board), interval_(interval) {}

  Nanoseconds now() const override { return steady_now(); }
  void wait(Nanoseconds time) override {
    std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(time.value()));
  }

  Result<void> start() override {
    begin_ = now();
    tracks_.emplace(board_);
    tracks_->start_all(interval_, [&](Nanoseconds interval, std::function<bool()> poll) {
      pollers_.emplace_back(interval, std::move(poll));
    });
    if (!pollers_.empty()) return {};
    const Recording nothing = tracks_->copy();
    const std::string why = nothing.failures.empty() ? "it has none" : nothing.failures.front();
    return Error(ErrorCode::unavailable, "no sensor of the board " + board_.pci_bus_id + " tells anything: " + why);
  }

  Result<Recording> so_far() override {
    Recording recording = tracks_->copy();
    recording.begin = begin_;
    recording.end = now();
    return recording;
  }

  Result<Recording> stop() override {
    for (Poller& each : pollers_) each.ask_to_stop();
    pollers_.clear();
    return so_far();
  }

  std::optional<Measured<Watts>> context_idle() const override { return board_.context_idle; }

 private:
  Board& board_;
  const std::optional<Nanoseconds> interval_;
  Nanoseconds begin_;
  std::optional<Tracks> tracks_;
  std::deque<Poller> pollers_;
};

}  // namespace

Nanoseconds reading_interval(const SensorTraits& traits) {
  constexpr Nanoseconds kLeastReadingInterval = nanoseconds_from_ms(2);
  constexpr Nanoseconds kMostReadingInterval = nanoseconds_from_ms(25);
  if (traits.response != Response::direct)
    return std::clamp(traits.period / 4.0, kLeastReadingInterval, kMostReadingInterval);
  return traits.period > Nanoseconds() ? traits.period : kMostReadingInterval;
}

std::unique_ptr<Recorder> make_recorder(Board& board, std::optional<Nanoseconds> interval) {
  return std::make_unique<ThreadRecorder>(board, interval);
}

}  // namespace wattune::power

#include "power/interface/characterise.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "power/board_sensors.h"
#include "power/response_fit.h"
#include "wattune/core/random.h"
#include "wattune/power/energy.h"

namespace wattune::inline v0_1::power {

namespace {

// Length of a rest. It is more than twice the widest window of any known board's sensor, which is a second.
constexpr Nanoseconds kRestTime = nanoseconds_from_seconds(3);
constexpr Nanoseconds kLongBurst = nanoseconds_from_seconds(4);
constexpr Nanoseconds kRestAfterBurst = nanoseconds_from_seconds(2);
constexpr int kBursts = 24;
constexpr Nanoseconds kShortestPhase = nanoseconds_from_ms(80);
constexpr Nanoseconds kLongestPhase = nanoseconds_from_ms(320);

// The times of the phases that happened while the recorder ran.
struct Course {
  Burst idle;
  Burst context_idle;
  std::vector<Burst> bursts;
};

Burst rest(Recorder& recorder, Nanoseconds time) {
  const Nanoseconds begin = recorder.now();
  recorder.wait(time);
  return {begin, recorder.now()};
}

Result<Burst> work(Recorder& recorder, KnownLoad& load, Nanoseconds time) {
  const Nanoseconds begin = recorder.now();
  WATTUNE_TRY(load.run(time));
  return Burst{begin, recorder.now()};
}

Result<std::vector<Burst>> square_wave(Recorder& recorder, KnownLoad& load) {
  Random random(1);
  const auto phase = [&] { return kShortestPhase + (kLongestPhase - kShortestPhase) * random.uniform(); };
  std::vector<Burst> bursts;
  for (int i = 0; i < kBursts; ++i) {
    WATTUNE_ASSIGN(const Burst burst, work(recorder, load, phase()));
    bursts.push_back(burst);
    recorder.wait(phase());
  }
  WATTUNE_ASSIGN(const Burst last, work(recorder, load, kLongBurst));
  bursts.push_back(last);
  recorder.wait(kRestAfterBurst);
  return bursts;
}

Result<Course> run_course(Recorder& recorder, KnownLoad* load, const std::function<void(const std::string&)>& say) {
  const auto tell = [&](const std::string& line) { return say ? say(line) : void(); };
  Course course;
  tell("the board at rest");
  course.idle = rest(recorder, kRestTime);
  if (load == nullptr) return course;
  WATTUNE_TRY(load->prepare());
  tell("the board at rest, with a context");
  course.context_idle = rest(recorder, kRestTime);
  tell(fmt::format("{} bursts of work", kBursts + 1));
  WATTUNE_ASSIGN(course.bursts, square_wave(recorder, *load));
  return course;
}

// Returns the middle of a phase. In the second half of a phase, every sensor shows only that phase.
Nanoseconds settled(const Burst& phase) { return (phase.begin + phase.end) / 2.0; }

// Returns the readings with a context. A context may cost power, so earlier readings are at another level.
std::vector<Change<Watts>> with_context(const std::vector<Change<Watts>>& readings, const Course& course) {
  std::vector<Change<Watts>> later;
  const auto is_later = [&](const Change<Watts>& each) { return each.at >= settled(course.context_idle); };
  std::ranges::copy_if(readings, std::back_inserter(later), is_later);
  return later;
}

// Derives a sensor's traits from readings of power: those of a power sensor, or those computed from a counter.
Result<SensorTraits> traits_from(const SensorInfo& sensor, Nanoseconds period, const std::vector<Change<Watts>>& all,
                                 const Course& course) {
  const std::vector<Change<Watts>> readings = with_context(all, course);
  const std::optional<ResponseFit> fit = fit_response(readings, course.bursts);
  if (!fit || !follows_load(*fit))
    return Error(ErrorCode::unavailable,
                 fmt::format("{} did not follow the load, so that it is not used", sensor.name));
  const bool counts = sensor.traits.response == Response::counter;
  const Burst& last = course.bursts.back();
  return SensorTraits{.response = counts ? Response::counter : fit->response,
                      .period = period,
                      .window = fit->window,
                      .lag = fit->lag,
                      .time_constant = fit->time_constant,
                      .noise = relative_noise(readings, settled(last), last.end),
                      .measured = true};
}

Result<SensorTraits> traits_of(const Trace<Watts>& trace, const Course& course) {
  const std::optional<Nanoseconds> period = update_period(trace.changes);
  if (!period) return Error(ErrorCode::unavailable, trace.sensor.name + " stands still, so that it is not used");
  return traits_from(trace.sensor, *period, trace.changes, course);
}

Result<SensorTraits> traits_of(const Trace<Joules>& trace, const Course& course) {
  const std::optional<Nanoseconds> period = update_period(trace.changes);
  if (!period) return Error(ErrorCode::unavailable, trace.sensor.name + " stands still, so that it is not used");
  return traits_from(trace.sensor, *period, power_between(trace.changes, *period), course);
}

template <typename T>
void add_traits(Characterisation& found, const std::vector<Trace<T>>& traces, const Course& course) {
  for (const Trace<T>& each : traces) {
    const Result<SensorTraits> traits = traits_of(each, course);
    if (traits)
      found.sensors.emplace(each.sensor.name, *traits);
    else
      found.problems.push_back(traits.error().to_string());
  }
}

// Returns the power in a phase, from the first power sensor that has readings of this phase. The first sensor of a
// board is its best.
std::optional<Watts> power_of(const Recording& recording, const Burst& phase) {
  for (const Trace<Watts>& each : recording.power)
    if (const auto power = mean_shown(each.changes, settled(phase), phase.end)) return power;
  return std::nullopt;
}

// Returns the power in a phase by the sensor that measures energy, because it is later subtracted from that energy.
// Returns nullopt if no sensor reports the power.
std::optional<Measured<Watts>> measured_power_of(const Recording& recording, const Burst& phase) {
  const Result<BoardSensors> sensors = BoardSensors::in(recording);
  if (!sensors) return std::nullopt;
  if (sensors->counter != nullptr) {
    const Result<CountedSpan> span = between_publications(*sensors->counter, settled(phase), phase.end);
    return span ? std::optional(span->power()) : std::nullopt;
  }
  const Result<Measured<Watts>> power = mean_power(*sensors->power, settled(phase), phase.end);
  return power ? std::optional(*power) : std::nullopt;
}

}  // namespace

Result<Characterisation> characterise(Recorder& recorder, KnownLoad* load,
                                      const std::function<void(const std::string&)>& say) {
  WATTUNE_TRY(recorder.start());
  const Result<Course> course = run_course(recorder, load, say);
  WATTUNE_ASSIGN(const Recording recording, recorder.stop());
  if (!course) return course.error();
  Characterisation found{.problems = recording.failures};
  found.idle = power_of(recording, course->idle);
  if (load == nullptr) return found;
  found.context_idle = measured_power_of(recording, course->context_idle);
  add_traits(found, recording.energy, *course);
  add_traits(found, recording.power, *course);
  if (!found.sensors.empty()) return found;
  const std::string why = found.problems.empty() ? "the board tells neither power nor energy" : found.problems.front();
  return Error(ErrorCode::unavailable, "the sensors cannot be characterised: " + why);
}

}  // namespace wattune::power

#include "wattune/core/observation.h"

#include <algorithm>
#include <limits>

namespace wattune::inline v0_1 {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::correct: return "correct";
    case Status::compile: return "compile";
    case Status::runtime: return "runtime";
    case Status::timeout: return "timeout";
    case Status::correctness: return "correctness";
    case Status::constraints: return "constraints";
    case Status::not_recorded: return "not_recorded";
  }
  return "unknown";
}

std::optional<Status> parse_status(std::string_view name) {
  for (Status status : kAllStatuses)
    if (name == to_string(status)) return status;
  return std::nullopt;
}

bool is_measurable(Nanoseconds time) { return time >= Nanoseconds() && time < Nanoseconds(0x1p63); }

std::optional<double> gain(double objective, double over) {
  if (!std::isfinite(objective) || !std::isfinite(over)) return std::nullopt;
  if (objective > 0 && over > 0) return over / objective;
  if (objective < 0 && over < 0) return objective / over;
  return std::nullopt;
}

std::optional<double> gain_over_default(const Observation& observation, const Observation& standard) {
  if (observation.over_default) return observation.over_default->median;
  return gain(observation.search_figures().objective, standard.search_figures().objective);
}

double positive(double objective) {
  using Limits = std::numeric_limits<double>;
  return std::clamp(objective < 0.0 ? -1.0 / objective : objective, Limits::min(), Limits::max());
}

Nanoseconds cost_of(const Observation& observation) {
  const PhaseTimes& phases = observation.phases;
  Nanoseconds running;
  for (const Sample& sample : observation.samples) running += sample.time;
  if (observation.samples.empty()) running = phases.measure;
  if (running == Nanoseconds() && observation.statistics) running = observation.statistics->median;
  return phases.compile + phases.check + phases.overhead + running;
}

std::string_view to_string(FinalPlace place) {
  switch (place) {
    case FinalPlace::none: return "none";
    case FinalPlace::winner: return "winner";
    case FinalPlace::tied: return "tied";
    case FinalPlace::behind: return "behind";
  }
  return "unknown";
}

std::optional<FinalPlace> parse_final_place(std::string_view name) {
  for (FinalPlace place : {FinalPlace::none, FinalPlace::winner, FinalPlace::tied, FinalPlace::behind})
    if (name == to_string(place)) return place;
  return std::nullopt;
}

}  // namespace wattune

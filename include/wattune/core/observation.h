// Observation: the result of measuring one configuration. It holds the times, or the way in which the configuration
// failed (Status). Sample, Statistics, Metric and PhaseTimes are its parts. gain() compares two Observations.
//
// A failure of a configuration is data, not an Error: it is stored, counted, and not repeated when a run is resumed.
// Values that own their parts; any thread may call the functions.
//
//   if (observation.ok()) print(observation.statistics->median, observation.objective());
//   else print(to_string(observation.status), observation.message);
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1 {

// The outcome of a measurement. The names are those of the field "invalidity" in the format T4, which lacks
// not_recorded.
enum class Status {
  correct,       // measured; its output matched the reference, or none was given
  compile,       // the compiler rejected it, crashed or took too much memory
  runtime,       // the launch failed, crashed the worker, or wrote outside its buffers
  timeout,       // compiling or running passed its limit
  correctness,   // ran, but the output differs from the reference
  constraints,   // breaks a constraint or a limit of the device known before compiling
  not_recorded,  // a replay has no answer, which says nothing about the configuration
};

WATTUNE_EXPORT std::string_view to_string(Status status);
WATTUNE_EXPORT std::optional<Status> parse_status(std::string_view name);
inline constexpr Status kAllStatuses[] = {Status::correct,     Status::compile,     Status::runtime,
                                          Status::timeout,     Status::correctness, Status::constraints,
                                          Status::not_recorded};

// One timed run, with the state of the device at about that time as far as it can be read.
struct WATTUNE_EXPORT Sample {
  Nanoseconds time;
  std::optional<Megahertz> clock;  // clock of the compute units
  bool throttled = false;          // power or heat held the clock down

  bool operator==(const Sample&) const = default;
};

// The summary of the samples. The interval covers the median with the stated confidence. Without a stated confidence,
// the interval reaches from the least sample to the largest.
struct WATTUNE_EXPORT Statistics {
  Nanoseconds median;
  Nanoseconds interval_low;
  Nanoseconds interval_high;
  Nanoseconds mean;
  Nanoseconds minimum;
  std::optional<double> confidence = {};  // 0.95 for 95 %; nullopt if the samples are too few to say

  bool operator==(const Statistics&) const = default;
};

// True if a clock can have reported this time: it is not negative, and below 2^63 ns. If a clock goes back, an unsigned
// difference wraps to a larger value.
WATTUNE_EXPORT bool is_measurable(Nanoseconds time);

// A named figure besides the time: registers, bandwidth, GFLOP/s.
struct WATTUNE_EXPORT Metric {
  std::string name;
  double value = 0.0;
  std::string unit;
  // The largest distance of the true value from this one, as far as the source of the metric knows; nullopt if unknown.
  // For power and energy it comes from the unknown moment at which the counter changed. The uncertainty of a computed
  // metric follows from those of the metrics that its expression reads. The time's own interval is in Statistics.
  std::optional<double> uncertainty = {};

  bool operator==(const Metric&) const = default;
};

// The parts of the wall time of one evaluation, apart from the samples.
struct WATTUNE_EXPORT PhaseTimes {
  Nanoseconds compile;
  Nanoseconds check;       // preparing buffers, the checked run and the comparison
  Nanoseconds measure;     // warm-up and samples, with their preparation
  Nanoseconds overhead{};  // the tuner's own time, apart from the other parts; only where another program recorded it

  bool operator==(const PhaseTimes&) const = default;
};

// The place of a configuration in the final. There, at the end of a run, the best configurations run in turns.
enum class FinalPlace { none, winner, tied, behind };

WATTUNE_EXPORT std::string_view to_string(FinalPlace place);
WATTUNE_EXPORT std::optional<FinalPlace> parse_final_place(std::string_view name);

// The gain() of one configuration over another, from rounds in which both ran in turns. It has the median over the
// rounds and its 95 % interval, or the extremes if there are fewer than six rounds.
struct WATTUNE_EXPORT PairedGain {
  double median = 1.0;
  double low = 1.0;
  double high = 1.0;

  bool operator==(const PairedGain&) const = default;
};

// The figures of a configuration from the search, in which it ran alone. They can be compared with those of all other
// configurations. Figures of the final cannot, because other kernels run in between there.
struct WATTUNE_EXPORT SearchFigures {
  Nanoseconds time;
  double objective = 0.0;

  bool operator==(const SearchFigures&) const = default;
};

// The outcome of one evaluation.
struct WATTUNE_EXPORT Observation {
  Status status = Status::correct;
  std::string message;    // one line on the cause of a failure, or on why a correct result is not verified; else empty
  std::string build_log;  // the compiler's output, kept also on success
  bool verified = false;  // the output was compared with a reference, or with that of the default configuration
  std::vector<Sample> samples;
  std::optional<Statistics> statistics;  // present exactly when correct; the median is above 0
  std::vector<Metric> metrics;
  std::string lacking;  // one line on why other metrics of the spec have no value; empty if all have one
  PhaseTimes phases;
  // The value to be minimised in place of the time, if the user chose another objective. It is infinite if it could not
  // be computed, and cannot win then.
  std::optional<double> objective_value;
  FinalPlace final_place = FinalPlace::none;
  // The gain over the default configuration if both were in the final; empty for the default itself.
  std::optional<PairedGain> over_default;
  std::optional<SearchFigures> in_search;  // present if the figures above are from the final

  bool ok() const { return status == Status::correct; }
  // Returns the value that is minimised: the median time in nanoseconds unless the user has another objective.
  // Precondition: ok().
  double objective() const { return objective_value.value_or(statistics->median.value()); }
  // True if the configuration is correct and the objective has a finite value.
  bool has_objective() const { return ok() && std::isfinite(objective()); }
  // Returns the figures of the search, also after a final. Precondition: ok().
  SearchFigures search_figures() const { return in_search.value_or(SearchFigures{statistics->median, objective()}); }

  bool operator==(const Observation&) const = default;
};

// Returns how many times better one objective is than another: 2 for half the time. Objectives of a maximised metric
// are negative, and then 2 means twice its value. Returns nullopt unless both are finite, not 0, and of the same sign.
WATTUNE_EXPORT std::optional<double> gain(double objective, double over);
// Returns the gain of one observation's objective over another's. Precondition: both are ok().
inline std::optional<double> gain(const Observation& observation, const Observation& over) {
  return gain(observation.objective(), over.objective());
}

// Returns how many times better a configuration is than the default one. The gain is taken from the final if both ran
// there in turns. Otherwise it is taken from the figures of the search. Precondition: both are ok().
WATTUNE_EXPORT std::optional<double> gain_over_default(const Observation& observation, const Observation& standard);

// Returns a positive number, for code that computes ratios. Its order is that of the objectives: less is better. A
// positive objective stays as it is. A negative one, which stands for a maximised metric, becomes the metric's inverse.
// Results for objectives of different signs cannot be compared.
WATTUNE_EXPORT double positive(double objective);

// Returns the cost of making this observation, as the methodology of docs/score.md counts it. It is the sum of the
// times of compiling, checking, overhead and the samples. Without samples the time of the measuring phase is added
// instead; if that is 0, the median.
WATTUNE_EXPORT Nanoseconds cost_of(const Observation& observation);

}  // namespace wattune

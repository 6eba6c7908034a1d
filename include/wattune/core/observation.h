// Observation: what measuring one configuration showed, be it times or the way it failed.
//
// A failure of a configuration is data, not an Error: it is stored, counted and never met again on resume.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wattune/core/units.h"

namespace wattune {

// Names are those of T4's "invalidity", and not_recorded, which other formats do not know.
enum class Status {
  correct,       // measured; its output matched the reference, or none was given
  compile,       // the compiler rejected it, crashed or took too much memory
  runtime,       // the launch failed, crashed the worker, or wrote outside its buffers
  timeout,       // compiling or running passed its limit
  correctness,   // ran, but the output differs from the reference
  constraints,   // breaks a constraint or a limit of the device known before compiling
  not_recorded,  // a replay has no answer: says nothing about the configuration
};

std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view name);
inline constexpr Status kAllStatuses[] = {Status::correct,     Status::compile,     Status::runtime,
                                          Status::timeout,     Status::correctness, Status::constraints,
                                          Status::not_recorded};

// One timed run, with what the device was like about then, where that can be read.
struct Sample {
  Nanoseconds time;
  std::optional<Megahertz> clock;  // of the compute units
  bool throttled = false;          // power or heat held the clock down

  bool operator==(const Sample&) const = default;
};

// What the samples say together. The interval covers the median with the stated confidence.
struct Statistics {
  Nanoseconds median;
  Nanoseconds interval_low;
  Nanoseconds interval_high;
  Nanoseconds mean;
  Nanoseconds minimum;
  double confidence = 0.0;  // 0.95 for 95 %; 0 when too few samples to say

  bool operator==(const Statistics&) const = default;
};

// Whether a clock can have told this time: it is not negative, and below 2^63 ns, above which is what unsigned
// differences wrap to when a clock goes back.
bool is_measurable(Nanoseconds time);

// A named figure beside the time: registers, bandwidth, GFLOP/s.
struct Metric {
  std::string name;
  double value = 0.0;
  std::string unit;
  // Half the width of the interval around the value in which the truth lies, as far as its source knows: for power and
  // energy, what is not known of when the counter changed. A metric that is computed has what follows from those that
  // it reads; the time's own interval is in Statistics. None: unknown.
  std::optional<double> uncertainty = {};

  bool operator==(const Metric&) const = default;
};

// Where the wall time of one evaluation went, apart from the samples.
struct PhaseTimes {
  Nanoseconds compile;
  Nanoseconds check;       // preparing buffers, the checked run and the comparison
  Nanoseconds measure;     // warm-up and samples, with their preparation
  Nanoseconds overhead{};  // of the tuner around the others, where another program recorded it

  bool operator==(const PhaseTimes&) const = default;
};

// How a configuration came out of the final at the end of a run, in which the best run in turns.
enum class FinalPlace { none, winner, tied, behind };

std::string_view to_string(FinalPlace place);
std::optional<FinalPlace> parse_final_place(std::string_view name);

// How many times better one configuration is than another, as gain() counts, from turns that both took: the median over
// the rounds with its interval of 95 %, or the extremes below six rounds.
struct PairedGain {
  double median = 1.0;
  double low = 1.0;
  double high = 1.0;

  bool operator==(const PairedGain&) const = default;
};

// What the search measured of a configuration, alone. It compares with what it measured of all others; what the final
// measures, beside other kernels, does not.
struct SearchFigures {
  Nanoseconds time;
  double objective = 0.0;

  bool operator==(const SearchFigures&) const = default;
};

struct Observation {
  Status status = Status::correct;
  std::string message;    // one line: why it failed or, where it is correct but not verified, why not; else empty
  std::string build_log;  // the compiler's words, kept also on success
  bool verified = false;  // the output was compared with a reference, or with what the default configuration leaves
  std::vector<Sample> samples;
  std::optional<Statistics> statistics;  // present exactly when correct; the median is above 0
  std::vector<Metric> metrics;
  std::string lacking;  // why others of the spec's metrics have no value here, one line; empty: all have one
  PhaseTimes phases;
  // The value that the user wants minimised in place of the time. It is infinite where it has none, and cannot win
  // then.
  std::optional<double> objective_value;
  FinalPlace final_place = FinalPlace::none;
  std::optional<PairedGain> over_default;  // in a final that the default configuration took part in; not of itself
  std::optional<SearchFigures> in_search;  // present when what is above is of the final

  bool ok() const { return status == Status::correct; }
  // What is minimised: the median time in nanoseconds unless the user has another objective. Precondition: ok().
  double objective() const { return objective_value.value_or(statistics->median.value()); }
  // Whether it is correct and has a value of what is minimised.
  bool has_objective() const { return ok() && std::isfinite(objective()); }
  // Precondition: ok().
  SearchFigures search_figures() const { return in_search.value_or(SearchFigures{statistics->median, objective()}); }

  bool operator==(const Observation&) const = default;
};

// How many times better one objective is than another: 2 for half the time or twice the maximised metric, which is
// negative. None where the signs give a ratio no sense.
std::optional<double> gain(double objective, double over);
// Precondition: both are ok().
inline std::optional<double> gain(const Observation& observation, const Observation& over) {
  return gain(observation.objective(), over.objective());
}

// How many times better a configuration is than the default one: as the final found in turns of both, or else as the
// search measured each. Precondition: both are ok().
std::optional<double> gain_over_default(const Observation& observation, const Observation& standard);

// The same order in positive numbers, for what thinks in ratios: an objective that is positive itself, of a negative
// one, which is a metric to be large, the metric's inverse. Positive and negative ones do not compare.
double positive(double objective);

// What making this observation cost: compiling, checking, overhead and the sum of the samples. Where none were kept,
// the measuring phase stands for them, or else the median. As the methodology of docs/score.md counts it.
Nanoseconds cost_of(const Observation& observation);

}  // namespace wattune

// What the result files have in common, most of all those of other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/document.h"
#include "store/timestamp.h"
#include "wattune/core/trial.h"

namespace wattune::store {

// Nanoseconds in a unit named as in result files ("ms", "miliseconds", "Microseconds", "s"); nullopt when it is no
// unit of time.
std::optional<double> nanoseconds_per(std::string_view unit);

// A configuration as an object of values by parameter, and back; Malformed when a parameter is missing.
Json configuration_to_json(const Configuration& configuration);
std::vector<Value> values_by_name(const Json& object, const std::vector<std::string>& names);

// Divides, because 123456 ns times 1e-6 is 0.12345599999999999 ms.
inline double in_ms(Nanoseconds time) { return time / Nanoseconds(1e6); }
Json samples_in_ms(const std::vector<Sample>& samples);

// Reads the numbers of a JSON array as samples; what is no number is left out.
std::vector<Sample> samples_in(const Json& times, double nanoseconds_per_unit);

// A clock too coarse for the kernel, or digits cut off: nothing compares with 0, so such a configuration counts as
// failed.
inline constexpr const char* kTookNoTime = "the recorded time is 0";

// Makes an Observation correct, unless the time is 0. `objective` is what the file ranks by, often a mean: it becomes
// the median, and since nothing is known of its spread, the interval is that point with confidence 0. Throws Malformed
// when it or a sample is negative or larger than any clock counts.
void set_times(Observation& observation, Nanoseconds objective, std::vector<Sample> samples);
Nanoseconds median_of(std::vector<Sample> samples);  // precondition: not empty

// For formats that have no place of their own for the gain over the default: the metrics that are numbers, and behind
// them that gain with its interval.
std::vector<Metric> exported_metrics(const Observation& observation);

// Kernel Tuner's names of failures, as its cache and T4 files hold them.
Status status_of_kernel_tuner_error(std::string_view name);
std::string_view kernel_tuner_error(Status status);  // precondition: not correct

TimePoint timestamp_or_epoch(const Json& entry, const char* name);

// Collects Trials; their ids are their positions.
class RecordedTrials {
 public:
  explicit RecordedTrials(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return *names_; }
  void add(std::vector<Value> values, Observation observation, TimePoint finished_at);

  // The parameters with the values that occur: numbers ascending, then the others as they came.
  std::vector<Parameter> parameters() const;
  std::vector<Trial> take() { return std::move(trials_); }

 private:
  Configuration::Names names_;
  std::vector<Trial> trials_;
};

// The readers, for a document that has been parsed. Malformed documents give parse_error.
Result<ResultSet> read_t4(const Document& document, const std::filesystem::path& file);
Result<ResultSet> read_kernel_tuner_cache(const Document& document, const std::filesystem::path& file);
Result<ResultSet> read_ktt(const Document& document, const std::filesystem::path& file);

}  // namespace wattune::store

// Functions that the readers and writers of several formats share, especially those for formats of other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/interface/document.h"
#include "store/interface/timestamp.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

// Returns the number of nanoseconds in a unit as named in result files ("ms", "miliseconds", "Microseconds", "s");
// nullopt if it is no unit of time.
std::optional<double> nanoseconds_per(std::string_view unit);

// Converts a configuration to a JSON object of values by parameter, or back. Reading throws Malformed if a parameter is
// missing.
Json configuration_to_json(const Configuration& configuration);
std::vector<Value> values_by_name(const Json& object, const std::vector<std::string>& names);

// Converts to milliseconds. It divides, because 123456 ns times 1e-6 is 0.12345599999999999 ms.
inline double in_ms(Nanoseconds time) { return time / Nanoseconds(1e6); }
Json samples_in_ms(const std::vector<Sample>& samples);

// Reads the numbers of a JSON array as samples; other elements are left out.
std::vector<Sample> samples_in(const Json& times, double nanoseconds_per_unit);

// The message for a recorded time of 0, which a coarse clock or too few digits may give. Such a time allows no ratios,
// so such a configuration counts as failed.
inline constexpr const char* kTookNoTime = "the recorded time is 0";

// Makes an Observation correct, unless the time is 0. `objective` is the file's figure for the time, often a mean; it
// becomes the median. The spread of the times is unknown, so the interval is only that value, without a confidence.
// Throws Malformed if the objective or a sample is negative, or larger than a clock can count.
void set_times(Observation& observation, Nanoseconds objective, std::vector<Sample> samples);
Nanoseconds median_of(std::vector<Sample> samples);  // precondition: not empty

// Returns the finite metrics, and after them the gain over the default configuration with its interval. It is for
// formats that have no field for that gain.
std::vector<Metric> exported_metrics(const Observation& observation);

// Converts between a Status and Kernel Tuner's names of failures, as its cache and T4 files hold them.
Status status_of_kernel_tuner_error(std::string_view name);
std::string_view kernel_tuner_error(Status status);  // precondition: the status is not `correct`

TimePoint timestamp_or_epoch(const Json& entry, const char* name);

// A collection of Trials read from a file; a Trial's id is its position in the file.
class RecordedTrials {
 public:
  explicit RecordedTrials(std::vector<std::string> names);

  const std::vector<std::string>& names() const { return *names_; }
  void reserve(std::size_t trials) { trials_.reserve(trials); }
  void add(std::vector<Value> values, Observation observation, TimePoint finished_at);

  // Returns the parameters with the values that occur: first numbers, ascending, then other values in the order of the
  // file.
  std::vector<Parameter> parameters() const;
  std::vector<Trial> take() { return std::move(trials_); }

 private:
  Configuration::Names names_;
  std::vector<Trial> trials_;
};

// Reads a parsed T4 document. Fails with parse_error if it is malformed.
Result<ResultSet> read_t4(const Document& document, const std::filesystem::path& file);
Result<ResultSet> read_kernel_tuner_cache(const Document& document, const std::filesystem::path& file);
Result<ResultSet> read_ktt(const Document& document, const std::filesystem::path& file);

}  // namespace wattune::store

// A builder of small ResultSets, written as a list of measurements.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

class ResultsBuilder {
 public:
  explicit ResultsBuilder(std::vector<Parameter> parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
    results_.info.kernel_name = "add";
    results_.info.device.name = "Device A";
    results_.info.parameters = std::move(parameters);
  }

  ResultsBuilder& default_values(std::vector<Value> values) {
    results_.info.default_values = std::move(values);
    return *this;
  }

  // Adds a correct Trial, whose interval reaches `half_width` to both sides.
  ResultsBuilder& time(std::vector<Value> values, double nanoseconds, double half_width = 0.0) {
    Trial& trial = add(std::move(values));
    trial.observation.statistics = Statistics{Nanoseconds(nanoseconds),
                                              Nanoseconds(nanoseconds - half_width),
                                              Nanoseconds(nanoseconds + half_width),
                                              Nanoseconds(nanoseconds),
                                              Nanoseconds(nanoseconds),
                                              half_width > 0 ? std::optional(0.95) : std::nullopt};
    return *this;
  }

  // Makes the last Trial one of the final, all of which have one time stamp. `searched` is the time of the search in
  // nanoseconds.
  ResultsBuilder& in_final(FinalPlace place, double searched, std::optional<PairedGain> over_default = {}) {
    Trial& trial = results_.trials.back();
    trial.finished_at += std::chrono::hours(1);
    trial.observation.final_place = place;
    trial.observation.in_search = SearchFigures{Nanoseconds(searched), searched};
    trial.observation.over_default = over_default;
    return *this;
  }

  ResultsBuilder& failure(std::vector<Value> values, Status status, std::string message) {
    Trial& trial = add(std::move(values));
    trial.observation.status = status;
    trial.observation.message = std::move(message);
    return *this;
  }

  operator ResultSet() const { return results_; }

 private:
  Trial& add(std::vector<Value> values) {
    Trial trial;
    trial.configuration = Configuration(results_.trials.size(), names_, std::move(values));
    trial.finished_at = std::chrono::sys_days(std::chrono::year(2026) / 1 / 31);
    results_.trials.push_back(std::move(trial));
    return results_.trials.back();
  }

  Configuration::Names names_;
  ResultSet results_;
};

inline ResultsBuilder one_parameter() { return ResultsBuilder({{.name = "x", .values = {1, 2, 4, 8}}}); }

}  // namespace wattune::report

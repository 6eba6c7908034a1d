// Makes sure that results keep their winner if they are written in another program's format and read back. For that,
// the objectives and the figures of search and final are stored, too.
//
// Fields that other programs know hold the figures of the search for every configuration, so that all configurations
// can be compared. The figures of the final, which were measured beside other kernels, are stored separately, with the
// objective.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/interface/document.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

struct WinnerFigures {
  std::optional<double> objective;  // objective in the search; absent if it is the time, infinite if it has no value
  FinalPlace place = FinalPlace::none;
  std::optional<Nanoseconds> final_time;  // time in the final; present if the search measured another time
  std::optional<double> final_objective;
};

WinnerFigures winner_figures(const Observation& observation);
// Returns the observation with the search's figures for the time and for the metric of the first objective.
Observation as_searched(Observation observation, const RunInfo& info);
// Restores the observation of the final that as_searched() changed, as far as the figures allow.
void restore_final(Observation& observation, const WinnerFigures& figures, const RunInfo& info);

// Converts the figures to a JSON object (empty if there are none), or back, which throws Malformed.
Json to_json(const WinnerFigures& figures);
WinnerFigures winner_figures_from(const Json& object);

Json objectives_to_json(const std::vector<Objective>& objectives);
std::vector<Objective> objectives_from_json(const Json& json);  // throws Malformed

// The key of the file's list of objectives, and the key of a configuration's figures.
inline constexpr const char* kObjectives = "objectives";
inline constexpr const char* kOwnMember = "wattune";
// Sets the objectives, and all members that depend on them, for Trials read from these entries. The objectives are
// those that `head` lists. In a file of another program, they are those that its metrics, `named`, stand for. Throws
// Malformed.
void restore_winner(ResultSet& results, const Json& head, const std::vector<Json>& entries,
                    const std::vector<std::string>& named);

// Returns the objectives that other programs express by the names of their metrics. Rates such as GFLOP/s are
// maximised, as in Kernel Tuner, all others minimised. Returns nothing if there is only the time.
std::vector<Objective> objectives_named(const std::vector<std::string>& metrics);
// Sets the objective of correct Trials from the metric of the first objective. A Trial without that metric gets no
// objective. Throws Malformed if there are several objectives and no Trial has the metric.
void rank_by_metric(ResultSet& results);

}  // namespace wattune::store

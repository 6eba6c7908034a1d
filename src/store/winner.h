// The winner of results that are written to a format of another program and read back. The same configuration wins
// again, by the objectives, the figures of the search and those of the final.
//
// Fields that other programs know hold the figures of the search for every configuration, so that all of them compare.
// The figures of the final, which were measured beside other kernels, are stored separately, with the objective.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/interface/document.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::store {

struct WinnerFigures {
  std::optional<double> objective;  // of the search; absent if it is the time; infinite without a value
  FinalPlace place = FinalPlace::none;
  std::optional<Nanoseconds> final_time;  // present if the search measured another time
  std::optional<double> final_objective;
};

WinnerFigures winner_figures(const Observation& observation);
// Returns the observation with the time and the metric of the first objective as the search measured them.
Observation as_searched(Observation observation, const RunInfo& info);
// Undoes as_searched(), as far as the figures allow.
void restore_final(Observation& observation, const WinnerFigures& figures, const RunInfo& info);

// Writes the figures as an object, empty if there are none, or reads them, which throws Malformed.
Json to_json(const WinnerFigures& figures);
WinnerFigures winner_figures_from(const Json& object);

Json objectives_to_json(const std::vector<Objective>& objectives);
std::vector<Objective> objectives_from_json(const Json& json);  // throws Malformed

// The member of a head that lists the objectives, and the member of a configuration with its figures.
inline constexpr const char* kObjectives = "objectives";
inline constexpr const char* kOwnMember = "wattune";
// Sets the objectives, and all that depends on them, for Trials read from these entries. The objectives are those that
// `head` lists or, in a file of another program, those named by its metrics. Throws Malformed.
void restore_winner(ResultSet& results, const Json& head, const std::vector<Json>& entries,
                    const std::vector<std::string>& named);

// Returns the objectives that other programs name by their metrics. Rates such as GFLOP/s are maximised, as in Kernel
// Tuner, all others minimised. Empty for the time alone.
std::vector<Objective> objectives_named(const std::vector<std::string>& metrics);
// Gives correct Trials their value of the first objective by its metric; one without it has no objective. Throws
// Malformed if none of several has it.
void rank_by_metric(ResultSet& results);

}  // namespace wattune::store

// Makes the same configuration win when results come back from a format of another program, by the objectives, the
// figures of the search and those of the final.
//
// Fields that other programs know hold what the search measured of every configuration, so that all of them compare.
// The figures of the final, which were measured beside other kernels, stand apart, with the objective.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "store/document.h"
#include "wattune/core/trial.h"

namespace wattune::store {

struct WinnerFigures {
  std::optional<double> objective;  // of the search, where it is not the time; infinite: it has none
  FinalPlace place = FinalPlace::none;
  std::optional<Nanoseconds> final_time;  // where the search has measured another
  std::optional<double> final_objective;
};

WinnerFigures winner_figures(const Observation& observation);
// The observation with the time and the metric of the first objective as the search measured them.
Observation as_searched(Observation observation, const RunInfo& info);
// Makes of as_searched() what it was made of, as far as the figures say.
void restore_final(Observation& observation, const WinnerFigures& figures, const RunInfo& info);

// The figures as an object, empty where there is nothing to say; and back, which throws Malformed.
Json to_json(const WinnerFigures& figures);
WinnerFigures winner_figures_from(const Json& object);

Json objectives_to_json(const std::vector<Objective>& objectives);
std::vector<Objective> objectives_from_json(const Json& json);  // throws Malformed

// The member of a head that lists the objectives, and the member of a configuration with its figures.
inline constexpr const char* kObjectives = "objectives";
inline constexpr const char* kOwnMember = "wattune";
// Sets the objectives and what follows of them for Trials read from these entries: as `head` lists them, or else, in a
// file of another program, by the names of its metrics. Throws Malformed.
void restore_winner(ResultSet& results, const Json& head, const std::vector<Json>& entries,
                    const std::vector<std::string>& named);

// The objectives that other programs name by their metrics. Metrics that are rates, such as GFLOP/s, are to be large,
// as Kernel Tuner has it, all others small. Empty for the time alone.
std::vector<Objective> objectives_named(const std::vector<std::string>& metrics);
// Gives correct Trials their value of the first objective by its metric; one without it has no objective. Throws
// Malformed where none of several has it.
void rank_by_metric(ResultSet& results);

}  // namespace wattune::store

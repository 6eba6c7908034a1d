// What several reports ask of a ResultSet.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/report/report.h"

namespace wattune::report {

// The Trial of the default configuration, which may have failed, or nullptr when it was not evaluated.
const Trial* default_trial(const ResultSet& results);

// Whether a Trial took part in the final that `winner` won, if that won one: the Trials of one have one time stamp.
bool ran_beside(const Trial& trial, const Trial& winner);

// "gemm on NVIDIA A100", printable; what is not known is left out.
std::string name_of(const RunInfo& info);

// Positions of the parameters that have more than one value.
std::vector<std::size_t> varied_parameters(const ResultSet& results);

// What the search measured of a correct Trial, which compares with what it measured of all others.
inline double objective_of(const Trial& trial) { return trial.observation.search_figures().objective; }

// Of the ranked Trials that are fast enough to count (ResultSet::longest_time()), the best first.
std::vector<double> searched_objectives(const ResultSet& results);

// Correct, with a positive and finite time, which a ResultSet made in code need not have.
bool has_time(const Trial& trial);

// Precondition: the Trial is correct.
inline Nanoseconds time_of(const Trial& trial) { return trial.observation.statistics->median; }

}  // namespace wattune::report

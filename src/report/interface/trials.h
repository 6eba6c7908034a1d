// Answers questions about a ResultSet that several reports need.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

// Returns the Trial of the default configuration, which may have failed. Returns nullptr if that configuration was not
// evaluated.
const Trial* default_trial(const ResultSet& results);

// True if a Trial took part in the final that `winner` won. The Trials of a final have the same time stamp.
bool ran_beside(const Trial& trial, const Trial& winner);

// Returns printable text such as "gemm on NVIDIA A100". Unknown parts are left out.
std::string name_of(const RunInfo& info);

// Returns a name for each result. The names are the devices if all results have the same kernel, the kernels if all
// have the same device, or else both. If these names are not distinct, they are the names of the files, cut at their
// first point.
std::vector<std::string> telling_names(const std::vector<ResultSet>& results, const std::vector<std::string>& files);

// Returns the positions of the parameters that have more than one value.
std::vector<std::size_t> varied_parameters(const ResultSet& results);

// Returns the objective that the search measured for a correct Trial. This objective can be compared with those of all
// other Trials.
inline double objective_of(const Trial& trial) { return trial.observation.search_figures().objective; }

// Returns the objectives that the search measured for Trials that are fast enough to count (ResultSet::longest_time()).
// The best objective is first.
std::vector<double> searched_objectives(const ResultSet& results);

// True if the Trial is correct and has a positive and finite time. Trials that a program makes may lack such a time.
bool has_time(const Trial& trial);

// Returns the median time. Precondition: the Trial is correct.
inline Nanoseconds time_of(const Trial& trial) { return trial.observation.statistics->median; }

}  // namespace wattune::report

// What several reports ask of a ResultSet.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wattune/core/trial.h"
#include "wattune/report/report.h"

namespace wattune::report {

// The fastest Trial of the default configuration, or one that failed, or nullptr when it was not evaluated.
const Trial* default_trial(const ResultSet& results);

// "gemm on NVIDIA A100", printable; what is not known is left out.
std::string name_of(const RunInfo& info);

// Positions of the parameters that have more than one value.
std::vector<std::size_t> varied_parameters(const ResultSet& results);

// Correct, with a positive and finite time, which a ResultSet made in code need not have.
bool has_time(const Trial& trial);

// Precondition: the Trial is correct.
inline Nanoseconds time_of(const Trial& trial) { return trial.observation.statistics->median; }

}  // namespace wattune::report

// The Trials of a run as data for the page's script: a JSON object with a column for each figure and parameter.
#pragma once

#include <string>
#include <vector>

#include "report/page/tuning_run.h"

namespace wattune::inline v0_1::report {

// Returns the metrics that the table of Trials shows beside the time: those of further objectives, energy and power.
std::vector<std::string> shown_metrics(const TuningRun& run);

// Returns the object, in which all texts are safe between tags of HTML. It begins with the ranked Trials, in their
// order, and goes on with all others that count. Members:
//   rows, ranked   how many Trials there are, and how many of them are ranked
//   time           place of the column with the time
//   columns        array, with the members
//     t            title
//     v            the values: numbers, null without one, or places in `d`
//     d            the texts of a column of texts, such as a parameter's values in their order
//     lo, hi       in place of `v`: ends of intervals
//     f            decimals of the numbers
//     mark, of     a text that stands before the values of these rows
//     kind         "parameter", "result" for what can be drawn against parameters, or "" for neither
//     more         1 for a column that the table does not show
//   status         the statuses of the Trials behind the ranked ones, places in `statuses`
//   statuses       array of names
std::string trial_data(const TuningRun& run);

}  // namespace wattune::report

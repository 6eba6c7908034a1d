// Reports: tables, plots and C headers that people look at after a run. They only read Trials, return text and print
// nothing. Any thread may call the functions. Returned Trials belong to `results`.
//
//   WATTUNE_ASSIGN(const ResultSet results, store::load_results("gemm.journal"));
//   std::cout << report::table_of_best(results, 10, 100);
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/trial.h"

namespace wattune::inline v0_1::report {

// Returns the Trials with a time: for each configuration the Trial that counts (counting()). The order is:
// results.best(), then those fast enough to count, then the slower ones. Among those fast enough, Trials that ran
// beside the best in the final come first, by their places. Ties are ordered by objective.
WATTUNE_EXPORT std::vector<const Trial*> ranked(const ResultSet& results);

// Returns the first objective of the search; nullopt if the objective was the least time.
WATTUNE_EXPORT std::optional<Objective> searched_for(const ResultSet& results);

// Returns the Pareto front of two or more objectives, in the order of the first objective. A Trial is on the front if
// no other is at least as good in all objectives and better in one. The front is empty with fewer objectives.
WATTUNE_EXPORT std::vector<const Trial*> pareto_front(const ResultSet& results);

// The share of the variance of log(time) that each parameter explains alone: the main effects of a functional ANOVA
// (Hutter, Hoos, Leyton-Brown 2014). The analysis uses the recorded Trials instead of a forest, and the shares are
// corrected for the number of values. The most important parameter comes first; parameters with one value are left out.
struct WATTUNE_EXPORT Importance {
  std::string parameter;
  // The share that this parameter explains alone, 0..1; nullopt if chance may explain it.
  std::optional<double> main_effect;
};
WATTUNE_EXPORT std::vector<Importance> parameter_importance(const ResultSet& results);

// The share of the variance of log(time) that two parameters explain jointly beyond the sum of their main effects. It
// is the second-order effect of the analysis that Importance describes. Only pairs whose share is significant are
// listed, the largest share first.
struct WATTUNE_EXPORT Interaction {
  std::string first;
  std::string second;
  double share = 0.0;  // share of the variance, 0..1
};
WATTUNE_EXPORT std::vector<Interaction> parameter_interactions(const ResultSet& results);

// Returns the time of the best so far after each evaluation of the search, in milliseconds; NaN before the first
// correct configuration.
WATTUNE_EXPORT std::vector<double> convergence(const ResultSet& results);

// Formats tables for a terminal, at most `width` columns wide. `metrics` are the metrics to show beside the time.

WATTUNE_EXPORT std::string table_of_best(const ResultSet& results, std::size_t rows, std::size_t width,
                                         const std::vector<std::string>& metrics = {});
// Empty if there is no front.
WATTUNE_EXPORT std::string table_of_pareto_front(const ResultSet& results, std::size_t width);
WATTUNE_EXPORT std::string table_of_failures(const ResultSet& results, std::size_t width);
WATTUNE_EXPORT std::string table_of_importance(const ResultSet& results, std::size_t width);
// Lists the `rows` largest interactions of at least 0.1 %; an empty text if there is none.
WATTUNE_EXPORT std::string table_of_interactions(const ResultSet& results, std::size_t rows, std::size_t width);
// Draws a heat map as SVG: main effects on the diagonal, interactions beside it.
WATTUNE_EXPORT std::string plot_interactions_svg(const ResultSet& results);
WATTUNE_EXPORT std::string plot_importance_svg(const ResultSet& results);  // a bar chart
// Draws every configuration by the first two objectives, and the front; empty without a front.
WATTUNE_EXPORT std::string plot_pareto_svg(const ResultSet& results);
// Draws, with a curve for each result, which share of the configurations reaches which share of the best performance.
// `names` are those of the results.
WATTUNE_EXPORT std::string plot_distribution_svg(const std::vector<ResultSet>& results,
                                                 const std::vector<std::string>& names);
// Draws a heat map of portability() (analysis.h). `names` are those of the results.
WATTUNE_EXPORT std::string plot_portability_svg(const std::vector<ResultSet>& results,
                                                const std::vector<std::string>& names);
WATTUNE_EXPORT std::string plot_convergence(const ResultSet& results, std::size_t width, std::size_t height);
WATTUNE_EXPORT std::string plot_convergence_svg(const ResultSet& results);

// Performance of a search strategy at equally spaced times of a budget. 0 is the performance of random search, 1 is the
// optimum (docs/score.md).
struct WATTUNE_EXPORT PerformanceCurve {
  std::string name;
  std::vector<double> values;
};
// Draws one or several strategies as SVG.
WATTUNE_EXPORT std::string plot_performance_svg(const std::string& title, const std::vector<PerformanceCurve>& curves);
// Draws the share of the optimum's work that applications have done at equally spaced times, all overhead included. The
// applications tune while they work (as in Petrovic et al. 2020, figures 2 and 3).
WATTUNE_EXPORT std::string plot_amortization_svg(const std::string& title, const std::vector<PerformanceCurve>& curves);

// Writes one HTML file about these runs, for anybody to open, without network. It tells what won, how sure that is,
// what it is worth over the default, and what to do next. Several runs stand side by side. `files` has a name for each
// result: the file that holds it, for commands on the page, or an empty text. Empty results, and those with failures
// only, give a page that says so.
WATTUNE_EXPORT std::string write_page(const std::vector<ResultSet>& results, const std::vector<std::string>& files);

// Writes a C header with one #define set for each device, chosen by WATTUNE_DEVICE_<NAME>. If a device has results of
// several sizes, each size has a set, chosen by WATTUNE_SIZE_<SIZE> or by a function at run time. A header with a
// single set has no choice.
//
// All results must tune the same kernel with the same parameters; results for one device must have the same objective.
// Among results of one device and size the best counts. The text depends on the results only.
//
// Fails with mismatch if results do not fit together or two names become one macro. Fails with not_found if no
// configuration is correct, with invalid_argument if a value cannot stand in a header.
WATTUNE_EXPORT Result<std::string> write_header(const std::vector<ResultSet>& results);

}  // namespace wattune::report

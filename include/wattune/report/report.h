// Reports: what people look at after a run. Only reads Trials; returns text, prints nothing. Any thread may call.
// Trials that are returned belong to `results`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "wattune/core/trial.h"

namespace wattune::report {

// The Trials with a time: results.best(), then those that ran beside it in the final by their places, then the others;
// by objective where that leaves it open. Of the same configuration only the first of them.
std::vector<const Trial*> ranked(const ResultSet& results);

// What was searched for, unless it was the least time.
std::optional<Objective> searched_for(const ResultSet& results);

// With two objectives or more: the Trials that no other is at least as good as in all of them and better in one, in the
// order of the first objective.
std::vector<const Trial*> pareto_front(const ResultSet& results);

// How much of the variance of log(time) each parameter explains alone: the main effects of a functional ANOVA (Hutter,
// Hoos, Leyton-Brown 2014), over the recorded Trials instead of a forest, corrected for the number of values. The most
// important first; parameters with one value are left out.
struct Importance {
  std::string parameter;
  // Share of variance explained by this parameter alone, 0..1; none where the results do not tell it from chance.
  std::optional<double> main_effect;
};
std::vector<Importance> parameter_importance(const ResultSet& results);

// How much of the variance of log(time) two parameters explain jointly beyond what both add up to: second-order effects
// of the same analysis, of every pair of parameters that the results tell from chance, the largest first.
struct Interaction {
  std::string first;
  std::string second;
  double share = 0.0;  // of the variance, 0..1
};
std::vector<Interaction> parameter_interactions(const ResultSet& results);

// Time of the best so far after each evaluation of the search, in milliseconds; NaN before the first correct one.
std::vector<double> convergence(const ResultSet& results);

// Terminal texts, at most `width` columns.
// `metrics`: those to show beside the time.
std::string table_of_best(const ResultSet& results, std::size_t rows, std::size_t width,
                          const std::vector<std::string>& metrics = {});
std::string table_of_pareto_front(const ResultSet& results, std::size_t width);  // empty without a front
std::string table_of_failures(const ResultSet& results, std::size_t width);
std::string table_of_importance(const ResultSet& results, std::size_t width);
// The `rows` largest interactions of at least 0.1 %; empty when there is none.
std::string table_of_interactions(const ResultSet& results, std::size_t rows, std::size_t width);
// A heat map as SVG: main effects on the diagonal, interactions beside it.
std::string plot_interactions_svg(const ResultSet& results);
std::string plot_importance_svg(const ResultSet& results);  // bars
// Every configuration by the first two objectives, and the front; empty without one.
std::string plot_pareto_svg(const ResultSet& results);
// How many configurations reach which share of the best one's performance, a curve for each result; `names` are theirs.
std::string plot_distribution_svg(const std::vector<ResultSet>& results, const std::vector<std::string>& names);
// A heat map of portability() (analysis.h); `names` are those of the results.
std::string plot_portability_svg(const std::vector<ResultSet>& results, const std::vector<std::string>& names);
std::string plot_convergence(const ResultSet& results, std::size_t width, std::size_t height);
std::string plot_convergence_svg(const ResultSet& results);

// Performance of a search strategy at equidistant times of a budget: 0 is random search, 1 the optimum (docs/score.md).
struct PerformanceCurve {
  std::string name;
  std::vector<double> values;
};
// As SVG, for one strategy or several.
std::string plot_performance_svg(const std::string& title, const std::vector<PerformanceCurve>& curves);
// Of applications that tune while they work: which share of the optimum's work was done by then, all overhead included
// (as paper 001, figures 2 and 3), at equidistant times.
std::string plot_amortization_svg(const std::string& title, const std::vector<PerformanceCurve>& curves);

// A C header with one #define set per device, chosen by WATTUNE_DEVICE_<NAME>, and where a device has results of
// several sizes, per size, chosen by WATTUNE_SIZE_<SIZE>, or by a function while a program runs; a single set needs no
// choice. All results must tune the same kernel with the same parameters, those for one device for the same objective:
// of those of one size the best counts. The text depends on nothing but the results. mismatch (among other things two
// names that become one macro), not_found (no correct configuration).
Result<std::string> write_header(const std::vector<ResultSet>& results);

}  // namespace wattune::report

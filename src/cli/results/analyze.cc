// `wattune analyze`: describes recorded search spaces and compares them.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/results/analyze_methods.h"
#include "cli/results/energy_picture.h"
#include "cli/results/measured_kernels.h"
#include "core/interface/energy.h"
#include "core/interface/printable.h"
#include "core/interface/suggest.h"
#include "report/interface/analysis.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "wattune/report/report.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct AnalyzeOptions {
  std::vector<std::string> files;
  std::vector<std::string> others;  // recordings of other kernels, for the method `advised`
  std::string svg;
  std::string plot;  // name of the plot to write; if empty, it depends on the number of files
  bool methods = false;
  bool overwrite = false;
  bool json = false;
};

// Slowdowns against the best. For each of them, configurations within it are counted as "near the best".
constexpr std::array kShares = {0.01, 0.05, 0.10};

constexpr std::size_t kMostShownInteractions = 8;  // largest number of interactions that are shown as text

struct Analysed {
  std::string file;
  ResultSet results;
  report::Distribution distribution;
  std::array<std::size_t, kShares.size()> within{};
  bool describes_space = false;
  report::Centrality centrality;         // computed if the results describe the space
  report::Amortisation amortisation;     // computed if the results describe the space
  std::optional<MethodsReport> methods;  // report on methods; present if the user asked for it
};

Result<Analysed> analyse(const std::string& file, const AnalyzeOptions& options) {
  Analysed analysed;
  analysed.file = file;
  WATTUNE_ASSIGN(analysed.results, store::load_results(file));
  name_energy(analysed.results);
  analysed.distribution = report::distribution_of(analysed.results);
  for (std::size_t s = 0; s < kShares.size(); ++s)
    analysed.within[s] = report::count_within(analysed.results, kShares[s]);
  analysed.describes_space = report::describes_space(analysed.results);
  if (analysed.describes_space) {
    analysed.amortisation = report::amortisation_of(analysed.results);
    analysed.centrality = report::centrality_of(analysed.results, {kShares.begin(), kShares.end()});
  }
  if (!options.methods) return analysed;
  WATTUNE_ASSIGN(const auto others, measured_kernels(options.others, file));
  auto report = report_methods(analysed.results, others);
  if (!report) return std::move(report).error().with_context(file);
  analysed.methods = *std::move(report);
  return analysed;
}

std::string sections(const ResultSet& results, std::size_t width) {
  std::string text = "\nimportance of the parameters\n" + report::table_of_importance(results, width);
  const std::string interactions = report::table_of_interactions(results, kMostShownInteractions, width);
  if (!interactions.empty()) text += "\ninteractions, beyond what both explain alone\n" + interactions;
  const std::string front = report::table_of_pareto_front(results, width);
  if (!front.empty()) text += "\nPareto front\n" + front;
  return text;
}

// Returns a note that the figures are those of the search, if a final was held. (`wattune show` shows the final's
// figures.)
std::string origin_of_figures(const ResultSet& results) {
  const auto is_of_final = [](const Trial& trial) { return trial.observation.in_search.has_value(); };
  return std::ranges::any_of(results.trials, is_of_final) ? " (as the search measured them)" : "";
}

// True if there are enough configurations for quartiles.
bool has_quartiles(const Analysed& analysed) { return analysed.distribution.correct >= 4; }

std::string spread_text(const Analysed& analysed) {
  const std::optional<Objective> objective = report::searched_for(analysed.results);
  const auto text = [&](double value) {
    if (!objective) return format_time(Nanoseconds(value));
    return fmt::format("{:.6g}", objective->maximize ? -value : value);
  };
  const report::Distribution& spread = analysed.distribution;
  const std::string quartiles = has_quartiles(analysed) ? fmt::format(", quartiles {}, {}, {}", text(spread.quarter),
                                                                      text(spread.median), text(spread.three_quarters))
                                                        : "";
  return fmt::format("{:<14}  best {}{}, worst {}{}\n", objective ? objective->metric : "times", text(spread.best),
                     quartiles, text(spread.worst), origin_of_figures(analysed.results));
}

// Returns a sentence with the number of launches after which tuning pays off. Returns an empty text if ratios of the
// objective have no meaning.
std::string amortisation_text(const report::Amortisation& amortisation) {
  if (!(amortisation.launches < 0x1p64)) return {};
  return fmt::format("tuning pays off after {} launches, with {} of random search among them\n",
                     group_digits(static_cast<std::uint64_t>(amortisation.launches)),
                     group_digits(static_cast<std::uint64_t>(amortisation.steps)));
}

// Describes the space. Only spaces that the results cover densely can be described.
std::string space_text(const Analysed& analysed) {
  if (!analysed.describes_space) return "local minima    these results are too few, or lie too far apart, to tell\n";
  std::string text = fmt::format("local minima    {}; centrality of those ", group_digits(analysed.centrality.minima));
  for (std::size_t s = 0; s < kShares.size(); ++s)
    text += fmt::format("{}within {:.0f} % {:.3f}", s == 0 ? "" : ", ", 100 * kShares[s],
                        analysed.centrality.proportions[s]);
  return text + "\n" + amortisation_text(analysed.amortisation);
}

std::string heading(const Analysed& analysed) {
  const report::Distribution& counts = analysed.distribution;
  std::string text = fmt::format("{}: {}{}{}\n", printable(analysed.file), printable(analysed.results.info.kernel_name),
                                 analysed.results.info.device.name.empty() ? "" : " on ",
                                 printable(analysed.results.info.device.name));
  text +=
      fmt::format("configurations  {} correct, {} failed\n", group_digits(counts.correct), group_digits(counts.failed));
  return text;
}

std::string describe(const Analysed& analysed, std::size_t width) {
  std::string text = heading(analysed);
  if (analysed.methods) return text + "\nmethods, replayed\n" + methods_text(*analysed.methods, width);
  if (analysed.distribution.correct == 0) return text;
  if (analysed.results.best() == nullptr) return text + "None of them has a value of the objective.\n";
  text += spread_text(analysed) + "near the best   ";
  for (std::size_t s = 0; s < kShares.size(); ++s)
    text += fmt::format("{}{} within {:.0f} %", s == 0 ? "" : ", ", group_digits(analysed.within[s]), 100 * kShares[s]);
  return text + "\n" + space_text(analysed) + sections(analysed.results, width);
}

std::vector<ResultSet> results_of(const std::vector<Analysed>& all) {
  std::vector<ResultSet> results;
  for (const Analysed& each : all) results.push_back(each.results);
  return results;
}

std::string portability_text(const std::vector<Analysed>& all) {
  std::vector<std::string> header = {"best on"};
  for (std::size_t i = 0; i < all.size(); ++i) header.push_back(fmt::format("[{}]", i + 1));
  auto table = report::TextTable::of_text(header);
  const auto matrix = report::portability(results_of(all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> row = {fmt::format("[{}] {}", i + 1, all[i].file)};
    for (const double share : matrix[i]) row.push_back(std::isnan(share) ? "-" : fmt::format("{:.3f}", share));
    table.add_row(row);
  }
  return "portability: speed of each one's best configuration on the others, as a share of their best\n" +
         table.to_string();
}

// Returns the number as JSON, with null for NaN.
Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

std::string analysis_json(const std::vector<Analysed>& all) {
  Json files = Json::array();
  for (const Analysed& each : all) {
    Json near = Json::array();
    for (std::size_t s = 0; s < kShares.size(); ++s)
      near.push_back({{"slower_by", kShares[s]},
                      {"configurations", each.within[s]},
                      {"centrality", each.describes_space ? number(each.centrality.proportions[s]) : Json()}});
    Json importance = Json::object();
    for (const report::Importance& parameter : report::parameter_importance(each.results))
      importance[parameter.parameter] = json_or_null(parameter.main_effect);
    Json interactions = Json::array();
    for (const report::Interaction& pair : report::parameter_interactions(each.results))
      interactions.push_back({{"parameters", {pair.first, pair.second}}, {"share", pair.share}});
    Json front = Json::array();
    for (const Trial* trial : report::pareto_front(each.results)) front.push_back(to_json(*trial));
    const report::Distribution& times = each.distribution;
    files.push_back({{"file", each.file},
                     {"kernel", each.results.info.kernel_name},
                     {"device", to_json(each.results.info.device)},
                     {"correct", times.correct},
                     {"failed", times.failed},
                     {"objective_quartiles", has_quartiles(each) ? Json{times.best, times.quarter, times.median,
                                                                        times.three_quarters, times.worst}
                                                                 : Json()},
                     {"near_best", near},
                     {"local_minima", each.describes_space ? Json(each.centrality.minima) : Json()},
                     {"amortisation", each.describes_space ? Json{{"steps", each.amortisation.steps},
                                                                  {"launches", each.amortisation.launches}}
                                                           : Json()},
                     {"importance", importance},
                     {"interactions", interactions},
                     {"pareto", front}});
    if (each.methods) files.back().update(methods_json(*each.methods));
  }
  Json matrix = Json::array();
  for (const std::vector<double>& row : report::portability(results_of(all))) {
    Json& cells = matrix.emplace_back(Json::array());
    for (const double share : row) cells.push_back(number(share));
  }
  return dump({{"results", files}, {"portability", matrix}});
}

std::vector<std::string> names_of(const std::vector<Analysed>& all) {
  std::vector<std::string> files;
  for (const Analysed& each : all) files.push_back(each.file);
  return report::telling_names(results_of(all), files);
}

struct Plot {
  std::string_view name;
  std::size_t fewest;  // least number of results that the plot needs
  std::size_t most;
  std::string (*draw)(const std::vector<Analysed>&);
  std::string_view lacks = {};  // the figures that are missing in the results if the plot is not drawn
};

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

// Sets time and energy as the objectives, if the search had fewer than two.
ResultSet with_two_objectives(ResultSet results) {
  if (results.info.objectives.size() < 2) results.info.objectives = {{"time"}, {"energy"}};
  return results;
}

const std::array<Plot, 6> kPlots = {
    {{"interactions", 1, 1,
      [](const std::vector<Analysed>& all) { return report::plot_interactions_svg(all.front().results); }},
     {"importance", 1, 1,
      [](const std::vector<Analysed>& all) { return report::plot_importance_svg(all.front().results); }},
     {"pareto", 1, 1,
      [](const std::vector<Analysed>& all) {
        return report::plot_pareto_svg(with_two_objectives(all.front().results));
      },
      "a Pareto front takes two objectives, or a time and an energy of each configuration"},
     {"energy", 1, 1, [](const std::vector<Analysed>& all) { return draw_energy(all.front().results); },
      "it takes an energy of each configuration and a parameter that is a graphics clock"},
     {"distribution", 1, kAny,
      [](const std::vector<Analysed>& all) { return report::plot_distribution_svg(results_of(all), names_of(all)); }},
     {"portability", 2, kAny,
      [](const std::vector<Analysed>& all) { return report::plot_portability_svg(results_of(all), names_of(all)); }}}};

Result<const Plot*> plot_of(const AnalyzeOptions& options) {
  if (options.svg.empty() && !options.plot.empty())
    return Error(ErrorCode::invalid_argument, "--plot needs --svg FILE to write to");
  const std::string suited = options.files.size() == 1 ? "interactions" : "portability";
  const std::string& name = options.plot.empty() ? suited : options.plot;
  const auto plot = std::ranges::find(kPlots, name, &Plot::name);
  if (plot == kPlots.end()) {
    std::vector<std::string> names;
    for (const Plot& each : kPlots) names.emplace_back(each.name);
    return Error(ErrorCode::not_found, "unknown plot").about(name).hint(suggest(name, names));
  }
  if (options.files.size() > plot->most)
    return Error(ErrorCode::invalid_argument, "this plot takes one RESULT")
        .about(name)
        .hint("plot the others by further commands");
  if (options.files.size() < plot->fewest)
    return Error(ErrorCode::invalid_argument, "this plot compares several RESULTs").about(name);
  return &*plot;
}

Result<void> write_plot(const AnalyzeOptions& options, const Plot& plot, const std::vector<Analysed>& all) {
  const std::string svg = plot.draw(all);
  if (svg.empty())
    return Error(ErrorCode::invalid_argument, fmt::format("the result has nothing to draw: {}", plot.lacks))
        .about(options.files.front());
  return store::write_file(options.svg, svg, options.overwrite);
}

std::string analysis_text(const std::vector<Analysed>& all) {
  std::string text;
  for (const Analysed& each : all) text += (text.empty() ? "" : "\n") + describe(each, terminal_width(STDOUT_FILENO));
  return all.size() > 1 ? text + "\n" + portability_text(all) : text;
}

Result<ExitStatus> run_analyze(const AnalyzeOptions& options) {
  if (!options.others.empty() && !options.methods)
    return Error(ErrorCode::invalid_argument, "--others is for --methods");
  WATTUNE_ASSIGN(const Plot* plot, plot_of(options));
  std::vector<Analysed> all;
  for (const std::string& file : options.files) {
    WATTUNE_ASSIGN(Analysed analysed, analyse(file, options));
    all.push_back(std::move(analysed));
  }
  if (!options.svg.empty()) WATTUNE_TRY(write_plot(options, *plot, all));
  const bool printed = options.json ? print_document(analysis_json(all)) : print_result(analysis_text(all));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_analyze(CLI::App& program) {
  const auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* app =
      program.add_subcommand("analyze", "Say how hard recorded search spaces are, and how results carry over");
  app->add_option("RESULT", options->files, "Result files, preferably of whole spaces; they may be compressed")
      ->type_name("FILE")
      ->required();
  app->add_option("--svg", options->svg, "Write a plot to a file")->type_name("FILE");
  app->add_option("--plot", options->plot,
                  "Which plot: interactions (by default, for one result), importance, pareto, energy, distribution, "
                  "portability (by default, for several)")
      ->type_name("NAME");
  app->add_flag("--methods", options->methods,
                "Compare the procedures that tune code and clocks for energy, replayed on what was recorded");
  app->add_option("--others", options->others,
                  "Recordings of three other kernels or more, at the same clocks of the same board, for the method "
                  "advised")
      ->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing plot");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "With several files of one kernel: how fast each one's best configuration is on the others.\n\n"
      "Examples:\n"
      "  wattune analyze gemm.journal.jsonl\n"
      "  wattune analyze gemm_clocks.json --methods --plot energy --svg energy.svg\n"
      "  wattune analyze hub/convolution__A100.json.xz hub/convolution__A4000.json.xz --json\n"
      "  wattune analyze a100.json a4000.json --plot distribution --svg distribution.svg");
  return {app, [options] { return run_analyze(*options); }};
}

}  // namespace wattune::cli

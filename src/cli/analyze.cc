// `wattune analyze`: what kind of search spaces were recorded, and how they compare.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "wattune/report/analysis.h"
#include "wattune/report/report.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string svg;
  bool overwrite = false;
  bool json = false;
};

// "Near the best" means at most so much slower.
constexpr std::array kShares = {0.01, 0.05, 0.10};

constexpr std::size_t kInteractions = 8;  // in the text

struct Analysed {
  std::string file;
  ResultSet results;
  report::Distribution distribution;
  std::array<std::size_t, kShares.size()> within{};
  report::Centrality centrality;
  report::Amortisation amortisation;
};

Result<Analysed> analyse(const std::string& file) {
  Analysed analysed{.file = file};
  WATTUNE_ASSIGN(analysed.results, store::load_results(file));
  analysed.distribution = report::distribution_of(analysed.results);
  for (std::size_t s = 0; s < kShares.size(); ++s)
    analysed.within[s] = report::count_within(analysed.results, kShares[s]);
  analysed.amortisation = report::amortisation_of(analysed.results);
  analysed.centrality = report::centrality_of(analysed.results, {kShares.begin(), kShares.end()});
  return analysed;
}

std::string sections(const ResultSet& results, std::size_t width) {
  std::string text = "\nimportance of the parameters\n" + report::table_of_importance(results, width);
  const std::string interactions = report::table_of_interactions(results, kInteractions, width);
  if (!interactions.empty()) text += "\ninteractions, beyond what both explain alone\n" + interactions;
  const std::string front = report::table_of_pareto_front(results, width);
  if (!front.empty()) text += "\nPareto front\n" + front;
  return text;
}

std::string describe(const Analysed& analysed, std::size_t width) {
  const report::Distribution& times = analysed.distribution;
  std::string text =
      fmt::format("{}: {}{}{}\n", analysed.file, analysed.results.info.kernel_name,
                  analysed.results.info.device.name.empty() ? "" : " on ", analysed.results.info.device.name);
  text +=
      fmt::format("configurations  {} correct, {} failed\n", group_digits(times.correct), group_digits(times.failed));
  if (times.correct == 0) return text;
  const auto time = [](double nanoseconds) { return format_time(Nanoseconds(nanoseconds)); };
  text += fmt::format("times           best {}, quartiles {}, {}, {}, worst {}\n", time(times.best),
                      time(times.quarter), time(times.median), time(times.three_quarters), time(times.worst));
  text += "near the best   ";
  for (std::size_t s = 0; s < kShares.size(); ++s)
    text += fmt::format("{}{} within {:.0f} %", s == 0 ? "" : ", ", group_digits(analysed.within[s]), 100 * kShares[s]);
  text += fmt::format("\nlocal minima    {}; centrality of those ", group_digits(analysed.centrality.minima));
  for (std::size_t s = 0; s < kShares.size(); ++s)
    text += fmt::format("{}within {:.0f} % {:.3f}", s == 0 ? "" : ", ", 100 * kShares[s],
                        analysed.centrality.proportions[s]);
  text += fmt::format("\ntuning pays off after {:.0f} launches, with {:.0f} of random search among them\n",
                      analysed.amortisation.launches, analysed.amortisation.steps);
  return text + sections(analysed.results, width);
}

std::vector<std::vector<double>> portability_of(const std::vector<Analysed>& all) {
  std::vector<ResultSet> results;
  for (const Analysed& each : all) results.push_back(each.results);
  return report::portability(results);
}

std::string portability_text(const std::vector<Analysed>& all) {
  std::vector<std::string> header = {"best on"};
  for (std::size_t i = 0; i < all.size(); ++i) header.push_back(fmt::format("[{}]", i + 1));
  Table table(header);
  const auto matrix = portability_of(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> row = {fmt::format("[{}] {}", i + 1, all[i].file)};
    for (const double share : matrix[i]) row.push_back(std::isnan(share) ? "-" : fmt::format("{:.3f}", share));
    table.add(row);
  }
  return "portability: speed of each one's best configuration on the others, as a share of their best\n" +
         table.to_string();
}

// NaN as null.
Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

std::string analysis_json(const std::vector<Analysed>& all) {
  Json files = Json::array();
  for (const Analysed& each : all) {
    Json near = Json::array();
    for (std::size_t s = 0; s < kShares.size(); ++s)
      near.push_back({{"slower_by", kShares[s]},
                      {"configurations", each.within[s]},
                      {"centrality", number(each.centrality.proportions[s])}});
    Json importance = Json::object();
    for (const report::Importance& parameter : report::parameter_importance(each.results))
      importance[parameter.parameter] = parameter.main_effect ? Json(*parameter.main_effect) : Json();
    Json interactions = Json::array();
    for (const report::Interaction& pair : report::parameter_interactions(each.results))
      interactions.push_back({{"parameters", {pair.first, pair.second}}, {"share", pair.share}});
    Json front = Json::array();
    for (const Trial* trial : report::pareto_front(each.results)) front.push_back(to_json(*trial));
    const report::Distribution& times = each.distribution;
    files.push_back(
        {{"file", each.file},
         {"kernel", each.results.info.kernel_name},
         {"device", to_json(each.results.info.device)},
         {"correct", times.correct},
         {"failed", times.failed},
         {"objective_quartiles", {times.best, times.quarter, times.median, times.three_quarters, times.worst}},
         {"near_best", near},
         {"local_minima", each.centrality.minima},
         {"amortisation", {{"steps", each.amortisation.steps}, {"launches", each.amortisation.launches}}},
         {"importance", importance},
         {"interactions", interactions},
         {"pareto", front}});
  }
  Json matrix = Json::array();
  for (const std::vector<double>& row : portability_of(all)) {
    Json& cells = matrix.emplace_back(Json::array());
    for (const double share : row) cells.push_back(number(share));
  }
  return dump({{"results", files}, {"portability", matrix}});
}

Result<ExitStatus> run_analyze(const Options& options) {
  if (!options.svg.empty() && options.files.size() != 1)
    return Error(ErrorCode::invalid_argument, "--svg draws one RESULT").hint("name the others in runs of their own");
  std::vector<Analysed> all;
  for (const std::string& file : options.files) {
    WATTUNE_ASSIGN(Analysed analysed, analyse(file));
    all.push_back(std::move(analysed));
  }
  if (!options.svg.empty())
    WATTUNE_TRY(store::write_file(options.svg, report::plot_interactions_svg(all.front().results), options.overwrite));
  std::string text;
  if (options.json) {
    text = analysis_json(all);
  } else {
    for (const Analysed& each : all) text += (text.empty() ? "" : "\n") + describe(each, terminal_width(STDOUT_FILENO));
    if (all.size() > 1) text += "\n" + portability_text(all);
  }
  return print_result(text) ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_analyze(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("analyze", "Say how hard recorded search spaces are, and how results carry over");
  app->add_option("RESULT", options->files, "Result files, best of whole spaces; also compressed")
      ->type_name("FILE")
      ->required();
  app->add_option("--svg", options->svg, "Write importance and interactions of one result as a heat map")
      ->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing plot");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "With several files of one kernel: how fast each one's best configuration is on the others.\n\n"
      "Examples:\n"
      "  wattune analyze gemm.journal.jsonl\n"
      "  wattune analyze hub/convolution__A100.json.xz hub/convolution__A4000.json.xz --json");
  return {app, [options] { return run_analyze(*options); }};
}

}  // namespace wattune::cli

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "cli/program/checked.h"
#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/options.h"
#include "cli/program/terminal.h"
#include "cli/program/text.h"
#include "cli/results/show_wisdom.h"
#include "core/interface/printable.h"
#include "core/interface/suggest.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "wattune/dynamic/wisdom.h"
#include "wattune/report/report.h"
#include "wattune/store/formats.h"

namespace wattune::cli {

namespace {

struct ShowOptions {
  std::string file;
  std::uint64_t top = 10;
  std::vector<std::string> metrics;
  std::string svg;
  bool overwrite = false;
  bool json = false;
};

constexpr std::size_t kPlotHeight = 12;

const Trial* correct_default(const ResultSet& results) {
  const Trial* trial = report::default_trial(results);
  return trial != nullptr && trial->observation.ok() ? trial : nullptr;
}

std::map<Status, std::uint64_t> count_by_status(const ResultSet& results) {
  std::map<Status, std::uint64_t> counts;
  for (const Trial& trial : results.trials) ++counts[trial.observation.status];
  return counts;
}

// Lists the parameters with another role than code, such as "nvml_gr_clock is graphics_clock". Returns an empty text if
// all are code.
std::string roles_text(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    if (parameter.role == ParameterRole::code) continue;
    text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", printable(parameter.name), to_string(parameter.role));
  }
  return text;
}

// Describes with which outputs the run compared its own. Returns an empty text for results of other programs, which do
// not record this.
std::string check_line(const Observation& best, const Identity& identity) {
  if (identity.empty()) return {};
  if (!best.verified) return fmt::format("checked    not verified: {}\n", printable(why_unverified(best)));
  const std::string text = checked_text(best, identity);
  return text.empty() ? text : fmt::format("checked    {}\n", printable(text));
}

std::string facts(const ResultSet& results) {
  std::string text =
      fmt::format("kernel     {}{}{}\ndevice     {}{}\nevaluated  {}: {}\n",
                  results.info.kernel_name.empty() ? "not recorded" : printable(results.info.kernel_name),
                  results.info.problem_size.empty() ? "" : ", problem size ", printable(results.info.problem_size),
                  results.info.device.name.empty() ? "not recorded" : printable(results.info.device.name),
                  results.info.device.kind == DeviceKind::simulated ? ", replayed" : "",
                  counted(results.trials.size(), "configuration"), format_counts(count_by_status(results)));
  if (const std::string roles = roles_text(results.info.parameters); !roles.empty())
    text += fmt::format("roles      {}\n", roles);
  if (const Trial* best = results.best()) {
    text += fmt::format("best       {}  ({})\n", format_time(best->observation.statistics->median),
                        best->configuration.to_string());
    text += check_line(best->observation, results.info.identity);
    if (const std::string warning = report::warning_of(best->observation.metrics); !warning.empty())
      text += fmt::format("warning    {}\n", warning);
  } else if (count_by_status(results)[Status::correct] > 0) {
    text += "best       none: no correct configuration has a value of the objective\n";
  }
  return text;
}

// Checks the names of metrics. Fails with not_found if no recorded configuration has one of them.
Result<void> check_metrics(const ResultSet& results, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const Trial& trial : results.trials)
    for (const Metric& metric : trial.observation.metrics)
      if (std::ranges::count(known, metric.name) == 0) known.push_back(metric.name);
  for (const std::string& name : wanted)
    if (std::ranges::count(known, name) == 0)
      return Error(ErrorCode::not_found, "no configuration has this metric")
          .about(name)
          .hint(known.empty() ? "nothing was recorded beside the time" : suggest(name, known));
  return {};
}

std::string show_text(const ResultSet& results, const ShowOptions& options) {
  const std::size_t width = terminal_width(STDOUT_FILENO);
  const std::size_t wide = table_width(STDOUT_FILENO);
  std::string text = facts(results);
  const auto add = [&](const std::string& title, const std::string& section) {
    if (section.empty()) return;
    text += fmt::format("\n{}\n{}{}", title, section, section.ends_with('\n') ? "" : "\n");
  };
  if (results.best() != nullptr)
    add("best configurations", report::table_of_best(results, options.top, wide, options.metrics));
  add("Pareto front", report::table_of_pareto_front(results, wide));
  add("failures", report::table_of_failures(results, wide));
  if (results.best() != nullptr) {
    add("importance of the parameters", report::table_of_importance(results, width));
    add("convergence", report::plot_convergence(results, width, kPlotHeight));
  }
  return text;
}

Json best_trials(const ResultSet& results, std::size_t rows) {
  Json json = Json::array();
  std::vector<const Trial*> ranked = report::ranked(results);
  const Nanoseconds longest = results.longest_time();
  std::erase_if(ranked, [&](const Trial* trial) { return trial->observation.statistics->median > longest; });
  for (std::size_t i = 0; i < std::min(rows, ranked.size()); ++i) json.push_back(to_json(*ranked[i]));
  return json;
}

Json front_json(const ResultSet& results) {
  Json json = Json::array();
  for (const Trial* trial : report::pareto_front(results)) json.push_back(to_json(*trial));
  return json;
}

Json objectives_json(const ResultSet& results) {
  Json json = Json::array();
  for (const Objective& each : results.info.objectives)
    json.push_back({{"metric", each.metric}, {"maximize", each.maximize}, {"slowdown", json_or_null(each.slowdown)}});
  return json;
}

Json importance_json(const ResultSet& results) {
  Json json = Json::object();
  for (const report::Importance& each : report::parameter_importance(results))
    json[each.parameter] = json_or_null(each.main_effect);
  return json;
}

std::string show_json(const ResultSet& results, std::size_t rows) {
  const Trial* standard = correct_default(results);
  Json json = {{"kernel", results.info.kernel_name},
               {"problem_size", results.info.problem_size},
               {"device", to_json(results.info.device)},
               {"evaluated", results.trials.size()},
               {"by_status", to_json(count_by_status(results))},
               {"checked_against", checked_against(results.info.identity, results.best())},
               {"best", best_trials(results, rows)},
               {"objectives", objectives_json(results)},
               {"pareto", front_json(results)},
               {"default", standard != nullptr ? to_json(*standard) : Json(nullptr)}};
  json.update(speed_up_json(results.best(), standard));
  json["importance"] = importance_json(results);
  json["convergence_ms"] = report::convergence(results);
  return dump(json);
}

Result<ExitStatus> run_show(const ShowOptions& options) {
  if (dynamic::is_wisdom_file(options.file)) return show_wisdom(options.file, options.json);
  WATTUNE_ASSIGN(const ResultSet results, store::load_results(options.file));
  WATTUNE_TRY(check_metrics(results, options.metrics));
  if (!options.svg.empty()) {
    WATTUNE_TRY(store::write_file(options.svg, report::plot_convergence_svg(results), options.overwrite));
  }
  const bool printed =
      options.json ? print_document(show_json(results, options.top)) : print_result(show_text(results, options));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_show(CLI::App& program) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* app = program.add_subcommand("show", "Show the best configurations, failures, importance and convergence");
  app->add_option("RESULT", options->file,
                  "A result file: journal, JSON, T4, Kernel Tuner cache, KTT's JSON or a CSV table with its mapping, "
                  "also compressed; or a wisdom file")
      ->type_name("FILE")
      ->required();
  add_parsed(*app, "--top", options->top, parse_count, "N", "How many of the best configurations")->default_str("10");
  app->add_option("--metrics", options->metrics, "Metrics to show beside the time")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--svg", options->svg, "Write the convergence plot to a file")->type_name("FILE");
  app->add_flag("--overwrite", options->overwrite, "Replace an existing plot");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer(
      "A run that is still going on may be shown.\n\n"
      "Examples:\n"
      "  wattune show gemm.journal.jsonl\n"
      "  wattune show gemm.journal.jsonl --top 3 --svg gemm.svg\n"
      "  wattune show kernel_tuner_cache.json --json");
  return {app, [options] { return run_show(*options); }};
}

}  // namespace wattune::cli

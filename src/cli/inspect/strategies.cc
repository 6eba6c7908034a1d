// `wattune strategies`: lists the values of --strategy and --strategy-option.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>

#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/terminal.h"
#include "report/interface/text.h"
#include "search/interface/unknown_strategy.h"
#include "wattune/search/method.h"
#include "wattune/search/strategy.h"

namespace wattune::cli {

namespace {

using search::StrategyInfo;
using search::StrategyParameter;

struct StrategiesOptions {
  std::string name;
  bool json = false;
};

std::string list() {
  auto table = report::TextTable::of_text({"strategy", "how it searches"});
  for (const StrategyInfo& info : search::strategies()) table.add_row({info.name, info.description});
  auto methods = report::TextTable::of_text({"method", "steps"});
  for (const search::MethodInfo& info : search::methods()) methods.add_row({info.name, info.description});
  return table.to_string() + "\n" + methods.to_string() + "\n`wattune strategies NAME` shows the parameters of one.\n";
}

std::string strategy_text(const StrategyInfo& info) {
  std::string text = fmt::format("{}: {}\n", info.name, info.description);
  if (info.parameters.empty()) return text + "It has no parameters.\n";
  auto table = report::TextTable::of_text({"parameter", "default", "from", "to", "meaning"});
  for (const StrategyParameter& each : info.parameters)
    table.add_row({each.name, fmt::format("{:g}", each.default_value), fmt::format("{:g}", each.minimum),
                   fmt::format("{:g}", each.maximum), each.description});
  return text + "\n" + table.to_string() +
         fmt::format("\nExample: --strategy {} --strategy-option {}={:g}\n", info.name, info.parameters.front().name,
                     info.parameters.front().default_value);
}

Json info_json(const StrategyInfo& info) {
  Json parameters = Json::array();
  for (const StrategyParameter& each : info.parameters)
    parameters.push_back({{"name", each.name},
                          {"default", each.default_value},
                          {"minimum", each.minimum},
                          {"maximum", std::isfinite(each.maximum) ? Json(each.maximum) : Json(nullptr)},
                          {"whole", each.whole},
                          {"description", each.description}});
  return {{"name", info.name}, {"description", info.description}, {"parameters", parameters}};
}

Result<std::vector<StrategyInfo>> named_strategies(const std::string& name) {
  if (name.empty()) return search::strategies();
  if (const StrategyInfo* info = search::find_strategy(name)) return std::vector{*info};
  return search::unknown_strategy(name);
}

Result<ExitStatus> run_strategies(const StrategiesOptions& options) {
  WATTUNE_ASSIGN(const std::vector<StrategyInfo> infos, named_strategies(options.name));
  Json all = Json::array();
  for (const StrategyInfo& info : infos) all.push_back(info_json(info));
  Json methods = Json::array();
  for (const search::MethodInfo& info : search::methods())
    if (options.name.empty()) methods.push_back({{"name", info.name}, {"description", info.description}});
  const bool printed = options.json ? print_document(dump({{"strategies", all}, {"methods", methods}}))
                                    : print_result(options.name.empty() ? list() : strategy_text(infos.front()));
  return printed ? ExitStatus::good : ExitStatus::environment;
}

}  // namespace

Command add_strategies(CLI::App& program) {
  const auto options = std::make_shared<StrategiesOptions>();
  CLI::App* app = program.add_subcommand("strategies", "List the search strategies, or the parameters of one");
  app->add_option("NAME", options->name, "One of them, to see its parameters")->type_name("NAME");
  app->add_flag("--json", options->json, "Print one JSON document (docs/formats/json.md)");
  app->footer("Examples:\n  wattune strategies\n  wattune strategies simulated_annealing");
  return {app, [options] { return run_strategies(*options); }};
}

}  // namespace wattune::cli

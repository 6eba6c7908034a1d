#include "cli/results/score_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/json.h"
#include "cli/program/text.h"
#include "report/interface/text.h"
#include "wattune/report/report.h"

namespace wattune::cli {

namespace {

std::string score_cell(const score::Score& score) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", score.value, score.low, score.high);
}

// Formats the budget of a space, without a unit if the clock counts evaluations.
std::string budget_of(const score::ScoredSpace& space) {
  const double budget = space.baseline.budget();
  return space.clock == tune::ReplayClock::evaluations ? fmt::format("{:.0f}", budget) : format_wait(budget);
}

std::string name_of(const score::StrategyChoice& choice) {
  std::string name = choice.name;
  for (const auto& [parameter, value] : choice.parameters) name += fmt::format(" {}={:g}", parameter, value);
  return name;
}

std::string name_of(const score::StrategyScore& each) {
  const std::string name = name_of(each.strategy);
  return each.recorded_runs == 0 ? name : fmt::format("{} ({} recorded runs)", name, each.recorded_runs);
}

std::string table_of_scores(const ScoreReport& report) {
  std::vector<std::string> header = {"space", "correct", "failed", "cutoff", "budget"};
  for (const score::StrategyScore& each : report.scores) header.push_back(name_of(each));
  auto table = report::TextTable::of_text(header);
  for (std::size_t p = 0; p < report.spaces.size(); ++p) {
    const score::ScoredSpace& space = report.spaces[p];
    const score::Baseline& baseline = space.baseline;
    std::vector<std::string> row = {space.name, group_digits(baseline.valid()), group_digits(baseline.failed()),
                                    group_digits(baseline.evaluations_to(score::kEndShare)), budget_of(space)};
    for (const score::StrategyScore& each : report.scores) row.push_back(score_cell(each.spaces[p].score));
    table.add_row(row);
  }
  std::vector<std::string> mean = {"mean", "", "", "", ""};
  for (const score::StrategyScore& each : report.scores) mean.push_back(score_cell(each.score));
  table.add_row(mean);
  return table.to_string();
}

std::string table_of_ends(const ScoreReport& report) {
  std::vector<std::string> header = {"space"};
  for (const score::StrategyScore& each : report.scores) header.push_back(name_of(each));
  auto table = report::TextTable::of_text(header);
  for (std::size_t p = 0; p < report.spaces.size(); ++p) {
    std::vector<std::string> row = {report.spaces[p].name};
    for (const score::StrategyScore& each : report.scores) {
      const score::SpaceScore& space = each.spaces[p];
      row.push_back(fmt::format("{:.1f} % of the optimum, {:.0f} % found it, {:.0f} evaluations",
                                100.0 * space.share_of_optimum, 100.0 * space.optimum_found, space.evaluations));
    }
    table.add_row(row);
  }
  return table.to_string();
}

std::string table_of_reaches(const ScoreReport& report) {
  std::vector<std::string> header = {"space", "near", "random"};
  for (const score::StrategyReach& each : report.reaches) header.push_back(name_of(each.strategy));
  auto table = report::TextTable::of_text(header);
  for (std::size_t p = 0; p < report.spaces.size(); ++p) {
    const score::SpaceReach& first = report.reaches.front().spaces[p];
    std::vector<std::string> row = {report.spaces[p].name, group_digits(first.near),
                                    fmt::format("{:.0f}", first.random)};
    for (const score::StrategyReach& each : report.reaches)
      row.push_back(fmt::format("{:.4g} ({:.1f}x)", each.spaces[p].median, each.spaces[p].speedup()));
    table.add_row(row);
  }
  std::vector<std::string> mean = {"geometric mean", "", ""};
  for (const score::StrategyReach& each : report.reaches) mean.push_back(fmt::format("{:.2f}x", each.speedup));
  table.add_row(mean);
  return table.to_string();
}

std::string remarks(const ScoreReport& report) {
  std::string text;
  for (const score::StrategyScore& each : report.scores)
    for (std::size_t p = 0; p < report.spaces.size(); ++p)
      if (const std::string& remark = each.spaces[p].remark; !remark.empty())
        text += fmt::format("{}: {}\n", report.spaces[p].name, remark);
  return text.empty() ? text : "\n" + text;
}

// Compares each strategy with the first one.
std::string table_of_comparisons(const ScoreReport& report) {
  auto table = report::TextTable::of_text({"strategy", "difference", "higher on", "p"});
  for (std::size_t s = 1; s < report.scores.size(); ++s) {
    const score::StrategyComparison against = score::compare(report.scores[s], report.scores.front());
    table.add_row({name_of(report.scores[s]), fmt::format("{:.3f}", against.difference),
                   fmt::format("{} of {} spaces", against.higher, report.spaces.size()),
                   fmt::format("{:.3g}", against.p)});
  }
  return table.to_string();
}

bool any_searched(const ScoreReport& report) {
  return std::ranges::any_of(report.scores, [](const score::StrategyScore& each) { return each.recorded_runs == 0; });
}

double not_recorded(const ScoreReport& report) {
  double sum = 0.0;
  for (const score::StrategyScore& each : report.scores)
    for (const score::SpaceScore& space : each.spaces) sum += space.not_recorded;
  return sum;
}

Json score_json(const score::Score& score) { return {{"score", score.value}, {"interval", {score.low, score.high}}}; }

Json space_json(const score::ScoredSpace& space) {
  const score::Baseline& baseline = space.baseline;
  return {{"space", space.name},
          {"device", space.recording.info().device.name},
          {"correct", baseline.valid()},
          {"failed", baseline.failed()},
          {"optimum", baseline.optimum()},
          {"median", baseline.median()},
          {"cutoff_evaluations", baseline.evaluations_to(score::kEndShare)},
          {"median_cost_seconds", baseline.median_cost()},
          {"mean_cost_seconds", baseline.mean_cost()},
          {"start_seconds", baseline.start()},
          {"end_seconds", baseline.end()},
          {"budget_seconds", baseline.budget()}};
}

Json strategy_json(const ScoreReport& report, const score::StrategyScore& each) {
  Json json = {{"strategy", each.strategy.name}, {"parameters", Json::object()}};
  for (const auto& [name, value] : each.strategy.parameters) json["parameters"][name] = value;
  json["recorded_runs"] = each.recorded_runs;
  json.update(score_json(each.score));
  json["deviation"] = each.deviation;
  json["spaces"] = Json::array();
  for (std::size_t p = 0; p < each.spaces.size(); ++p) {
    const score::SpaceScore& space = each.spaces[p];
    Json one = {{"space", report.spaces[p].name}};
    one.update(score_json(space.score));
    one.update({{"share_of_optimum", space.share_of_optimum},
                {"optimum_found", space.optimum_found},
                {"evaluations", space.evaluations},
                {"not_recorded", space.not_recorded},
                {"search_seconds", space.search_seconds},
                {"remark", space.remark}});
    json["spaces"].push_back(std::move(one));
  }
  json["curve"] = each.curve;
  return json;
}

Json reach_json(const ScoreReport& report, const score::StrategyReach& each) {
  Json json = {{"within", report.within}, {"speedup", each.speedup}, {"spaces", Json::array()}};
  for (const score::SpaceReach& space : each.spaces)
    json["spaces"].push_back({{"near", space.near}, {"random", space.random}, {"median", space.median}});
  return json;
}

}  // namespace

std::string score_text(const ScoreReport& report) {
  const std::size_t queue = report.options.ahead;
  const std::string ahead = queue > 1 ? fmt::format("; {} proposals are asked for in advance", queue) : std::string();
  const std::string repeats =
      any_searched(report) ? fmt::format(", {} of each strategy", group_digits(report.options.repeats)) : std::string();
  std::string text = fmt::format(
      "score on replayed spaces: 0 is random search, 1 the optimum from the start; 95 % intervals over the runs{}\n"
      "clock: {}{}\n\n{}\nat the end of the budget, mean of the repeats\n{}",
      repeats, report.clock, ahead, table_of_scores(report), table_of_ends(report));
  if (report.scores.size() > 1 && report.spaces.size() > 1)
    text += fmt::format("\nagainst {}, with the p of a permutation test over the spaces in pairs\n{}",
                        name_of(report.scores.front()), table_of_comparisons(report));
  if (!report.reaches.empty())
    text += fmt::format(
        "\nevaluations until within {:g} % of the optimum, median of the repeats; random search in closed form\n{}",
        100.0 * report.within, table_of_reaches(report));
  if (not_recorded(report) > 0.0)
    text += "\nsome evaluations had no recorded answer and counted as failed (not_recorded in --json)\n";
  return text + remarks(report);
}

std::string score_json(const ScoreReport& report) {
  Json json = {{"clock", report.clock},
               {"repeats", any_searched(report) ? Json(report.options.repeats) : Json(nullptr)},
               {"seed", report.options.seed},
               {"ahead", report.options.ahead},
               {"replayed", true},
               {"spaces", Json::array()},
               {"strategies", Json::array()}};
  for (const score::ScoredSpace& space : report.spaces) json["spaces"].push_back(space_json(space));
  for (const score::StrategyScore& each : report.scores) {
    json["strategies"].push_back(strategy_json(report, each));
    const score::StrategyComparison against = score::compare(each, report.scores.front());
    json["strategies"].back()["against_first"] = {
        {"difference", against.difference}, {"spaces_higher", against.higher}, {"p", against.p}};
  }
  for (std::size_t s = 0; s < report.reaches.size(); ++s)
    json["strategies"][s]["reach"] = reach_json(report, report.reaches[s]);
  return dump(json);
}

std::string score_svg(const ScoreReport& report) {
  std::vector<report::PerformanceCurve> curves;
  for (const score::StrategyScore& each : report.scores)
    curves.push_back({fmt::format("{}: {}", name_of(each), score_cell(each.score)), each.curve});
  std::string title = "Search on " + counted(report.spaces.size(), "replayed space");
  if (any_searched(report)) title += fmt::format(", {} repeats", report.options.repeats);
  return report::plot_performance_svg(title, curves);
}

}  // namespace wattune::cli

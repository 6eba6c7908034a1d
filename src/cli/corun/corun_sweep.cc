#include "cli/corun/corun_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "cli/corun/corun_journal.h"
#include "cli/corun/corun_plans.h"
#include "cli/corun/corun_prospects.h"
#include "cli/corun/corun_rerun.h"
#include "cli/program/text.h"
#include "report/interface/gain_plot.h"
#include "report/interface/text.h"
#include "wattune/core/identity.h"

namespace wattune::cli {

namespace {

using schedule::Arrangement;
using schedule::OutputVerdict;
using schedule::PairVerdict;
using schedule::SweepRow;
using schedule::SweptPair;
using schedule::Way;

constexpr std::size_t kShownSplits = 3;  // number of splits in the text, out of dozens

std::string text_of(const Identity& identity) {
  std::string text;
  for (const auto& [part, value] : identity) text += fmt::format("{}: {}\n", part, value);
  return text;
}

// Returns a text with all facts about one kernel on which the figures of a pair depend. The profile is one of them,
// because it may say that the kernel's persistent twin costs too much.
std::string text_of(const schedule::StageKernel& kernel) {
  return text_of(kernel.identity) + (kernel.traits.persistent ? "" : "without a persistent twin\n");
}

std::string identity_of(const schedule::StageKernel& first, const schedule::StageKernel& second,
                        const schedule::SweepOptions& options) {
  return content_hash(
      fmt::format("{}{}{} rounds, {} ns", text_of(first), text_of(second), options.rounds, options.least_time.value()));
}

Result<SweptPair> sweep_or_find(schedule::CorunSession& session, schedule::KernelId first, schedule::KernelId second,
                                const schedule::SweepOptions& options, SweepJournal* journal) {
  if (journal == nullptr) return session.sweep(first, second, options);
  const std::vector<schedule::StageKernel>& kernels = session.kernels();
  const std::string identity = identity_of(kernels[first], kernels[second], options);
  if (const SweptPair* known = journal->find(identity)) {
    SweptPair pair = *known;
    pair.names = {kernels[first].traits.name, kernels[second].traits.name};
    pair.sweep.kernels = {first, second};
    return pair;
  }
  WATTUNE_ASSIGN(SweptPair pair, session.sweep(first, second, options));
  WATTUNE_TRY(journal->add(identity, pair));
  return pair;
}

std::string times_text(std::size_t times) { return times == 1 ? "once" : fmt::format("{} times", times); }

// Returns all rows except those of splits, of which it returns only the best ones.
std::vector<const SweepRow*> shown_rows(const schedule::PairSweep& sweep) {
  std::vector<const SweepRow*> splits;
  for (const SweepRow& row : sweep.rows)
    if (row.arrangement.way == Way::split && !row.failure) splits.push_back(&row);
  std::ranges::stable_sort(splits, std::ranges::greater(), &SweepRow::gain);
  splits.resize(std::min(splits.size(), kShownSplits));
  std::vector<const SweepRow*> shown;
  for (const SweepRow& row : sweep.rows)
    if (row.arrangement.way != Way::split || std::ranges::count(splits, &row) > 0) shown.push_back(&row);
  return shown;
}

// Returns the gain in work per joule over running whole kernels one after the other; nullopt if joules are unknown.
std::optional<double> energy_gain_of(const schedule::CorunSession& session, const SweptPair& pair,
                                     const SweepRow& row) {
  const auto energy = session.known_energy(row.energy, row.makespan);
  const auto& alone = pair.sweep.energy_alone;
  if (!energy || !alone[0] || !alone[1]) return std::nullopt;
  return (*alone[0] + *alone[1]) / *energy - 1.0;
}

// Formats the gain of a row, with its interval if there were several rounds.
std::string gain_cell(const schedule::PairSweep& sweep, const SweepRow& row) {
  const auto in_sweep = gain_in_sweep(sweep, row);
  return in_sweep ? gain_text(schedule::Gain{row.gain, in_sweep->low, in_sweep->high}) : gain_text(row.gain);
}

std::vector<std::string> cells_of(const schedule::CorunSession& session, const SweptPair& pair, const SweepRow& row,
                                  const SweepRow* best) {
  const std::string mark = &row == best ? "* " : "  ";
  const std::string how = mark + describe(row.arrangement, pair.limits);
  if (row.failure) return {how, "-", "-", "-", "-", "-", row.failure->to_string()};
  const auto energy_gain = energy_gain_of(session, pair, row);
  return {how,
          format_time(row.times[0]),
          format_time(row.times[1]),
          format_time(row.makespan),
          gain_cell(pair.sweep, row),
          energy_gain ? gain_text(*energy_gain) : "-",
          energy_text(session.known_energy(row.energy, row.makespan))};
}

std::string rows_text(const schedule::CorunSession& session, const SweptPair& pair) {
  using Align = report::TextTable::Align;
  report::TextTable table({{"  how", Align::left},
                           {pair.names[0]},
                           {pair.names[1]},
                           {"together"},
                           {"gain"},
                           {"work per joule"},
                           {"energy", Align::left}});
  const PairVerdict verdict = verdict_of(pair);
  const SweepRow* best = verdict.withheld == schedule::Withheld::no ? verdict.best : nullptr;
  for (const SweepRow* row : shown_rows(pair.sweep)) table.add_row(cells_of(session, pair, *row, best));
  return table.to_string();
}

std::string outputs_text(const SweptPair& pair) {
  if (!pair.outputs) return "";
  const OutputVerdict& outputs = *pair.outputs;
  if (pair.is_right()) {
    const std::string rest =
        outputs.not_compared.empty() ? "" : fmt::format(" Not compared: {}.", fmt::join(outputs.not_compared, ", "));
    if (outputs.not_compared.size() == 2) return fmt::format("Outputs:{}\n", rest);
    return fmt::format("Outputs: in each of {} together, run once, the same as alone.{}\n",
                       counted(outputs.compared, "way"), rest);
  }
  return fmt::format("OUTPUTS DIFFER from those of runs alone:\n  {}\n", fmt::join(pair.outputs->differences, "\n  "));
}

std::string pair_text(const schedule::CorunSession& session, const SweptPair& pair) {
  const schedule::PairSweep& sweep = pair.sweep;
  const auto alone = [&](std::size_t i) {
    return fmt::format("{} {} ({})", pair.names[i], format_time(sweep.alone[i]), times_text(sweep.repetitions[i]));
  };
  return fmt::format("alone: {}, {}\n\n{}\n{}{}{}", alone(0), alone(1), rows_text(session, pair), verdict_text(pair),
                     planned_text(pair), outputs_text(pair));
}

Json row_json(const SweptPair& pair, const SweepRow& row) {
  const Arrangement& how = row.arrangement;
  Json json = {{"way", std::string(to_string(how.way))},
               {"ratio", nullptr},
               {"sms_of_first", nullptr},
               {"urgent", nullptr},
               {"times_ms", nullptr},
               {"makespan_ms", nullptr},
               {"gain", nullptr},
               {"interval", nullptr},
               {"makespans_ms", nullptr},
               {"joules", nullptr},
               {"energy_gain", nullptr},
               {"error", nullptr}};
  if (how.way == Way::shares) json["ratio"] = {how.ratio.first, how.ratio.second};
  if (how.way == Way::split) json["sms_of_first"] = how.sms_of_first;
  if (how.way == Way::priority) json["urgent"] = how.urgent;
  if (row.failure) return json["error"] = row.failure->to_string(), json;
  json["times_ms"] = {to_ms(row.times[0]), to_ms(row.times[1])};
  json["makespan_ms"] = to_ms(row.makespan);
  json["gain"] = row.gain;
  json["interval"] = interval_json(gain_in_sweep(pair.sweep, row));
  json["makespans_ms"] = times_json(row.makespans);
  return json;
}

Json place_of(const schedule::PairSweep& sweep, const SweepRow* row) {
  return row == nullptr ? Json(nullptr) : Json(row - sweep.rows.data());
}

// Returns the pair with what only the session knows: its prospect, and energies.
Json full_pair_json(const schedule::CorunSession& session, const Prospect& prospect, const SweptPair& pair) {
  Json json = pair_json(pair);
  json["packing_bound"] = json_or_null(prospect.packing_bound);
  json["complementary"] = json_or_null(prospect.complementary);
  for (std::size_t i = 0; i < pair.sweep.rows.size(); ++i) {
    const SweepRow& row = pair.sweep.rows[i];
    if (row.failure) continue;
    if (const auto energy = session.known_energy(row.energy, row.makespan)) json["rows"][i]["joules"] = energy->value();
    if (const auto gain = energy_gain_of(session, pair, row)) json["rows"][i]["energy_gain"] = *gain;
  }
  return json;
}

}  // namespace

std::string energy_text(std::optional<Joules> energy) {
  return energy ? fmt::format("{:.3g} J", energy->value()) : "-";
}

Result<void> sweep_all(schedule::CorunSession& session, const schedule::SweepOptions& options, SweepJournal* journal,
                       const std::function<Result<void>(SweptPair)>& take) {
  for (schedule::KernelId i = 0; i < session.kernels().size(); ++i)
    for (schedule::KernelId j = i + 1; j < session.kernels().size(); ++j) {
      WATTUNE_ASSIGN(SweptPair pair, sweep_or_find(session, i, j, options, journal));
      WATTUNE_TRY(take(std::move(pair)));
    }
  return {};
}

std::string sweep_text(const schedule::CorunSession& session, const Prospect& prospect, const SweptPair& pair) {
  const std::string bound = prospect.packing_bound ? fmt::format(" ({:.2f})", *prospect.packing_bound) : "";
  const std::string mark = prospect.is_complementary() ? ", complementary" + bound : "";
  return fmt::format("{} with {} on {}{}{}\n{}", pair.names[0], pair.names[1],
                     session.is_simulated() ? "a simulated " : "", session.device(), mark, pair_text(session, pair));
}

Json sweep_json(const schedule::CorunSession& session, const std::vector<Prospect>& prospects,
                const std::vector<SweptPair>& pairs) {
  Json json = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) json.push_back(full_pair_json(session, prospects[i], pairs[i]));
  return json;
}

Json pair_json(const SweptPair& pair) {
  const schedule::PairSweep& sweep = pair.sweep;
  Json json = {{"kernels", pair.names},
               {"packing_bound", nullptr},
               {"complementary", nullptr},
               {"repetitions", sweep.repetitions},
               {"alone_ms", {to_ms(sweep.alone[0]), to_ms(sweep.alone[1])}},
               {"alone_by_round_ms", {times_json(sweep.alone_by_round[0]), times_json(sweep.alone_by_round[1])}},
               {"rows", Json::array()},
               {"best_share", place_of(sweep, sweep.best(schedule::is_share))},
               {"best_baseline", place_of(sweep, sweep.best(schedule::is_baseline))},
               {"planned", planned_json(pair)},
               {"rerun", rerun_json(pair)},
               {"verdict", verdict_json(pair)},
               {"outputs", nullptr}};
  for (const SweepRow& row : sweep.rows) json["rows"].push_back(row_json(pair, row));
  if (pair.outputs)
    json["outputs"] = {{"compared", pair.outputs->compared},
                       {"not_compared", pair.outputs->not_compared},
                       {"differences", pair.outputs->differences}};
  return json;
}

std::string sweep_svg(const schedule::CorunSession& session, const SweptPair& pair) {
  report::GainPlot plot{
      .title = fmt::format("{} with {} on {}, {}", pair.names[0], pair.names[1], session.device(),
                           session.is_simulated() ? "simulated" : "measured"),
      .first = pair.names[0],
      .sharing = {{"every SM shared, by resident blocks", {}}, {"SMs of their own (green contexts)", {}}},
      .baselines = {}};
  for (const SweepRow& row : pair.sweep.rows) {
    const Arrangement& how = row.arrangement;
    if (row.failure) continue;
    if (how.way == Way::shares)
      plot.sharing[0].points.emplace_back(static_cast<double>(how.ratio.first) / (how.ratio.first + how.ratio.second),
                                          row.gain);
    else if (how.way == Way::split)
      plot.sharing[1].points.emplace_back(static_cast<double>(how.sms_of_first) / pair.limits.sms, row.gain);
    else
      plot.baselines.push_back({describe(how, pair.limits), row.gain});
  }
  std::erase_if(plot.sharing, [](const auto& curve) { return curve.points.empty(); });
  return report::plot_gain_svg(plot);
}

}  // namespace wattune::cli

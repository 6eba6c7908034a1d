#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interface/wording.h"
#include "report/best_table.h"
#include "report/interface/analysis.h"
#include "report/interface/interval_plot.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

using Runs = std::vector<const TuningRun*>;
using Names = std::vector<std::string>;

constexpr std::size_t kMostCards = 9;  // most runs with a card of their own

std::string interval_text(const Trial& best) {
  const Statistics& statistics = statistics_of(best);
  if (!statistics.confidence) return {};
  return fmt::format("{} to {}", time_text(statistics.interval_low), time_text(statistics.interval_high));
}

std::string gain_of(const TuningRun& run) {
  if (run.standard == nullptr) return {};
  const auto ratio = gain_over_default(run.best().observation, run.standard->observation);
  return ratio ? fmt::format("{:.2f}", *ratio) : "";
}

std::string gain_interval_of(const TuningRun& run) {
  const auto& paired = run.best().observation.over_default;
  return paired ? fmt::format("{:.2f} to {:.2f}", paired->low, paired->high) : "";
}

std::size_t count_correct(const TuningRun& run) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.results.trials, [](const Trial& trial) { return trial.observation.ok(); }));
}

std::vector<std::string> row_of(const TuningRun& run, const std::string& name) {
  std::vector<std::string> row = {name, run.results.info.device.name, run.results.info.problem_size};
  if (run.has_answer())
    row.insert(row.end(),
               {run.best().configuration.to_string(), time_text(time_of(run.best())), interval_text(run.best()),
                run.objective ? fmt::format("{} {}", objective_text(run.best(), *run.objective), run.objective->metric)
                              : "time",
                gain_of(run), gain_interval_of(run)});
  else
    row.insert(row.end(), {"nothing won", "", "", "", "", ""});
  row.push_back(fmt::format("{} of {}", group_digits(count_correct(run)), group_digits(run.results.trials.size())));
  return row;
}

PageTable table_of_runs(const Runs& runs, const Names& names) {
  PageTable table = PageTable::of(4, {"run", "device", "size", "best configuration", "time", "interval", "searched for",
                                      "times over the default", "interval", "correct"});
  for (std::size_t i = 0; i < runs.size(); ++i) table.rows.push_back(row_of(*runs[i], names[i]));
  return table;
}

// True if the runs tuned one kernel at one size for the least time, so that their best times may be compared.
bool are_alike(const Runs& runs) {
  const RunInfo& first = runs.front()->results.info;
  return std::ranges::all_of(runs, [&](const TuningRun* run) {
    const RunInfo& info = run->results.info;
    return run->has_answer() && !run->objective && info.kernel_name == first.kernel_name &&
           info.problem_size == first.problem_size;
  });
}

// Tells which run found the fastest, if all are alike.
PageCard fastest_card(const Runs& runs, const Names& names) {
  const auto time = [](const TuningRun* run) { return time_of(run->best()); };
  const std::size_t first = static_cast<std::size_t>(std::ranges::min_element(runs, {}, time) - runs.begin());
  const Statistics& its = statistics_of(runs[first]->best());
  PageCard card{.question = "Which run found the fastest", .figure = names[first], .words = {}};
  card.words.push_back(
      fmt::format("Its best takes {} ({}).", time_text(its.median), runs[first]->best().configuration.to_string()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == first) continue;
    const Statistics& other = statistics_of(runs[i]->best());
    const bool meets = its.confidence && other.confidence && other.interval_low <= its.interval_high;
    card.words.push_back(fmt::format("The best of {} takes {} as long{}.", names[i],
                                     times_text(other.median / its.median),
                                     !its.confidence || !other.confidence ? ", without intervals"
                                     : meets                              ? ", and their intervals meet"
                                                                          : ", and their intervals do not meet"));
  }
  card.words.emplace_back("The runs were at different moments, so what changed between them is in no interval.");
  return card;
}

// Tells the answer of a run in short.
PageCard run_card(const TuningRun& run, const std::string& name) {
  PageCard card{.question = name, .figure = "Nothing won", .words = {}};
  if (!run.has_answer()) return card;
  card.figure = run.objective ? fmt::format("{} {}", objective_text(run.best(), *run.objective), run.objective->metric)
                              : time_text(time_of(run.best()));
  card.words.push_back(run.best().configuration.to_string());
  if (const std::string gain = gain_of(run); !gain.empty())
    card.words.push_back(fmt::format("It is {} times as good as the default.", gain));
  return card;
}

void add_intervals_of_times(const Runs& runs, const Names& names, PageSection& section) {
  const TimeUnit unit = unit_for(time_of(runs.front()->best()));
  std::vector<IntervalLine> lines;
  PageTable table = PageTable::of(1, {"run", "time", "from", "to"});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Statistics& its = statistics_of(runs[i]->best());
    lines.push_back({names[i], unit.of(its.median), unit.of(its.interval_low), unit.of(its.interval_high)});
    table.rows.push_back({names[i], time_text(its.median), time_text(its.interval_low), time_text(its.interval_high)});
  }
  section.add_picture(draw_intervals(lines, fmt::format("time of the best ({}), with its interval", unit.name)),
                      "The time of each run's best configuration, with its interval", table);
}

void add_intervals_of_gains(const Runs& runs, const Names& names, PageSection& section) {
  std::vector<IntervalLine> lines;
  PageTable table = PageTable::of(1, {"run", "times over the default", "from", "to"});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]->has_answer() || !runs[i]->best().observation.over_default) continue;
    const PairedGain& gain = *runs[i]->best().observation.over_default;
    lines.push_back({names[i], gain.median, gain.low, gain.high});
    table.rows.push_back({names[i], fmt::format("{:.3f}", gain.median), fmt::format("{:.3f}", gain.low),
                          fmt::format("{:.3f}", gain.high)});
  }
  if (lines.empty()) return;
  section.add_picture(draw_intervals(lines, "times over the default, measured in turns (95 %)"),
                      "What each run's best is worth over its default, with the interval", table);
}

// Shows how fast the best of each run is in the others, if any of them measured it.
void add_portability(const Runs& runs, const Names& names, PageSection& section) {
  std::vector<ResultSet> results;
  for (const TuningRun* run : runs) results.push_back(run->results);
  const auto matrix = portability(results);
  PageTable table = PageTable::of(1, {"best of"});
  bool is_known = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    table.columns.push_back({.title = names[i]});
    std::vector<std::string>& row = table.rows.emplace_back(std::vector<std::string>{names[i]});
    for (std::size_t j = 0; j < runs.size(); ++j) {
      row.push_back(std::isnan(matrix[i][j]) ? "-" : fmt::format("{:.3f}", matrix[i][j]));
      is_known = is_known || (i != j && !std::isnan(matrix[i][j]));
    }
  }
  if (is_known)
    section.add_picture(plot_portability_svg(results, names),
                        "The speed of each run's best configuration in the others, as a share of their best", table);
}

}  // namespace

PageSection comparison_section(const Runs& runs, const Names& names) {
  PageSection section("comparison", "The runs side by side");
  const bool alike = are_alike(runs);
  if (alike) section.add_cards({fastest_card(runs, names)});
  std::vector<PageCard> cards;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostCards); ++i) cards.push_back(run_card(*runs[i], names[i]));
  section.add_cards(cards);
  section.add_table("The best of each run", table_of_runs(runs, names));
  if (alike) add_intervals_of_times(runs, names, section);
  add_intervals_of_gains(runs, names, section);
  add_portability(runs, names, section);
  return section;
}

}  // namespace wattune::report

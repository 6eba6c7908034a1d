#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/interface/wording.h"
#include "report/interface/trials.h"
#include "report/page/tuning_sections.h"
#include "report/time_text.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100.0 * *share) : "?";
}

constexpr const char* kUnknownShare = "A ? stands where these results do not tell a share from chance.";

// The Trials with one value of a parameter.
struct ValueGroup {
  std::vector<double> times;  // nanoseconds, as the search measured them
  std::size_t failed = 0;
};

std::map<std::size_t, ValueGroup> groups_of(const TuningRun& run, std::size_t parameter) {
  const std::vector<Value>& values = run.results.info.parameters[parameter].values;
  std::map<std::size_t, ValueGroup> groups;
  for (const Trial* trial : counting(run.results.trials)) {
    const auto place =
        static_cast<std::size_t>(std::ranges::find(values, trial->configuration.values()[parameter]) - values.begin());
    ValueGroup& group = groups[place];
    if (has_time(*trial))
      group.times.push_back(trial->observation.search_figures().time.value());
    else
      ++group.failed;
  }
  return groups;
}

PageTable table_of_values(const TuningRun& run, std::size_t parameter) {
  const std::vector<Value>& values = run.results.info.parameters[parameter].values;
  PageTable table = PageTable::of(0, {"value", "correct", "failed", "best time", "median time"});
  for (auto& [place, group] : groups_of(run, parameter)) {
    std::vector<double> times = group.times;
    std::ranges::sort(times);
    const auto text_at = [&](std::size_t i) { return times.empty() ? "" : time_text(Nanoseconds(times[i])); };
    table.rows.push_back({place < values.size() ? values[place].to_string() : "another", group_digits(times.size()),
                          group_digits(group.failed), text_at(0), text_at(times.size() / 2)});
  }
  return table;
}

}  // namespace

std::optional<PageSection> importance_section(const TuningRun& run) {
  const std::vector<Importance> importance = parameter_importance(run.results);
  if (!run.has_answer() || importance.empty()) return std::nullopt;
  PageSection section("importance", "Which parameters matter");
  const auto is_known = [](const Importance& each) { return each.main_effect.has_value(); };
  if (!std::ranges::any_of(importance, is_known)) {
    section.add_words(fmt::format("{} are too few, or too alike, to tell which parameters matter.",
                                  counted(run.ranked.size(), "correct result")));
    return section;
  }
  PageTable table = PageTable::of(1, {"parameter", "share that it explains alone"});
  for (const Importance& each : importance) table.rows.push_back({each.parameter, share_text(each.main_effect)});
  section.add_words(
      "The share of the variance of log(time) that each parameter explains alone. It describes the "
      "recorded configurations: where a search looked at the fast ones, it tells what matters there.");
  section.add_picture(plot_importance_svg(run.results), "The importance of the parameters", table);
  if (!std::ranges::all_of(importance, is_known)) section.add_words(kUnknownShare);
  return section;
}

std::optional<PageSection> interactions_section(const TuningRun& run) {
  constexpr std::size_t kMostPairs = 100;
  const std::vector<Interaction> interactions = parameter_interactions(run.results);
  if (!run.has_answer() || interactions.empty()) return std::nullopt;
  PageSection section("interactions", "Interactions");
  PageTable table = PageTable::of(2, {"parameter", "with", "share beyond what both explain alone"});
  for (std::size_t i = 0; i < std::min(interactions.size(), kMostPairs); ++i)
    table.rows.push_back({interactions[i].first, interactions[i].second, share_text(interactions[i].share)});
  section.add_picture(plot_interactions_svg(run.results),
                      "Which pairs of parameters act jointly; the diagonal has what each explains alone", table);
  section.add_words(kUnknownShare);
  return section;
}

std::optional<PageSection> values_section(const TuningRun& run) {
  const std::vector<std::size_t> varied = varied_parameters(run.results);
  if (!run.has_answer() || varied.empty()) return std::nullopt;
  PageSection section("values", "What each value reaches");
  section.add_words(
      "For each value of each parameter: the best and the median time of the search among the "
      "configurations with it.");
  for (const std::size_t i : varied)
    section.add_table_behind(run.results.info.parameters[i].name, table_of_values(run, i));
  return section;
}

}  // namespace wattune::report

// The importance of parameters: the part of the variance of log(time) that each parameter explains alone.
//
// The share is that of a one-way analysis of variance, that is, the variance between levels over the total variance. It
// is corrected for the part that levels explain by chance (Kelley's epsilon squared). For a parameter with k levels
// over n Trials it is
//
//   share = 1 - (1 - SS_between / SS_total) * (n - 1) / (n - k)
//
// so that a parameter without effect gets about 0, whatever its number of values. A negative share is given as 0.
// Shares that chance may have caused are left out (chance.h). There are no shares if there are not more Trials than
// levels of all parameters together, because so many levels explain any measurement. Parameters may depend on each
// other in a space with constraints, or if a search has looked more closely at the fast part. Then shares of two
// parameters can reflect the same cause, and the shares need not add up to 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/interface/printable.h"
#include "report/chance.h"
#include "report/interface/text.h"
#include "report/interface/trials.h"
#include "report/log_times.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

struct Level {
  std::size_t count = 0;
  double sum = 0.0;
};

// Groups the times by the value of the parameter.
std::map<std::string, Level> levels_in(const LogTimes& times, std::size_t parameter) {
  std::map<std::string, Level> levels;
  for (std::size_t i = 0; i < times.trials.size(); ++i) {
    Level& level = levels[times.trials[i]->configuration.values()[parameter].to_string()];
    ++level.count;
    level.sum += times.values[i];
  }
  return levels;
}

// Returns the share that the parameter explains. It is tested as one of `parameters` shares. Returns nullopt if chance
// may have caused it.
std::optional<double> main_effect(const LogTimes& times, std::size_t parameter, std::size_t parameters) {
  const std::map<std::string, Level> levels = levels_in(times, parameter);
  const std::size_t count = times.trials.size();
  if (levels.size() < 2 || count <= levels.size() || !times.differ()) return std::nullopt;
  double between = 0.0;
  for (const auto& [value, level] : levels) between += level.sum * level.sum / static_cast<double>(level.count);
  const ExplainedShare share{between, times.sum_of_squares - between, levels.size() - 1, count - levels.size()};
  if (!is_told_from_chance(share, parameters)) return std::nullopt;
  const auto n = static_cast<double>(count);
  const auto k = static_cast<double>(levels.size());
  return std::clamp(1.0 - (1.0 - between / times.sum_of_squares) * (n - 1) / (n - k), 0.0, 1.0);
}

// Draws a bar whose length is a multiple of an eighth of a character.
std::string bar(double share, std::size_t width) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(width) * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string notes_on(const std::vector<Importance>& importance, std::size_t width) {
  constexpr double kLargestPlainSum = 1.05;  // larger sums of shares exceed 1 by more than rounding and chance
  std::string text;
  double sum = 0.0;
  for (const Importance& each : importance) sum += each.main_effect.value_or(0.0);
  if (!std::ranges::all_of(importance, [](const Importance& each) { return each.main_effect.has_value(); }))
    text += paragraph("?  these results do not tell it from chance", width);
  if (sum > kLargestPlainSum)
    text += paragraph(
        fmt::format("The shares add up to {:.0f} %: parameters that go together explain the same.", 100.0 * sum),
        width);
  return text;
}

}  // namespace

std::size_t least_results(const LogTimes& times, const std::vector<std::size_t>& parameters) {
  std::size_t levels = 1;
  for (const std::size_t parameter : parameters)
    levels += std::max<std::size_t>(levels_in(times, parameter).size(), 1) - 1;
  return levels;
}

std::vector<Importance> parameter_importance(const ResultSet& results) {
  const LogTimes times = log_times(results);
  const std::vector<std::size_t> varied = varied_parameters(results);
  const bool enough = times.trials.size() > least_results(times, varied);
  std::vector<Importance> importance;
  for (const std::size_t i : varied)
    importance.push_back(
        {results.info.parameters[i].name, enough ? main_effect(times, i, varied.size()) : std::nullopt});
  std::stable_sort(importance.begin(), importance.end(),
                   [](const Importance& a, const Importance& b) { return a.main_effect > b.main_effect; });
  return importance;
}

std::string table_of_importance(const ResultSet& results, std::size_t width) {
  const LogTimes times = log_times(results);
  constexpr std::size_t kFewestTrials = 3;
  const std::size_t correct = times.trials.size();
  if (correct < kFewestTrials) return paragraph("Too few correct results to tell which parameters matter.", width);
  const std::vector<Importance> importance = parameter_importance(results);
  if (!times.differ())
    return paragraph(
        fmt::format("{} correct results, whose times do not differ, do not tell which parameters matter.", correct),
        width);
  if (!std::ranges::any_of(importance, [](const Importance& each) { return each.main_effect.has_value(); }))
    return paragraph(fmt::format("{} correct results are too few to tell which parameters matter.", correct), width);
  std::size_t name_width = 0;
  for (const Importance& entry : importance) name_width = std::max(name_width, width_of(entry.parameter));
  const std::size_t used = name_width + 2 + 7 + 2;
  const std::size_t bar_width = width > used ? std::min<std::size_t>(width - used, 50) : 0;

  std::string text = paragraph(fmt::format("share of the variance of log(time), {} correct results", correct), width);
  for (const Importance& entry : importance) {
    const std::string padding(name_width - width_of(entry.parameter), ' ');
    const double share = entry.main_effect.value_or(0.0);
    const std::string line =
        fmt::format("{}{}  {}  {}", printable(entry.parameter), padding,
                    entry.main_effect ? fmt::format("{:5.1f} %", share * 100) : "      ?", bar(share, bar_width));
    text += cut(line.substr(0, line.find_last_not_of(' ') + 1), width) + "\n";
  }
  return text + notes_on(importance, width);
}

}  // namespace wattune::report

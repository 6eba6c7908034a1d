// The interactions of pairs of parameters: the second-order effects of a functional ANOVA (Hutter, Hoos, Leyton-Brown:
// An efficient approach for assessing hyperparameter importance, ICML 2014), over the recorded Trials.
//
// For a pair, Trials with the same values of both parameters form a cell. With m the mean of a cell of c Trials, and
// with alpha + beta the additive model of the two parameters that fits the cells best (least squares),
//
//   SS_joint = sum over the cells of c (m - alpha - beta)^2
//   share    = (SS_joint - df MS_within) / SS_total,   df = cells - rank of the additive model
//
// MS_within, the variance inside the cells, times df is the part that the cells explain by chance (as in
// importance.cc). The additive model is fitted, instead of adding main effects, because constraints may make two
// parameters depend on each other. Then the part that either parameter could explain is not counted as an interaction.
// Shares that chance may have made are left out, as in importance.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/interface/printable.h"
#include "report/chance.h"
#include "report/interface/text.h"
#include "report/log_times.h"
#include "wattune/report/report.h"

namespace wattune::inline v0_1::report {

namespace {

constexpr int kMaxSweeps = 500;  // largest number of sweeps of the additive fit
constexpr double kSweepTolerance = 1e-10;

struct Cell {
  std::size_t a = 0;
  std::size_t b = 0;
  double count = 0.0;
  double mean = 0.0;
};

// Returns, for each Trial, the number of its value of the parameter. Values are numbered in the order in which they
// occur.
std::vector<std::size_t> levels_of(const LogTimes& times, std::size_t parameter) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> levels;
  for (const Trial* trial : times.trials)
    levels.push_back(
        numbers.emplace(trial->configuration.values()[parameter].to_string(), numbers.size()).first->second);
  return levels;
}

std::size_t count_of(const std::vector<std::size_t>& levels) {
  return levels.empty() ? 0 : 1 + *std::ranges::max_element(levels);
}

// Returns the cells that contain at least one Trial. They are ordered by the levels of both parameters.
std::vector<Cell> cells_of(const std::vector<double>& values, const std::vector<std::size_t>& a,
                           const std::vector<std::size_t>& b) {
  std::map<std::pair<std::size_t, std::size_t>, Cell> sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Cell& cell = sums[{a[i], b[i]}];
    cell = {a[i], b[i], cell.count + 1.0, cell.mean + values[i]};
  }
  std::vector<Cell> cells;
  for (auto& [place, cell] : sums) {
    cell.mean /= cell.count;
    cells.push_back(cell);
  }
  return cells;
}

// Sets each level's effect to the mean over its cells, after the effects of the other parameter are subtracted. Returns
// the largest change of an effect.
double adjust(const std::vector<Cell>& cells, std::size_t Cell::*level, std::vector<double>& effects,
              std::size_t Cell::*other, const std::vector<double>& others) {
  std::vector<double> sums(effects.size(), 0.0);
  std::vector<double> counts(effects.size(), 0.0);
  for (const Cell& cell : cells) {
    sums[cell.*level] += cell.count * (cell.mean - others[cell.*other]);
    counts[cell.*level] += cell.count;
  }
  double moved = 0.0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    const double effect = sums[i] / counts[i];
    moved = std::max(moved, std::abs(effect - effects[i]));
    effects[i] = effect;
  }
  return moved;
}

// Computes SS_joint. The additive model is fitted by alternating between the two parameters.
double joint_squares(const std::vector<Cell>& cells, std::size_t levels_a, std::size_t levels_b) {
  std::vector<double> alpha(levels_a, 0.0);
  std::vector<double> beta(levels_b, 0.0);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    adjust(cells, &Cell::a, alpha, &Cell::b, beta);
    if (adjust(cells, &Cell::b, beta, &Cell::a, alpha) < kSweepTolerance) break;
  }
  double squares = 0.0;
  for (const Cell& cell : cells) squares += cell.count * std::pow(cell.mean - alpha[cell.a] - beta[cell.b], 2.0);
  return squares;
}

// Counts the groups of levels that cells connect. In each group, the additive model leaves one constant undetermined.
std::size_t connected_groups(const std::vector<Cell>& cells, std::size_t levels_a, std::size_t levels_b) {
  std::vector<std::size_t> group(levels_a + levels_b);
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  const auto root = [&](std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  std::size_t groups = group.size();
  for (const Cell& cell : cells) {
    const std::size_t a = root(cell.a);
    const std::size_t b = root(levels_a + cell.b);
    if (a == b) continue;
    group[a] = b;
    --groups;
  }
  return groups;
}

// Returns the share that a pair of parameters explains. It is tested as one of `pairs` shares. Returns nullopt if
// chance may have caused it.
std::optional<double> interaction(const LogTimes& times, const std::vector<std::size_t>& a,
                                  const std::vector<std::size_t>& b, std::size_t pairs) {
  const std::vector<Cell> cells = cells_of(times.values, a, b);
  const std::size_t levels_a = count_of(a);
  const std::size_t levels_b = count_of(b);
  const std::size_t freedom = cells.size() + connected_groups(cells, levels_a, levels_b) - levels_a - levels_b;
  if (freedom == 0 || times.values.size() <= cells.size() || !times.differ()) return std::nullopt;
  double between = 0.0;
  for (const Cell& cell : cells) between += cell.count * cell.mean * cell.mean;
  const std::size_t left = times.values.size() - cells.size();
  const ExplainedShare share{joint_squares(cells, levels_a, levels_b), std::max(0.0, times.sum_of_squares - between),
                             freedom, left};
  if (!is_told_from_chance(share, pairs)) return std::nullopt;
  const double chance = static_cast<double>(freedom) * share.unexplained / static_cast<double>(left);
  return std::clamp((share.explained - chance) / times.sum_of_squares, 0.0, 1.0);
}

}  // namespace

std::vector<Interaction> parameter_interactions(const ResultSet& results) {
  const LogTimes times = log_times(results);
  const std::vector<std::size_t> varied = varied_parameters(results);
  std::vector<std::vector<std::size_t>> levels;
  for (const std::size_t parameter : varied) levels.push_back(levels_of(times, parameter));
  std::vector<Interaction> interactions;
  if (times.trials.size() <= least_results(times, varied)) return interactions;
  const std::size_t pairs = varied.size() * (varied.size() - 1) / 2;
  for (std::size_t i = 0; i < varied.size(); ++i)
    for (std::size_t j = i + 1; j < varied.size(); ++j)
      if (const auto share = interaction(times, levels[i], levels[j], pairs))
        interactions.push_back(
            {results.info.parameters[varied[i]].name, results.info.parameters[varied[j]].name, *share});
  std::ranges::stable_sort(interactions, std::greater<>(), &Interaction::share);
  return interactions;
}

std::string table_of_interactions(const ResultSet& results, std::size_t rows, std::size_t width) {
  constexpr double kLeastShownShare = 0.001;
  std::string text;
  for (const Interaction& each : parameter_interactions(results)) {
    if (rows-- == 0 || each.share < kLeastShownShare) break;
    text += cut(fmt::format("{:5.1f} %  {} and {}", each.share * 100, printable(each.first), printable(each.second)),
                width) +
            "\n";
  }
  return text;
}

}  // namespace wattune::report

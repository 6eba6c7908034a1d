#include "wattune/measure/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "measure/interface/median_interval.h"
#include "measure/sampling.h"

namespace wattune::inline v0_1::measure {

namespace {

constexpr double kConfidence = 0.95;

// True if `turns` are worse than `others`: the interval of the median difference, over the rounds that both ran, lies
// above 0.
bool worse(const std::vector<Turn>& turns, const std::vector<Turn>& others, double confidence) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < std::min(turns.size(), others.size()); ++r)
    differences.push_back(turns[r].objective - others[r].objective);
  std::sort(differences.begin(), differences.end());
  const MedianInterval interval = median_interval(differences, confidence);
  return interval.covers && interval.low > 0.0;
}

double median_of(const std::vector<Turn>& turns) {
  std::vector<double> objectives;
  for (const Turn& turn : turns) objectives.push_back(turn.objective);
  std::sort(objectives.begin(), objectives.end());
  return median_interval(objectives, kConfidence).median;
}

// Returns the positions of the contestants that did not drop out.
std::vector<std::size_t> standing_of(std::span<const std::vector<Turn>> contestants) {
  std::size_t most = 0;
  for (const std::vector<Turn>& turns : contestants) most = std::max(most, turns.size());
  std::vector<std::size_t> standing;
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (contestants[i].size() == most) standing.push_back(i);
  return standing;
}

std::vector<std::size_t> winner_and_ties(Verdict verdict) {
  verdict.ties.push_back(verdict.winner);
  std::ranges::sort(verdict.ties);
  return std::move(verdict.ties);
}

// Returns the confidence of each comparison with which all of them hold together with 95 % (Bonferroni).
double confidence_of_each(std::size_t contestants, std::size_t looks) {
  return 1.0 - (1.0 - kConfidence) / static_cast<double>(std::max<std::size_t>(contestants - 1, 1) * looks);
}

// True if so many rounds can show that a contestant is worse. This is so if chance makes it the slower one in each
// round, or the faster one, less often than the confidence allows.
bool may_decide(std::size_t rounds, std::size_t contestants, std::size_t looks) {
  return 1.0 - std::exp2(1.0 - static_cast<double>(rounds)) >= confidence_of_each(contestants, looks);
}

// Returns the turns of the first `complete` rounds.
Rounds complete_rounds(Rounds rounds, std::size_t complete) {
  for (std::vector<Turn>& turns : rounds) turns.resize(std::min(turns.size(), complete));
  return rounds;
}

}  // namespace

std::vector<std::size_t> choose_finalists(std::span<const ObjectiveInterval> configurations, std::size_t most) {
  std::vector<std::size_t> order(configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return configurations[a].value < configurations[b].value; });
  std::vector<std::size_t> finalists;
  for (const std::size_t i : order) {
    if (finalists.size() >= most) break;
    if (configurations[i].low <= configurations[order.front()].high) finalists.push_back(i);
  }
  return finalists;
}

// Takes a turn of two runs, of which the second counts. The first run finds an idle device, and caches that another
// kernel filled. For a short kernel this costs more time than the difference between finalists.
Result<Turn> TimedContestant::take_turn(Nanoseconds warm_up_time) {
  WATTUNE_TRY(warm_up(runner_, warm_up_time));
  WATTUNE_ASSIGN(const std::vector<Sample> samples, runner_.run(2));
  const Sample sample = samples.back();
  if (!is_measurable(sample.time))
    return Error(ErrorCode::launch_failed,
                 fmt::format("a run took {} ns by the device's clock, which cannot be", sample.time.value()));
  return Turn{sample, sample.time.value(), 2.0 * sample.time};
}

Result<Rounds> run_shoot_out(std::span<Contestant* const> contestants, const ShootOutOptions& options,
                             std::size_t& failed) {
  Rounds rounds(contestants.size());
  std::vector<std::size_t> standing = standing_of(rounds);
  Nanoseconds spent;
  for (std::size_t round = 0; round < options.block * options.max_blocks; ++round) {
    for (std::size_t turn = 0; turn < standing.size(); ++turn) {
      if (options.is_over()) {
        const bool decides = may_decide(round, contestants.size(), options.max_blocks);
        return decides ? complete_rounds(std::move(rounds), round) : Rounds();
      }
      failed = standing[(round + turn) % standing.size()];
      WATTUNE_ASSIGN(const Turn taken, contestants[failed]->take_turn(options.warm_up));
      rounds[failed].push_back(taken);
      spent += taken.spent;
      if (options.cancelled()) return Rounds();
    }
    if ((round + 1) % options.block != 0) continue;
    standing = winner_and_ties(judge(rounds, std::nullopt, options.max_blocks));
    if (standing.size() == 1 || spent >= options.max_time) break;
  }
  return rounds;
}

Verdict judge(std::span<const std::vector<Turn>> contestants, std::optional<std::size_t> standard, std::size_t looks) {
  const double confidence = confidence_of_each(contestants.size(), looks);
  const auto is_worse = [&](std::size_t i, std::size_t than) {
    return worse(contestants[i], contestants[than], confidence);
  };
  const std::vector<std::size_t> standing = standing_of(contestants);
  std::vector<std::size_t> eligible = standing;
  if (standard && std::ranges::count(standing, *standard) > 0) {
    std::erase_if(eligible, [&](std::size_t i) { return !is_worse(*standard, i); });
    if (eligible.empty()) eligible = {*standard};
  }
  const auto median = [&](std::size_t i) { return median_of(contestants[i]); };
  Verdict verdict{.winner = *std::ranges::min_element(eligible, {}, median), .ties = {}};
  // Under drift, the lowest median may belong to a contestant other than the one that is better in most rounds.
  for (const std::size_t i : eligible)
    if (is_worse(verdict.winner, i)) verdict.winner = i;
  for (const std::size_t i : standing)
    if (i != verdict.winner && !is_worse(i, verdict.winner)) verdict.ties.push_back(i);
  return verdict;
}

std::optional<PairedGain> paired_gain(std::span<const Turn> of, std::span<const Turn> over) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < std::min(of.size(), over.size()); ++r) {
    const std::optional<double> ratio = gain(of[r].objective, over[r].objective);
    if (!ratio) return std::nullopt;
    ratios.push_back(*ratio);
  }
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const MedianInterval interval = median_interval(ratios, kConfidence);
  return PairedGain{interval.median, interval.low, interval.high};
}

}  // namespace wattune::measure

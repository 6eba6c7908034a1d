#include "tune/final.h"

#include <algorithm>
#include <span>

namespace wattune::tune {

namespace {

std::vector<std::size_t> correct_ones(const std::vector<Trial>& trials) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].observation.ok()) positions.push_back(i);
  return positions;
}

void compare_with_default(Final& final, std::size_t standard, const std::vector<std::size_t>& correct) {
  for (const std::size_t i : correct) {
    if (i == standard) continue;
    final.trials[i].observation.over_default = measure::paired_gain(final.rounds[i], final.rounds[standard]);
  }
}

}  // namespace

std::optional<std::size_t> decide(Final& final, std::size_t finalists, ConfigurationId default_id, std::size_t looks) {
  const std::vector<std::size_t> correct = correct_ones(final.trials);
  if (correct.empty() || correct.front() >= finalists) return std::nullopt;
  measure::Rounds rounds;
  std::optional<std::size_t> standard;  // among the correct ones
  for (const std::size_t i : correct) {
    if (final.trials[i].configuration.id() == default_id) standard = rounds.size();
    rounds.push_back(final.rounds[i]);
  }
  const measure::Verdict verdict = measure::judge(rounds, standard, looks);
  for (const std::size_t i : correct) final.trials[i].observation.final_place = FinalPlace::behind;
  for (const std::size_t tie : verdict.ties) final.trials[correct[tie]].observation.final_place = FinalPlace::tied;
  final.trials[correct[verdict.winner]].observation.final_place = FinalPlace::winner;
  if (standard) compare_with_default(final, correct[*standard], correct);
  return correct[verdict.winner];
}

}  // namespace wattune::tune

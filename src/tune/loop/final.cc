#include "tune/loop/final.h"

#include <algorithm>
#include <span>

namespace wattune::inline v0_1::tune {

namespace {

std::vector<std::size_t> correct_ones(const std::vector<Trial>& trials) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].observation.ok()) positions.push_back(i);
  return positions;
}

std::vector<std::size_t> fast_ones(const Final& final, std::vector<std::size_t> correct) {
  std::erase_if(correct,
                [&](std::size_t i) { return final.trials[i].observation.statistics->median > final.longest_time; });
  return correct;
}

std::optional<std::size_t> place_of(const std::vector<Trial>& trials, ConfigurationId id,
                                    const std::vector<std::size_t>& among) {
  for (std::size_t place = 0; place < among.size(); ++place)
    if (trials[among[place]].configuration.id() == id) return place;
  return std::nullopt;
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
  const std::vector<std::size_t> judged = fast_ones(final, correct);
  if (judged.empty() || judged.front() >= finalists) return std::nullopt;
  measure::Rounds rounds;
  for (const std::size_t i : judged) rounds.push_back(final.rounds[i]);
  const measure::Verdict verdict = measure::judge(rounds, place_of(final.trials, default_id, judged), looks);
  for (const std::size_t i : correct) final.trials[i].observation.final_place = FinalPlace::behind;
  for (const std::size_t tie : verdict.ties) final.trials[judged[tie]].observation.final_place = FinalPlace::tied;
  final.trials[judged[verdict.winner]].observation.final_place = FinalPlace::winner;
  if (const auto standard = place_of(final.trials, default_id, correct))
    compare_with_default(final, correct[*standard], correct);
  return judged[verdict.winner];
}

}  // namespace wattune::tune

#include "wattune/core/trial.h"

namespace wattune {

const Trial* ResultSet::best() const {
  const Trial* winner = nullptr;
  for (const Trial& trial : trials) {
    if (!trial.observation.ok() || trial.observation.final_place != FinalPlace::winner) continue;
    if (winner == nullptr || trial.finished_at > winner->finished_at) winner = &trial;
  }
  const Trial* best = winner;
  for (const Trial& trial : trials) {
    const bool lost = winner != nullptr &&
                      (trial.observation.final_place != FinalPlace::none || trial.finished_at < winner->finished_at);
    if (!trial.observation.ok() || lost) continue;
    if (best == nullptr || trial.observation.objective() < best->observation.objective()) best = &trial;
  }
  return best;
}

}  // namespace wattune

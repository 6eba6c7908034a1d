#include "wattune/core/trial.h"

namespace wattune {

const Trial* ResultSet::best() const {
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (!trial.observation.ok()) continue;
    if (best == nullptr || trial.observation.objective() < best->observation.objective()) best = &trial;
  }
  return best;
}

}  // namespace wattune

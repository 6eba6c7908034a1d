// Proposals: remembers by which acquisition and prediction each proposal was chosen, and learns from the outcomes how
// good acquisitions and predictions are.
#pragma once

#include <unordered_map>

#include "search/models/calibration.h"
#include "search/models/hedge.h"
#include "wattune/search/strategy.h"

namespace wattune::inline v0_1::search {

class Proposals {
 public:
  // Returns the acquisition to use; for `multi`, mostly the one that has gained most.
  std::size_t acquisition(std::size_t wanted, Random& random) const {
    return wanted == multi ? hedge_.draw(random) : wanted;
  }
  void remember(ConfigurationId id, std::size_t acquisition, const Prediction& prediction) {
    awaited_[id] = {acquisition, prediction};
  }
  // Judges a proposal by its outcome. The proposal's acquisition function gains best / time. A failure gains nothing,
  // and tells nothing about predicted times. Outcomes of configurations that no model proposed are ignored.
  void judge(ConfigurationId id, const Outcome& outcome, double best, double response) {
    const auto found = awaited_.find(id);
    if (found == awaited_.end()) return;
    const auto [acquisition, prediction] = found->second;
    awaited_.erase(found);
    hedge_.forget();
    if (!outcome) return;
    if (*outcome > 0.0) hedge_.add(acquisition, best / *outcome);
    calibration_.add(prediction, response);
  }
  // Returns the factor by which predicted deviations are multiplied; at least 1.
  double widening() const { return calibration_.factor(); }

 private:
  struct Choice {
    std::size_t acquisition = 0;
    Prediction prediction;  // the models' prediction for the proposal
  };

  std::unordered_map<ConfigurationId, Choice, IdHash> awaited_;
  Hedge hedge_;
  Calibration calibration_;
};

}  // namespace wattune::search

// Proposals: what those whose outcomes are awaited were chosen by, and what the outcomes say of acquisitions and of
// predictions.
#pragma once

#include <unordered_map>

#include "search/calibration.h"
#include "search/hedge.h"
#include "wattune/search/strategy.h"

namespace wattune::search {

class Proposals {
 public:
  // The acquisition to go by; `multi`: the one that has gained most, mostly.
  std::size_t acquisition(std::size_t wanted, Random& random) const {
    return wanted == multi ? hedge_.draw(random) : wanted;
  }
  void remember(ConfigurationId id, std::size_t acquisition, const Prediction& prediction) {
    awaited_[id] = {acquisition, prediction};
  }
  // A proposal gains its acquisition best / time; a failure gains nothing and says nothing of predicted times. What
  // nobody proposed by a model counts for nothing.
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
  // By which predicted deviations are to be widened; 1 or more.
  double widening() const { return calibration_.factor(); }

 private:
  struct Choice {
    std::size_t acquisition = 0;
    Prediction prediction;  // as the models made it
  };

  std::unordered_map<ConfigurationId, Choice, IdHash> awaited_;
  Hedge hedge_;
  Calibration calibration_;
};

}  // namespace wattune::search

// The results of all runs, as text for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "optimum.h"
#include "run.h"

namespace fourier {

// A tuned run, and a run that knew the best configuration from the beginning.
struct Pair {
  Run oracle, tuned;

  double share() const { return oracle.call() / tuned.call(); }
  // Returns the bound of Petrovic et al. 2020, equation 3, as a share of the optimum's speed: only calls that explore
  // take longer, and nothing else has a cost. It is 1 if no call explored.
  double bound() const;
  // Returns how much of its bound the tuned run reaches if the run's final kernel is taken for the optimum. The
  // kernel's time comes from the run's own calls after the last one that explored, so that other uploads at other times
  // do not matter. nullopt if these calls are fewer than a stretch.
  std::optional<double> share_of_own_bound() const;
};

nlohmann::json to_json(const std::string& device, const Options& options, const Optimum& optimum,
                       const std::vector<Pair>& pairs);
// Prints the main figures of the JSON `result`.
void print(const nlohmann::json& result);

}  // namespace fourier

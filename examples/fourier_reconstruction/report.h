// The results of all runs, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "optimum.h"
#include "run.h"

namespace fourier {

// A tuned run, and a run that knew the optimum from the beginning.
struct Pair {
  Run oracle, tuned;

  double share() const { return oracle.call() / tuned.call(); }
  // Returns the bound of Petrovic et al. 2020, equation 3, as a share of the optimum's speed: calls that explore take
  // longer, and nothing else has a cost. It is 1 if no call explored.
  double bound() const;
  // Returns the share of the bound that results if the run's final kernel takes the place of the optimum. The time of
  // that kernel comes from the run's own calls after the last that explored, so that uploads at other times do not
  // matter. nullopt if fewer than a stretch of such calls are left.
  std::optional<double> share_of_own_bound() const;
};

nlohmann::json to_json(const std::string& device, const Options& options, const Optimum& optimum,
                       const std::vector<Pair>& pairs);
// Prints the main figures of that JSON.
void print(const nlohmann::json& result);

}  // namespace fourier

// What all runs came to, for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "optimum.h"
#include "run.h"

namespace fourier {

// A run, and one with the optimum known before it.
struct Pair {
  Run oracle, tuned;

  double share() const { return oracle.call() / tuned.call(); }
  // Paper 001, equation 3, as a share of the optimum's speed: calls that explore take longer, and nothing else costs
  // anything. 1 where no call explored.
  double bound() const;
  // Of that bound, where the kernel that the run came to takes the place of the optimum: by its own calls after the
  // last that explored, so that uploads of another minute do not count. Nothing where fewer than a stretch are left.
  std::optional<double> share_of_own_bound() const;
};

nlohmann::json to_json(const std::string& device, const Options& options, const Optimum& optimum,
                       const std::vector<Pair>& pairs);
// Of that JSON.
void print(const nlohmann::json& result);

}  // namespace fourier

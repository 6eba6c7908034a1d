// Which pairs `wattune corun` expects to complement each other, told before any of them has run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun_stage.h"
#include "cli/corun_sweep.h"
#include "cli/json.h"
#include "wattune/schedule/counted_use.h"

namespace wattune::cli {

struct Prospect {
  std::array<std::string, 2> names;
  // How much faster than one after the other they can be at most, if both take equally long; none: what one of them
  // uses of the GPU is unknown.
  std::optional<double> packing_bound;

  bool is_complementary() const { return schedule::is_complementary(packing_bound); }
};

// Of every two of the stage's kernels, in the order in which they are swept, as below.
std::vector<Prospect> prospects_of(const CorunStage& stage);

// Empty for a single pair, and where nothing is known of any.
std::string prospects_text(const std::vector<Prospect>& prospects);
Json prospects_json(const std::vector<Prospect>& prospects);

// Of the complementary pairs: how many there are and, of those that were swept, the geometric mean of what the best
// shares gain over the best baseline.
struct ComplementaryGain {
  std::size_t pairs = 0;
  std::optional<double> over_baselines;
  std::string withheld = {};  // of which of these pairs nothing can be said, and why; empty: of none
};
// Precondition: no more pairs than prospects.
ComplementaryGain complementary_gain(const std::vector<Prospect>& prospects, const std::vector<SweptPair>& pairs);
std::string complementary_text(const std::vector<Prospect>& prospects, const ComplementaryGain& gain);
Json complementary_json(const ComplementaryGain& gain);

}  // namespace wattune::cli

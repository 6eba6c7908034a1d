// Lists the pairs that `wattune corun` expects to complement each other, before any of them has run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/corun/corun_sweep.h"
#include "cli/program/json.h"

namespace wattune::cli {

struct Prospect {
  std::array<std::string, 2> names;
  // The largest possible speed-up over running one after the other, if both kernels take equally long. Absent if the
  // use of the GPU by one of them is unknown, or if its measured times contradict the counts.
  std::optional<double> packing_bound;
  // True if one kernel fills a resource that all SMs share, and the other a resource of each SM. Absent if the profiles
  // do not show it.
  std::optional<bool> complementary;

  bool is_complementary() const { return complementary.value_or(false); }
};

// Returns a prospect for every two of the session's kernels, in the order in which they are swept.
std::vector<Prospect> prospects_of(const schedule::CorunSession& session);

// Lists the prospects; empty for a single pair, and if nothing is known of any pair.
std::string prospects_text(const std::vector<Prospect>& prospects);
Json prospects_json(const std::vector<Prospect>& prospects);

// The number of complementary pairs, and the geometric mean of the gains of their best shares over the best baseline,
// among those that were swept.
struct ComplementaryGain {
  std::size_t pairs = 0;
  std::optional<schedule::Gain> over_baselines;
  std::string withheld = {};  // the pair for which no gain is reported, and why; empty if there is none
};
// Computes the gains. Precondition: no more pairs than prospects.
ComplementaryGain complementary_gain(const std::vector<Prospect>& prospects,
                                     const std::vector<schedule::SweptPair>& pairs);
std::string complementary_text(const std::vector<Prospect>& prospects, const ComplementaryGain& gain);
Json complementary_json(const ComplementaryGain& gain);

}  // namespace wattune::cli

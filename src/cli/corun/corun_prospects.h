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
  // use of the GPU by one kernel is unknown, or if that kernel's measured times contradict its counts.
  std::optional<double> packing_bound;
  // True if one kernel fills a resource that all SMs share, and the other a resource of each SM. Absent if the profiles
  // do not show it.
  std::optional<bool> complementary;

  bool is_complementary() const { return complementary.value_or(false); }
};

// Returns a prospect for every pair of the session's kernels, in the order in which the pairs are swept.
std::vector<Prospect> prospects_of(const schedule::CorunSession& session);

// Lists the prospects. Returns an empty text for a single pair, and if nothing is known about any pair.
std::string prospects_text(const std::vector<Prospect>& prospects);
Json prospects_json(const std::vector<Prospect>& prospects);

// The number of complementary pairs, and the geometric mean of the gains of their best shares over the best baseline,
// among those that were swept.
struct ComplementaryGain {
  std::size_t pairs = 0;
  std::optional<schedule::Gain> over_baselines;
  std::string withheld = {};  // the pair whose gain is withheld, and why; empty if no gain is withheld
};
// Computes the gains. Precondition: there are no more pairs than prospects.
ComplementaryGain complementary_gain(const std::vector<Prospect>& prospects,
                                     const std::vector<schedule::SweptPair>& pairs);
std::string complementary_text(const std::vector<Prospect>& prospects, const ComplementaryGain& gain);
Json complementary_json(const ComplementaryGain& gain);

}  // namespace wattune::cli

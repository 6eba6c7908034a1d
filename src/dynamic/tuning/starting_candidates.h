// StartingCandidates: the configurations with which a key may begin, the likeliest first. They are the known
// configurations of this key or of near keys, the application's guesses, the default, and some others. One instance
// uses this object, under its lock.
//
//   while (const auto candidate = starting_candidates.take()) if (try_to_begin(*candidate)) break;
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dynamic/calls/problem.h"
#include "wattune/dynamic/tunable_kernel.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::inline v0_1::dynamic {

class StartingCandidates {
 public:
  // The largest number of near keys whose best configurations are looked up. These configurations probably suit this
  // key, too.
  static constexpr std::size_t kNearKeys = 8;

  // Takes the entries that are known for the kernel, with that of the nearest key first.
  StartingCandidates(const Problem& problem, const std::vector<NearestEntry>& known, const KernelOptions& options);

  // True if the best configuration of the key itself is known as the result of a completed tuning.
  bool is_known() const { return is_known_; }
  // Returns a number that differs after each run in which tuning of the key was cut short. Returns 0 if tuning was not
  // cut short.
  std::uint64_t cut_short() const { return cut_short_; }
  // Returns all candidates except the random ones, including those that were taken.
  const std::vector<Configuration>& promising() const { return promising_; }

  // Returns the likeliest candidate that was not taken. Returns nullptr if all were taken.
  const Configuration* first() const { return left_.empty() ? nullptr : &left_.front(); }
  // Returns at most `most` of the likeliest candidates that were not taken. A random candidate is included only if it
  // is the first.
  std::vector<Configuration> likeliest(std::size_t most) const;
  std::optional<Configuration> take();
  // Removes the configuration from the remaining candidates, if it is one of them.
  void take(const Configuration& configuration) { std::erase(left_, configuration); }

 private:
  bool is_known_;
  std::uint64_t cut_short_;
  std::vector<Configuration> promising_;
  std::deque<Configuration> left_;
};

}  // namespace wattune::dynamic

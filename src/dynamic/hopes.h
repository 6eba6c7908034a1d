// Hopes: which configurations a key may begin with, the likeliest first: what is known of it or of near keys, what the
// application guesses, the default, some others. Of one instance, under its lock.
//
//   while (const auto hope = hopes.take()) if (try_to_begin(*hope)) break;
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "dynamic/problem.h"
#include "wattune/dynamic/tunable_kernel.h"
#include "wattune/dynamic/wisdom.h"

namespace wattune::dynamic {

class Hopes {
 public:
  // Keys whose best is asked for: likely to be good for others too.
  static constexpr std::size_t kNearKeys = 8;

  // `known` of the kernel, of the nearest key first.
  Hopes(const Problem& problem, const std::vector<NearestEntry>& known, const KernelOptions& options);

  // Whether the best of the key itself is known, as what its tuning came to.
  bool is_known() const { return is_known_; }
  // Another number for each time that the key's tuning was cut short, 0 where it was not.
  std::uint64_t cut_short() const { return cut_short_; }
  // All but the others, also when they are taken.
  const std::vector<Configuration>& promising() const { return promising_; }

  // The likeliest that was not taken; nullptr: none is left.
  const Configuration* first() const { return left_.empty() ? nullptr : &left_.front(); }
  // The likeliest that were not taken, at most so many. What is not promising is among them only where it is the first.
  std::vector<Configuration> likeliest(std::size_t most) const;
  std::optional<Configuration> take();
  // Takes it, if it is left.
  void take(const Configuration& configuration) { std::erase(left_, configuration); }

 private:
  bool is_known_;
  std::uint64_t cut_short_;
  std::vector<Configuration> promising_;
  std::deque<Configuration> left_;
};

}  // namespace wattune::dynamic

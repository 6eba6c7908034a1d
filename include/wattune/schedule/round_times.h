// RoundTimes: the times of entrants that ran in turns, and by how much they differ. An entrant is one of the
// alternatives that are compared, such as a policy or an arrangement of two kernels.
//
// In each round every entrant runs once, in an order of the round's own. Only differences within a round count, so that
// drift from round to round affects all alike. All types are values, and any thread may use them.
//
//   RoundTimes rounds{.times = {of_streams, of_paired}};
//   if (const auto gain = gain_over(rounds, 1, 0)) print(gain->gain, gain->low, gain->high);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wattune/core/export.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::schedule {

// The times of all entrants in all rounds.
struct WATTUNE_EXPORT RoundTimes {
  std::vector<std::vector<Nanoseconds>> times = {};  // by entrant, then by round; an entrant that dropped out has fewer
  std::vector<std::vector<std::size_t>> orders = {};  // by round: the entrants in the order in which they ran
  bool is_exact = false;  // virtual time: every run takes the same time, so one round is enough
};

// The speed of one entrant divided by the speed of another, minus one: a share, not percent.
struct WATTUNE_EXPORT Gain {
  double gain = 0.0;  // geometric mean over the rounds
  double low = 0.0;   // lower end of its confidence interval
  double high = 0.0;  // upper end of its confidence interval

  bool excludes_zero() const { return low > 0.0 || high < 0.0; }
  bool operator==(const Gain&) const = default;
};

// Returns the gain with its interval, by Student's distribution of the logarithms of the ratios within a round. The
// intervals of all pairs of entrants hold at once with 95 % (Bonferroni). So equal entrants seem to differ in at most 5
// of 100 tables. Returns nullopt if the two have fewer than two common rounds, or none if times are exact. Returns
// nullopt, too, if a run took no time.
WATTUNE_EXPORT std::optional<Gain> gain_over(const RoundTimes& rounds, std::size_t entrant, std::size_t base);

// Returns the geometric mean of gains that were measured in separate tables, with its interval. Each table has two
// entrants: the base, and the one that is compared with it. Each round is averaged over all tables; rounds that some
// table lacks are left out. Returns nullopt as gain_over() does, and if there is no table.
WATTUNE_EXPORT std::optional<Gain> mean_gain(const std::vector<RoundTimes>& tables);

// The fastest entrant, and those that may be as fast.
struct WATTUNE_EXPORT Standing {
  std::size_t fastest = 0;             // the fastest entrant in the rounds that all entrants have
  std::vector<std::size_t> ties = {};  // entrants that may be as fast, the fastest first; empty if `fastest` has won

  bool operator==(const Standing&) const = default;
};
// Compares all entrants by gain_over(). Returns nullopt if some two cannot be compared, or if there is only one.
WATTUNE_EXPORT std::optional<Standing> standing_of(const RoundTimes& rounds);

// A check of the rounds against a time that is known beforehand: kernels that run one after the other take as long as
// the sum of their times alone.
struct WATTUNE_EXPORT Control {
  double off = 0.0;    // measured time divided by the expected one, minus one: a share
  double limit = 0.0;  // 2 %, or a quarter of the claimed gain if that is more

  bool holds() const { return off <= limit && -off <= limit; }
};
// Returns the Control for a deviation of `off`, with the limit that the claimed gain puts on the deviation.
WATTUNE_EXPORT Control control_of(double off, double claimed_gain);

// Draws the orders in which entrants run, one for each round. In as many rounds as there are entrants, each entrant has
// each place once.
WATTUNE_EXPORT std::vector<std::vector<std::size_t>> balanced_orders(std::size_t entrants, std::size_t rounds,
                                                                     std::uint64_t seed);

}  // namespace wattune::schedule

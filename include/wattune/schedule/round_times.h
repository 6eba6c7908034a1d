// RoundTimes: the times of entrants that ran in turns, and by how much they differ.
//
// In each round every entrant runs once, in an order of its own. Only differences within a round count, so that what
// drifts from round to round meets all alike. Values; any thread.
//
//   RoundTimes rounds{.times = {of_streams, of_paired}};
//   if (const auto gain = gain_over(rounds, 1, 0)) print(gain->gain, gain->low, gain->high);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::schedule {

struct RoundTimes {
  std::vector<std::vector<Nanoseconds>> times = {};   // by entrant, then by round; who dropped out has fewer
  std::vector<std::vector<std::size_t>> orders = {};  // by round: the entrants as they ran
  bool is_exact = false;                              // of virtual time: each run takes the same, and one says all
};

// The speed of one entrant over that of another, less one: shares, not percent.
struct Gain {
  double gain = 0.0;  // of the geometric mean of the rounds
  double low = 0.0;   // ends of its interval
  double high = 0.0;

  bool excludes_zero() const { return low > 0.0 || high < 0.0; }
  bool operator==(const Gain&) const = default;
};

// Returns the gain with its interval, by Student's distribution of the logarithms of the ratios within a round. The
// intervals of every two entrants hold together with 95 % (Bonferroni). So equal entrants are told apart in at most 5
// of 100 tables, however many there are. None: they have fewer than two rounds in common, one where times are exact; or
// something took no time.
std::optional<Gain> gain_over(const RoundTimes& rounds, std::size_t entrant, std::size_t base);

struct Standing {
  std::size_t fastest = 0;             // by the rounds that all have
  std::vector<std::size_t> ties = {};  // who cannot be told from it, the fastest of them first; nobody: it has won

  bool operator==(const Standing&) const = default;
};
// Compares all by gain_over(). None: some two cannot be compared, or there is one only.
std::optional<Standing> standing_of(const RoundTimes& rounds);

// A time that is known beforehand, to judge the rounds by: one after the other all takes as long as each alone.
struct Control {
  double off = 0.0;    // its time over what was to be expected, less one: a share
  double limit = 0.0;  // 2 %, or a quarter of what is claimed, where that is more

  bool holds() const { return off <= limit && -off <= limit; }
};
// Returns the control with its limit for this claim.
Control control_of(double off, double claimed_gain);

// Draws the orders in which entrants run, by round. In as many rounds as there are entrants each has each place once.
std::vector<std::vector<std::size_t>> balanced_orders(std::size_t entrants, std::size_t rounds, std::uint64_t seed);

}  // namespace wattune::schedule

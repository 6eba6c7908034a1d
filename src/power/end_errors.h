// Bounds the error of a counted energy that comes from the two ends of its time. The bound is found from all
// publications within that time.
//
// An end is a publication like the others: its moment is uncertain, it may come late, and it lies within a launch. So
// the publications between the ends show how large the error at an end may be. If they are few, or may hide a part of
// the error, there is no answer, and the caller takes the largest possible error.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

// The difference of a publication from the count that would result if all launches took the same energy.
struct Deviation {
  Nanoseconds at;
  Joules off;
  Joules by_moment;      // largest deviation that the uncertain moment of the publication explains
  std::size_t part = 0;  // number of the part that the publication belongs to, ascending; different parts may follow
                         // different trends
};

// Returns the standard deviation of the publications about a straight line, or, if parts are long enough, about one for
// each part. Returns nullopt if there are fewer than sixteen of them. Also returns nullopt if they deviate less than
// moments that fall anywhere between two readings would: then readings and publications keep step, and both ends may
// have the same error. `most_by_moment` is the deviation that half a period of the counter explains.
std::optional<Joules> scatter_of(const std::vector<Deviation>& deviations, Joules most_by_moment);

// Returns the bound of the energy between two of so many publications.
Joules bound_of_ends(Joules scatter, std::size_t publications);

// Returns the bound for 95 % of the energy between two of few publications, by their scatter about a straight line. It
// is 0 if there are fewer than four, or so many that scatter_of() answers, or if their moments explain the scatter.
Joules bound_of_few(const std::vector<Deviation>& deviations);

// Returns the standard deviation of a publication, however small. If parts are so short that one line must do for all,
// it is no more than moments that fall anywhere between two readings explain.
Joules noise_of(const std::vector<Deviation>& deviations);

// Returns by how much the most deviating publication deviates from its neighbours, beyond what their moments and a
// launch of this energy explain. Such a publication came late, or the one before it is missing.
Joules furthest_of(const std::vector<Deviation>& deviations, Joules launch);

}  // namespace wattune::power

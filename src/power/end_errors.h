// Bounds the error of a counted energy at the ends of its time, from all publications within the time.
//
// An end is a publication like the others. Its moment is uncertain, it may come late, and it lies within a launch. So
// the publications between the ends show how far these may be off. If they are few, or may hide a part of it, there is
// no answer, and the caller takes the largest error that can be.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "wattune/core/units.h"

namespace wattune::inline v0_1::power {

// A publication, compared with the count if all launches took the same energy.
struct Deviation {
  Nanoseconds at;
  Joules off;
  Joules by_moment;      // largest deviation that the uncertainty of its moment explains
  std::size_t part = 0;  // publications of different parts may follow different trends; ascending
};

// Returns the standard deviation of the publications about a straight line, or, if parts are long enough, about one for
// each part. Returns nullopt if there are fewer than sixteen of them. Also returns nullopt if they deviate less than
// moments do that fall anywhere between two readings: then readings and publications keep step, and both ends may be
// off by the same trend. `most_by_moment` is what half a period of the counter explains.
std::optional<Joules> scatter_of(const std::vector<Deviation>& deviations, Joules most_by_moment);

// Returns the bound of the energy between two of so many publications.
Joules bound_of_ends(Joules scatter, std::size_t publications);

// Returns the bound for 95 % of the energy between two of few publications, by their scatter about a straight line. It
// is 0 if there are fewer than four, or so many that scatter_of() answers.
Joules bound_of_few(const std::vector<Deviation>& deviations);

// Returns by how much the most deviating publication deviates from its neighbours, beyond what their moments and a
// launch of this energy explain. It came late, or one before it was left out.
Joules furthest_of(const std::vector<Deviation>& deviations, Joules launch);

}  // namespace wattune::power

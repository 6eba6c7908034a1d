// Part: the configurations of a space in which some parameters keep to some of their values, as a space of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "wattune/space/search_space.h"

namespace wattune::search {

// By parameter: the places of the values that it keeps, ascending, at least one.
using KeptValues = std::vector<std::vector<std::uint16_t>>;

// Every value of every parameter.
KeptValues all_values(const space::SearchSpace& whole);

class Part {
 public:
  // `whole` outlives it. A space of up to a million configurations is listed; a larger one is built anew from its
  // constraints, which are all that it has. invalid_argument: nothing is left.
  static Result<Part> of(const space::SearchSpace& whole, KeptValues kept, const std::vector<Constraint>& constraints);

  const space::SearchSpace& space() const { return part_; }
  // The id in the whole space of one of this. None: the whole space has no such configuration.
  std::optional<ConfigurationId> to_whole(ConfigurationId id) const;
  // The other way; none: it is not in this part.
  std::optional<ConfigurationId> from_whole(ConfigurationId id) const;

 private:
  Part(const space::SearchSpace& whole, KeptValues kept, space::SearchSpace part)
      : whole_(&whole), kept_(std::move(kept)), part_(std::move(part)) {}

  const space::SearchSpace* whole_;
  KeptValues kept_;
  space::SearchSpace part_;
};

}  // namespace wattune::search

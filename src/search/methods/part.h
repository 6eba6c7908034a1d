// Part: a part of a space as a space of its own. Each parameter keeps some of its values, and the part has the valid
// configurations with these values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::search {

// The positions of the values that each parameter keeps, ascending, at least one.
using KeptValues = std::vector<std::vector<std::uint16_t>>;

// Returns every value of every parameter.
KeptValues all_values(const space::SearchSpace& whole);

class Part {
 public:
  // Makes the part of a space, which outlives it. A space of up to a million configurations is listed. A larger one is
  // built anew from `constraints` and `predicates`, which must be all of the whole space. Fails with invalid_argument
  // if nothing is left.
  static Result<Part> of(const space::SearchSpace& whole, KeptValues kept, const std::vector<Constraint>& constraints,
                         const std::vector<space::Predicate>& predicates);

  const space::SearchSpace& space() const { return part_; }
  // Returns the id in the whole space of a configuration of this part; nullopt if the whole space has no such
  // configuration.
  std::optional<ConfigurationId> to_whole(ConfigurationId id) const;
  // Returns the id in this part of a configuration of the whole space; nullopt if the configuration is not in this
  // part.
  std::optional<ConfigurationId> from_whole(ConfigurationId id) const;

 private:
  Part(const space::SearchSpace& whole, KeptValues kept, space::SearchSpace part)
      : whole_(&whole), kept_(std::move(kept)), part_(std::move(part)) {}

  const space::SearchSpace* whole_;
  KeptValues kept_;
  space::SearchSpace part_;
};

}  // namespace wattune::search

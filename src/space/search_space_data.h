// The data of a SearchSpace: the declared system, the diagram, and the terms that the diagram does not enforce.
#pragma once

#include "space/diagram/constraint_system.h"
#include "space/diagram/diagram.h"
#include "space/diagram/path_search.h"
#include "space/diagram/tested_terms.h"
#include "wattune/space/search_space.h"

namespace wattune::inline v0_1::space {

struct SearchSpace::Data {
  ConstraintSystem system;
  Diagram diagram;
  std::vector<std::uint32_t> unchecked;               // terms to test for each configuration; empty if it is exact
  std::unique_ptr<const TestedTerms> tested;          // those terms compiled for tests; nullptr if the space is exact
  ConfigurationId witness = 0;                        // a valid id
  bool draws_pay = true;                              // true if enough configurations are valid for drawing at random
  std::vector<std::vector<std::uint16_t>> occurring;  // for each level the values on its edges, ascending
  std::vector<std::uint64_t> occurring_before;  // for each level how many values occur above; at the end their sum
  Configuration::Names names;
  BuildReport report;
  std::string content_hash;

  // Tells whether the configuration meets the terms that the diagram does not enforce. Precondition: the diagram holds
  // it.
  bool passes_unchecked(const ValueIndices& indices) const { return !tested || tested->hold(indices); }

  // A change of one value of a configuration that keeps it valid, with the id of the result.
  struct Change {
    std::size_t level = 0;
    std::uint16_t value = 0;
    Uint128 id = 0;
  };

  ValueIndices indices_of(Uint128 id) const;

  // Returns the first valid id in this order of edges. Returns nullopt if no id is valid, or if the search takes too
  // many steps. This function and all below serve relaxed diagrams, which do not enforce all constraints.
  std::optional<Uint128> first(const PathSearch::Order& order) const;
  // Returns a valid id whose configuration keeps as many values of `id` as possible; its other values are drawn.
  Uint128 found_near(Uint128 id, Random& random) const;
  // Returns the id that is reached from a valid one by random changes of one value at a time, where each change keeps
  // the id valid.
  Uint128 moved(Uint128 id, Random& random) const;
  // Draws a random change; returns nullopt if the change would not be valid. All valid changes are equally likely.
  std::optional<Change> draw_change(TestedConfiguration& here, Random& random) const;
  // Erases the neighbours that are not valid. `indices` describe the configuration whose neighbours are given.
  void keep_valid(const ValueIndices& indices, std::vector<ConfigurationId>& neighbours) const;
  // Returns the approximate number of steps for one walk from the root to the end.
  std::size_t steps_of_path() const;
};

}  // namespace wattune::space

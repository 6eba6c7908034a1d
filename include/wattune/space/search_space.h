// SearchSpace: the set of valid configurations, as a counted decision diagram.
//
// The diagram has one level per parameter. Prefixes that later constraints cannot tell apart share a node, and
// every edge carries how many valid configurations lie before it, so that counting, the id of a configuration
// (rank), the configuration of an id (unrank), uniform sampling and neighbours all cost a walk down the levels,
// however many configurations there are. Ids are dense, start at 0, and are the same on every machine for the same
// parameters and constraints. Immutable after build; safe to share between threads.
//
//   WATTUNE_ASSIGN(auto space, SearchSpace::build(spec.parameters, spec.constraints));
//   Random random(1);
//   Configuration c = space.configuration(space.sample(random));
//
// Method: docs/space.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/parameter.h"
#include "wattune/core/random.h"
#include "wattune/core/result.h"
#include "wattune/space/build_report.h"

namespace wattune::space {

// A constraint in C++: the names it reads, and a function of their values in that order.
struct Predicate {
  std::vector<std::string> names;
  std::function<bool(std::span<const Value>)> holds;
  std::string description;  // for messages
};

// One value index per parameter, in the order of the parameters. Unset means free.
using ValueIndices = std::vector<std::uint16_t>;
using PartialIndices = std::vector<std::optional<std::uint16_t>>;

enum class Neighbourhood {
  hamming,   // exactly one parameter differs, to any value
  adjacent,  // every parameter moves by at most one place among the values it takes in some valid configuration
  strictly_adjacent,  // every parameter moves by at most one place in its list of values (Kernel Tuner's definitions)
};

// A constraint that a configuration breaks.
struct Violation {
  std::string constraint;
  SourcePosition position;
};

struct BuiltSpace;

class SearchSpace {
 public:
  // invalid_argument: duplicate or no values, unknown name (with the nearest one), a division by zero or wrong types in
  // a constraint that some otherwise valid configuration reaches, no valid configuration at all (naming a smallest set
  // of constraints that excludes everything, where found); out_of_range: overflow in a constraint, or more than 2^128
  // configurations; cancelled.
  static Result<SearchSpace> build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                                   std::vector<Predicate> predicates = {}, const BuildOptions& options = {});

  // The space of exactly these configurations, in any order, such as the recorded ones of a space whose constraints are
  // unknown. Ids follow the order of the values. invalid_argument: no configuration, duplicate or no values;
  // out_of_range: a position outside a parameter's list.
  static Result<SearchSpace> from_list(std::vector<Parameter> parameters, std::vector<ValueIndices> configurations);

  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;
  ~SearchSpace();

  const std::vector<Parameter>& parameters() const;
  const BuildReport& report() const;
  // Of parameters, values, constraints (predicates: names and description) and the diagram: equal hashes mean
  // equal ids.
  const std::string& content_hash() const;

  // False when the state budget forced the lazy fallback: then count() is an upper bound, and ids may be invalid.
  bool exact() const;
  Uint128 count() const;
  // The product of all value counts, as a double when it exceeds 128 bits.
  double cartesian_count() const;

  // Precondition of the functions that take an id: id < count() and, where !exact(), valid(id).
  ConfigurationId rank(const ValueIndices& indices) const;  // precondition: contains(indices)
  void unrank(ConfigurationId id, ValueIndices& indices) const;
  Configuration configuration(ConfigurationId id) const;
  bool contains(const ValueIndices& indices) const;
  bool valid(ConfigurationId id) const;  // id < count(), and in the space

  // not_found (unknown or missing name, value outside the list: says which), invalid_argument (breaks constraints).
  Result<ConfigurationId> find(std::span<const std::pair<std::string, Value>> values) const;
  Result<ConfigurationId> find(const ValueIndices& indices) const;
  // Every constraint that these values break; empty for a valid configuration.
  std::vector<Violation> violations(const ValueIndices& indices) const;
  // The defaults if they are valid together; else the valid configuration nearest in number of changed parameters,
  // lowest id first. A missing default is the first value, but of what is set on the board the highest.
  ConfigurationId default_configuration() const;

  // Each valid configuration equally likely; where !exact() and few of the diagram's configurations are valid, about
  // so.
  ConfigurationId sample(Random& random) const;
  // min(n, count) distinct ids, one drawn from each of n equal slices of the id range (where !exact(), from near a
  // slice that shows no valid one, and fewer where they are the same).
  std::vector<ConfigurationId> sample_stratified(std::size_t n, Random& random) const;
  // How many valid configurations agree with the fixed parameters (an upper bound where !exact()).
  Uint128 count_given(const PartialIndices& fixed) const;
  // Valid configurations per value of one parameter (position in parameters()).
  std::vector<Uint128> count_per_value(std::size_t parameter) const;

  // Valid neighbours, ascending, without `id` itself. The adjacent kinds may reach 3^parameters configurations: beyond
  // `limit`, only those that change the fewest parameters (all with one change, and with two, and so on, as long
  // as they keep within the limit).
  std::vector<ConfigurationId> neighbours(ConfigurationId id, Neighbourhood kind, std::size_t limit = 100'000) const;

  // One of the Hamming neighbours, each equally likely; nullopt: there is none, or where !exact() none was met.
  std::optional<ConfigurationId> random_neighbour(ConfigurationId id, Random& random) const;

  // A valid configuration near a point between the values, which has one coordinate per parameter, in places of its
  // list: in the diagram's order each parameter takes the value nearest to its coordinate (of two, the lower place)
  // that the parameters before it leave valid.
  ConfigurationId project(std::span<const double> point) const;

  // The next valid id at or after `id`; nullopt at the end, or where !exact() and some millions of steps show none. for
  // (auto id = next(0); id; id = next(*id + 1))
  std::optional<ConfigurationId> next(ConfigurationId id) const;

 private:
  struct Data;
  static Result<SearchSpace> assemble(std::unique_ptr<Data> data, BuiltSpace built);
  // False: no configuration is valid. invalid_argument: none was found; cancelled.
  Result<bool> find_witness(const std::function<bool()>& cancelled);
  explicit SearchSpace(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace wattune::space

// SearchSpace: the set of valid configurations, as a counted decision diagram. BuildOptions limit the cost of building
// it, and BuildReport tells that cost.
//
// The diagram has one level per parameter. Prefixes that later constraints cannot tell apart share a node, and every
// edge carries the number of valid configurations before it. So counting, the id of a configuration (rank), the
// configuration of an id (unrank), uniform sampling and neighbours all cost a walk down the levels, however many
// configurations there are. Ids are dense, start at 0, and are the same on every machine for the same parameters and
// constraints. Immutable after build; safe to share between threads.
//
//   WATTUNE_ASSIGN(auto space, SearchSpace::build(spec.parameters, spec.constraints));
//   Random random(1);
//   Configuration c = space.configuration(space.sample(random));
//
// Method: docs/space.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/core/configuration.h"
#include "wattune/core/export.h"
#include "wattune/core/parameter.h"
#include "wattune/core/random.h"
#include "wattune/core/result.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::space {

// The limits on the cost of building a search space.
struct WATTUNE_EXPORT BuildOptions {
  // The largest number of states that the builder may create per order of the parameters (a state has 32 bytes; larger
  // ones count as several). If it would need more, it sets aside the constraint that needs them, and falls back to
  // another method.
  std::size_t state_budget = 1'000'000;
  // The largest number of configurations that are tested one by one against the constraints that were set aside. If the
  // other constraints admit more configurations, the space is lazy, that is, SearchSpace::exact() is false.
  std::size_t materialise_limit = 20'000'000;
  // A function that is called every few milliseconds. If it returns true, the build ends with the code cancelled. It
  // has no other effect on the space.
  std::function<bool()> cancelled = {};
};

// The cost of building a search space, and its method.
struct WATTUNE_EXPORT BuildReport {
  Nanoseconds build_time;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t bytes = 0;           // bytes of the finished diagram
  std::size_t states = 0;          // prefixes that the builder looked at
  std::vector<std::string> order;  // parameters from the root down
  std::string fallback;            // why the exact diagram was not used, and the remedy; normally empty
};

// A constraint in C++: the names it reads, and a function of their values in that order.
struct WATTUNE_EXPORT Predicate {
  std::vector<std::string> names;
  std::function<bool(std::span<const Value>)> holds;
  std::string description;  // description for messages
};

// One value index per parameter, in the order of the parameters. An index that is not set leaves the parameter free.
using ValueIndices = std::vector<std::uint16_t>;
using PartialIndices = std::vector<std::optional<std::uint16_t>>;

// The rule by which two configurations are neighbours.
enum class Neighbourhood {
  hamming,   // exactly one parameter differs, to any value
  adjacent,  // every parameter moves by at most one place in the list of values that it takes in valid configurations
  strictly_adjacent,  // every parameter moves by at most one place in its list of values (Kernel Tuner's definitions)
};

// A constraint that a configuration breaks.
struct WATTUNE_EXPORT Violation {
  std::string constraint;
  SourcePosition position;
};

struct BuiltSpace;

// A set of valid configurations.
class WATTUNE_EXPORT SearchSpace {
 public:
  // Builds the space. Fails with invalid_argument for duplicate values, for a parameter without values, or for a
  // default that is not among the values. Fails with the same code if an otherwise valid configuration reaches a
  // division by zero or wrong types in a constraint, or if no configuration is valid. The error names a smallest set of
  // constraints that excludes everything, if it was found. Fails with not_found for an unknown name (the hint has the
  // nearest one), with parse_error, and with cancelled. Fails with out_of_range for an overflow in a constraint or more
  // than 2^128 configurations.
  static Result<SearchSpace> build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                                   std::vector<Predicate> predicates = {}, const BuildOptions& options = {});

  // Builds the space of exactly these configurations, in any order, such as the recorded ones of a space whose
  // constraints are unknown. Ids follow the order of the values. Fails with invalid_argument if there is no
  // configuration, if a parameter has no values, or if values are duplicate. Fails with out_of_range for a position
  // outside a parameter's list.
  static Result<SearchSpace> from_list(std::vector<Parameter> parameters, std::vector<ValueIndices> configurations);

  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;
  ~SearchSpace();

  const std::vector<Parameter>& parameters() const;
  const BuildReport& report() const;
  // Returns the hash of parameters, values, constraints and the diagram. Predicates count by their names and
  // description. Equal hashes mean equal ids.
  const std::string& content_hash() const;

  // Tells whether the diagram holds only valid configurations. The result is false if the state budget forced the lazy
  // fallback. Then count() is an upper bound, and ids may be invalid.
  bool exact() const;
  Uint128 count() const;
  // Returns the product of all value counts, as a double because it may exceed 128 bits.
  double cartesian_count() const;

  // Returns the id of a configuration. The functions below that take an id have the precondition id < count() and,
  // unless exact(), valid(id).
  ConfigurationId rank(const ValueIndices& indices) const;  // precondition: contains(indices)
  void unrank(ConfigurationId id, ValueIndices& indices) const;
  Configuration configuration(ConfigurationId id) const;
  bool contains(const ValueIndices& indices) const;
  bool valid(ConfigurationId id) const;  // Tells whether id < count() and the id's configuration is in the space.

  // Finds the id of a configuration. Fails with not_found and the name (unknown or missing name, value outside the
  // list), or with invalid_argument if the configuration breaks constraints.
  Result<ConfigurationId> find(std::span<const std::pair<std::string, Value>> values) const;
  Result<ConfigurationId> find(const ValueIndices& indices) const;
  // Returns every constraint that these values break; empty for a valid configuration.
  std::vector<Violation> violations(const ValueIndices& indices) const;
  // Returns the configuration of the defaults if it is valid; otherwise the valid configuration in which the fewest
  // parameters differ from the defaults, and among several the one with the lowest id. A parameter without a default
  // counts with its first value, or with its highest if it is a clock or a power limit.
  ConfigurationId default_configuration() const;

  // Draws a valid configuration; each is equally likely. If !exact() and few of the diagram's configurations are valid,
  // this holds only approximately.
  ConfigurationId sample(Random& random) const;
  // Returns min(n, count) distinct ids, one drawn from each of n equal slices of the id range. If !exact(), a slice in
  // which no valid id is found gives one near it, and equal ids are merged, so there may be fewer.
  std::vector<ConfigurationId> sample_stratified(std::size_t n, Random& random) const;
  // Returns the number of valid configurations for each value of one parameter (given by its position in parameters()).
  std::vector<Uint128> count_per_value(std::size_t parameter) const;

  // Returns the valid neighbours, ascending, without `id` itself. The adjacent kinds may have 3^parameters neighbours.
  // Beyond `limit`, only those that change the fewest parameters are returned (all with one change, then all with two,
  // and so on, as long as they keep within the limit).
  std::vector<ConfigurationId> neighbours(ConfigurationId id, Neighbourhood kind, std::size_t limit = 100'000) const;

  // Draws one of the Hamming neighbours, each of them equally likely. Returns nullopt if there is none, or if !exact()
  // and none was found.
  std::optional<ConfigurationId> random_neighbour(ConfigurationId id, Random& random) const;

  // Returns a valid configuration near a point. The point has one coordinate per parameter: a place in its list of
  // values, which need not be a whole number. In the diagram's order, each parameter takes a value that the parameters
  // before it leave valid. It takes the value nearest to its coordinate, and the one at the lower place if two are
  // equally near.
  ConfigurationId project(std::span<const double> point) const;

  // Returns the next valid id at or after `id`; nullopt at the end, or if !exact() and some millions of steps find
  // none. Usage:
  //   for (auto id = next(0); id; id = next(*id + 1))
  std::optional<ConfigurationId> next(ConfigurationId id) const;

 private:
  struct Data;
  static Result<SearchSpace> assemble(std::unique_ptr<Data> data, BuiltSpace built);
  // Searches for a valid configuration. Returns false if there is none. Fails with invalid_argument if none was found
  // within the limit of steps, and with cancelled.
  Result<bool> find_witness(const std::function<bool()>& cancelled);
  explicit SearchSpace(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace wattune::space

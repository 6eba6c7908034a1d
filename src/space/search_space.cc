#include "wattune/space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interface/suggest.h"
#include "core/stopwatch.h"
#include "space/diagram/conflict.h"
#include "space/listed_space.h"
#include "space/neighbours.h"
#include "space/search_space_data.h"
#include "space/space_builder.h"
#include "wattune/core/identity.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr int kHashVersion = 1;                // to be increased if the ids of equal declarations change
constexpr std::size_t kNextSteps = 4'000'000;  // most steps of one call of next(); they take a few tenths of a second

Error empty_space(const ConstraintSystem& system, const std::function<bool()>& cancelled) {
  const std::vector<std::uint32_t> conflict = find_conflict(system, cancelled);
  if (conflict.empty()) {
    return Error(ErrorCode::invalid_argument, "the constraints leave no valid configuration");
  }
  std::string texts;
  for (std::uint32_t c : conflict) texts += fmt::format("{}`{}`", texts.empty() ? "" : ", ", system.constraint_text(c));
  const bool alone = conflict.size() == 1;
  return Error(ErrorCode::invalid_argument,
               alone ? fmt::format("no configuration meets the constraint {}", texts)
                     : fmt::format("no configuration meets these constraints together: {}", texts))
      .at(system.constraint_position(conflict.front()));
}

// Returns the bytes to hash. The length is written before each declaration, so that different specs never give the same
// bytes. The diagram is included because it determines the meaning of every id. It does so also if functions of the
// caller (predicates) decide which configurations are valid.
std::string hashed_bytes(const ConstraintSystem& system, const Diagram& diagram, bool exact) {
  std::string text = fmt::format("wattune space {} {}", kHashVersion, exact ? "exact" : "relaxed");
  const auto append = [&](std::string_view part) { text += fmt::format("\n{}:{}", part.size(), part); };
  for (const Parameter& parameter : system.parameters) {
    append(parameter.name);
    for (const Value& value : parameter.values) {
      append(fmt::format("{} {}", static_cast<int>(value.kind()), value.to_string()));
    }
  }
  for (const Constraint& constraint : system.constraints) append(constraint.expression);
  for (const Predicate& predicate : system.predicates) {
    for (const std::string& name : predicate.names) append(name);
    append(predicate.description);
  }
  diagram.serialise(text);
  return text;
}

std::vector<std::vector<std::uint16_t>> occurring_values(const Diagram& diagram) {
  std::vector<std::vector<std::uint16_t>> result;
  std::uint32_t node = Diagram::root();
  std::uint32_t next_level = 1;
  for (std::size_t l = 0; l < diagram.levels(); ++l) {
    std::vector<std::uint16_t>& values = result.emplace_back();
    for (const std::uint32_t level_end = next_level; node < level_end; ++node) {
      for (EdgeId edge = diagram.first_edge(node); edge < diagram.end_edge(node); ++edge) {
        values.push_back(diagram.value(edge));
        next_level = std::max(next_level, diagram.child(edge) + 1);
      }
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return result;
}

}  // namespace

SearchSpace::SearchSpace(std::unique_ptr<Data> data) : data_(std::move(data)) {}
SearchSpace::SearchSpace(SearchSpace&&) noexcept = default;
SearchSpace& SearchSpace::operator=(SearchSpace&&) noexcept = default;
SearchSpace::~SearchSpace() = default;

Result<SearchSpace> SearchSpace::build(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                                       std::vector<Predicate> predicates, const BuildOptions& options) {
  const Stopwatch stopwatch;
  auto data = std::make_unique<Data>();
  ConstraintSystem& system = data->system;
  system.parameters = std::move(parameters);
  system.constraints = std::move(constraints);
  system.predicates = std::move(predicates);
  WATTUNE_TRY(compile_system(system));

  std::vector<std::uint32_t> terms(system.terms.size());
  for (std::uint32_t t = 0; t < terms.size(); ++t) terms[t] = t;
  WATTUNE_ASSIGN(BuiltSpace built, build_space(system, terms, options));
  if (built.empty) return empty_space(system, options.cancelled);
  WATTUNE_ASSIGN(SearchSpace space, assemble(std::move(data), std::move(built)));
  WATTUNE_ASSIGN(const bool any_valid, space.find_witness(options.cancelled));
  if (!any_valid) return empty_space(space.data_->system, options.cancelled);
  space.data_->report.build_time = stopwatch.elapsed();
  return space;
}

Result<SearchSpace> SearchSpace::from_list(std::vector<Parameter> parameters,
                                           std::vector<ValueIndices> configurations) {
  const Stopwatch stopwatch;
  auto data = std::make_unique<Data>();
  data->system.parameters = std::move(parameters);
  WATTUNE_TRY(compile_system(data->system));
  WATTUNE_ASSIGN(BuiltSpace built, build_listed_space(data->system, std::move(configurations)));
  WATTUNE_ASSIGN(SearchSpace space, assemble(std::move(data), std::move(built)));
  space.data_->report.build_time = stopwatch.elapsed();
  return space;
}

// Makes a space from the diagrams of its components, with all the tables that its queries need.
Result<SearchSpace> SearchSpace::assemble(std::unique_ptr<Data> data, BuiltSpace built) {
  const ConstraintSystem& system = data->system;
  WATTUNE_ASSIGN(data->diagram, Diagram::assemble(built.components, built.domains));
  data->unchecked = std::move(built.unchecked);
  if (!data->unchecked.empty())
    data->tested = std::make_unique<TestedTerms>(system, data->diagram, built.domains, data->unchecked);
  data->occurring = occurring_values(data->diagram);
  data->occurring_before = {0};
  for (const auto& values : data->occurring)
    data->occurring_before.push_back(data->occurring_before.back() + values.size());
  data->names = std::make_shared<const std::vector<std::string>>(names_of(system.parameters));
  data->content_hash = wattune::content_hash(hashed_bytes(system, data->diagram, data->unchecked.empty()));

  BuildReport& report = data->report;
  report.nodes = data->diagram.nodes();
  report.edges = data->diagram.edges();
  report.bytes = data->diagram.bytes();
  report.states = built.states;
  report.fallback = std::move(built.fallback);
  for (std::size_t l = 0; l < data->diagram.levels(); ++l) {
    report.order.push_back(system.parameters[data->diagram.parameter(l)].name);
  }
  return SearchSpace(std::move(data));
}

const std::vector<Parameter>& SearchSpace::parameters() const { return data_->system.parameters; }
const BuildReport& SearchSpace::report() const { return data_->report; }
const std::string& SearchSpace::content_hash() const { return data_->content_hash; }
bool SearchSpace::exact() const { return data_->unchecked.empty(); }
Uint128 SearchSpace::count() const { return data_->diagram.count(); }

double SearchSpace::cartesian_count() const {
  double product = 1;
  for (const Parameter& parameter : parameters()) product *= static_cast<double>(parameter.values.size());
  return product;
}

ConfigurationId SearchSpace::rank(const ValueIndices& indices) const { return *data_->diagram.find(indices); }

void SearchSpace::unrank(ConfigurationId id, ValueIndices& indices) const { data_->diagram.unrank(id, indices); }

Configuration SearchSpace::configuration(ConfigurationId id) const {
  ValueIndices indices;
  unrank(id, indices);
  std::vector<Value> values;
  for (std::size_t p = 0; p < indices.size(); ++p) values.push_back(parameters()[p].values[indices[p]]);
  return Configuration(id, data_->names, std::move(values));
}

bool SearchSpace::contains(const ValueIndices& indices) const {
  return indices.size() == parameters().size() && data_->diagram.find(indices) && data_->passes_unchecked(indices);
}

bool SearchSpace::valid(ConfigurationId id) const {
  if (id >= count()) return false;
  if (exact()) return true;
  ValueIndices indices;
  unrank(id, indices);
  return data_->passes_unchecked(indices);
}

Result<ConfigurationId> SearchSpace::find(std::span<const std::pair<std::string, Value>> values) const {
  PartialIndices given(parameters().size());
  for (const auto& [name, value] : values) {
    const auto parameter = std::ranges::find(parameters(), name, &Parameter::name);
    if (parameter == parameters().end()) {
      return Error(ErrorCode::not_found, fmt::format("unknown parameter `{}`", name))
          .hint(suggest(name, *data_->names));
    }
    const auto listed = std::ranges::find(parameter->values, value);
    if (listed == parameter->values.end()) {
      std::vector<std::string> texts;
      for (const Value& v : parameter->values) texts.push_back(v.to_string());
      return Error(ErrorCode::not_found, fmt::format("parameter `{}` has no value {}", name, value.to_string()))
          .hint(suggest(value.to_string(), texts));
    }
    given[static_cast<std::size_t>(parameter - parameters().begin())] =
        static_cast<std::uint16_t>(listed - parameter->values.begin());
  }
  ValueIndices indices;
  for (std::size_t p = 0; p < given.size(); ++p) {
    if (!given[p]) return Error(ErrorCode::not_found, fmt::format("no value for parameter `{}`", parameters()[p].name));
    indices.push_back(*given[p]);
  }
  return find(indices);
}

Result<ConfigurationId> SearchSpace::find(const ValueIndices& indices) const {
  if (indices.size() != parameters().size()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("{} values for {} parameters", indices.size(), parameters().size()));
  }
  for (std::size_t p = 0; p < indices.size(); ++p) {
    if (indices[p] < parameters()[p].values.size()) continue;
    return Error(ErrorCode::not_found,
                 fmt::format("parameter `{}` has no value number {}", parameters()[p].name, indices[p]));
  }
  if (contains(indices)) return rank(indices);
  std::string texts;
  for (const Violation& violation : violations(indices)) {
    texts += fmt::format("{}`{}`", texts.empty() ? "" : ", ", violation.constraint);
  }
  return Error(ErrorCode::invalid_argument, texts.empty() ? "this configuration is not in the list"
                                                          : fmt::format("this configuration breaks {}", texts));
}

std::vector<Violation> SearchSpace::violations(const ValueIndices& indices) const {
  const ConstraintSystem& system = data_->system;
  const std::vector<Cell> cells = system.evaluate(indices);
  std::vector<Violation> result;
  std::uint32_t last = ~std::uint32_t{0};
  for (const Term& term : system.terms) {
    if (term.constraint == last || system.holds(term, cells)) continue;
    last = term.constraint;
    result.push_back({system.constraint_text(last), system.constraint_position(last)});
  }
  return result;
}

std::vector<Uint128> SearchSpace::count_per_value(std::size_t parameter) const {
  return data_->diagram.count_per_value(static_cast<std::uint32_t>(parameter), parameters()[parameter].values.size());
}

std::vector<ConfigurationId> SearchSpace::neighbours(ConfigurationId id, Neighbourhood kind, std::size_t limit) const {
  const Diagram& diagram = data_->diagram;
  ValueIndices indices;
  unrank(id, indices);
  std::vector<ConfigurationId> ids;
  if (kind == Neighbourhood::hamming) {
    ids = hamming_neighbours(diagram, indices);
  } else {
    std::vector<std::vector<std::uint16_t>> allowed;
    for (std::size_t l = 0; l < diagram.levels(); ++l) {
      const std::vector<std::uint16_t>& values = data_->occurring[l];
      const std::uint16_t own = indices[diagram.parameter(l)];
      const auto place = std::ranges::lower_bound(values, own);
      std::vector<std::uint16_t>& near = allowed.emplace_back();
      const auto consider = [&](std::uint16_t value) {
        if (kind == Neighbourhood::adjacent || std::abs(int{value} - int{own}) <= 1) near.push_back(value);
      };
      if (place != values.begin()) consider(*(place - 1));
      near.push_back(own);
      if (place + 1 != values.end()) consider(*(place + 1));
    }
    ids = box_neighbours(diagram, indices, allowed, limit);
  }
  if (!exact()) data_->keep_valid(indices, ids);
  return ids;
}

std::optional<ConfigurationId> SearchSpace::next(ConfigurationId id) const {
  if (id >= count()) return std::nullopt;
  if (exact()) return id;
  std::size_t steps = kNextSteps;
  PathSearch search(data_->diagram, *data_->tested);
  const auto ascending = [](std::size_t, std::vector<EdgeId>&) {};
  return search.find(ascending, steps, id) == PathSearch::End::found ? std::optional(search.id()) : std::nullopt;
}

}  // namespace wattune::space

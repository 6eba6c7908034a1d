#include "space/space_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "space/diagram/restriction.h"

namespace wattune::inline v0_1::space {

namespace {

using Terms = std::vector<std::uint32_t>;

// Steps for each state of the budget after which terms are set aside by halves instead of a few at a time. These steps
// may take some ten seconds.
constexpr std::size_t kBuilderStepsPerState = 256;
using Assignment = std::vector<std::pair<std::uint32_t, std::uint16_t>>;

struct Component {
  std::vector<std::uint32_t> variables;
  Terms terms;
};

// Groups the variables with more than one value. Variables are in the same group if terms connect them, directly or
// through other variables.
std::vector<Component> find_components(const Domains& domains, const Scopes& scopes,
                                       std::span<const std::uint32_t> terms) {
  std::vector<std::uint32_t> leader(domains.values.size());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::uint32_t variable) {
    while (leader[variable] != variable) variable = leader[variable] = leader[leader[variable]];
    return variable;
  };
  for (std::uint32_t t : terms) {
    for (std::uint32_t variable : scopes[t]) {
      const auto [low, high] = std::minmax({find(variable), find(scopes[t].front())});
      leader[high] = low;
    }
  }
  std::vector<Component> components;
  std::vector<std::size_t> component_of(domains.values.size());
  for (std::uint32_t variable = 0; variable < domains.values.size(); ++variable) {
    if (domains.width(variable) < 2) continue;
    if (find(variable) == variable) {
      component_of[variable] = components.size();
      components.emplace_back();
    }
    components[component_of[find(variable)]].variables.push_back(variable);
  }
  for (std::uint32_t t : terms) {
    if (!scopes[t].empty()) components[component_of[find(scopes[t].front())]].terms.push_back(t);
  }
  return components;
}

// Returns an error such as "division by zero in `%` at a=0, b=3".
Error fault_error(const ConstraintSystem& system, std::uint32_t term, const Domains& domains,
                  const Assignment& assignment) {
  const std::uint32_t constraint = system.terms[term].constraint;
  ValueIndices indices(system.parameters.size());
  for (std::size_t p = 0; p < indices.size(); ++p) indices[p] = domains.values[p].front();
  for (const auto& [variable, value] : assignment) indices[variable] = value;

  const bool is_expression = constraint < system.constraints.size();
  const std::vector<std::string>& names = is_expression
                                              ? system.expressions[constraint].names()
                                              : system.predicates[constraint - system.constraints.size()].names;
  std::string place;
  const auto value_of = [&](std::string_view name) -> const Value* {
    const auto parameter = std::ranges::find(system.parameters, name, &Parameter::name);
    return &parameter->values[indices[static_cast<std::size_t>(parameter - system.parameters.begin())]];
  };
  for (const std::string& name : names) {
    place += fmt::format("{}{}={}", place.empty() ? " at " : ", ", name, value_of(name)->to_string());
  }
  Error cause(ErrorCode::invalid_argument, "a constraint threw an exception");
  if (is_expression) {
    Result<bool> value = system.expressions[constraint].evaluate_bool(value_of);
    if (!value) cause = std::move(value).error();
  }
  return Error(cause.code(), cause.message() + place)
      .at(is_expression ? cause.position() : SourcePosition())
      .about(system.constraint_text(constraint))
      .hint("guard it, as in `x != 0 and ...`, or exclude this configuration by another constraint");
}

class SpaceBuilder {
 public:
  SpaceBuilder(const ConstraintSystem& system, std::span<const std::uint32_t> terms, const BuildOptions& options)
      : system_(system), terms_(terms), options_(options), stop_(options.cancelled) {}

  Result<BuiltSpace> build() {
    space_.domains = system_.domains;
    filter_domains(system_, terms_, space_.domains);
    space_.empty = space_.domains.any_empty();
    if (space_.empty) return std::move(space_);
    narrow_scopes();
    const ConstraintProgram constant = check_constant_terms();
    if (space_.empty) return std::move(space_);
    for (const Component& component : find_components(space_.domains, scopes_, terms_)) {
      build_component(component);
      if (stop_.is_given()) return Error(ErrorCode::cancelled, "building the space was stopped");
      if (space_.empty) return std::move(space_);
    }
    if (fault_) return fault_error(system_, fault_->term, space_.domains, fault_->assignment);
    if (!constant.always_faulty.empty()) {
      return fault_error(system_, constant.always_faulty.front(), space_.domains, {});
    }
    return std::move(space_);
  }

 private:
  void narrow_scopes() {
    for (const Term& term : system_.terms) {
      std::vector<std::uint32_t>& scope = scopes_.emplace_back(term.scope);
      std::erase_if(scope, [&](std::uint32_t variable) { return space_.domains.width(variable) < 2; });
    }
  }

  // Compiles the terms whose parameters all have a single value. Records whether one of these terms excludes every
  // configuration.
  ConstraintProgram check_constant_terms() {
    std::vector<Root> roots;
    for (std::uint32_t t : terms_) {
      if (scopes_[t].empty()) roots.push_back({system_.terms[t].root, t});
    }
    ConstraintProgram program = compile(system_.graph, roots, {}, space_.domains, system_.predicates);
    space_.empty = program.contradiction;
    return program;
  }

  // Sets terms aside until the rest can be built. If no term is left, every combination of the component's values is
  // valid.
  void build_component(const Component& component) {
    constexpr std::size_t kUnlimited = std::size_t{1} << 40;
    Terms kept = component.terms;
    Terms aside;
    for (std::size_t steps = 0; !stop_.is_given();) {
      const std::size_t state_budget = kept.empty() ? kUnlimited : options_.state_budget;
      ComponentBuilder builder(system_, space_.domains, scopes_, component.variables, kept, state_budget, stop_);
      std::optional<ComponentDiagram> built = builder.build();
      if (!built) {
        steps += builder.steps();
        const Terms culprits =
            steps > kBuilderStepsPerState * options_.state_budget ? wider_half(kept) : builder.culprits();
        std::erase_if(kept, [&](std::uint32_t t) { return std::ranges::find(culprits, t) != culprits.end(); });
        aside.insert(aside.end(), culprits.begin(), culprits.end());
        continue;
      }
      space_.states += built->states;
      const bool finished = built->diagram.empty || (aside.empty() && check_faults(builder, *built));
      if (finished) return add(std::move(built->diagram));
      return fall_back(*built, aside);
    }
  }

  // Returns the half of the terms with the widest scopes, at least one term.
  Terms wider_half(Terms terms) const {
    std::ranges::stable_sort(terms, std::greater(), [&](std::uint32_t t) { return scopes_[t].size(); });
    terms.resize((terms.size() + 1) / 2);
    return terms;
  }

  // Records the first fault that no other term of the component excludes. Returns false if finding faults exceeds the
  // budget.
  bool check_faults(const ComponentBuilder& builder, const ComponentDiagram& built) {
    for (std::uint32_t term : built.faulty) {
      const std::optional<LayeredDiagram> faults = builder.build_faults_of(term);
      if (!faults) return false;
      if (!faults->empty && !fault_) fault_ = FaultFound{term, first_configuration(*faults, space_.domains)};
    }
    return true;
  }

  void add(LayeredDiagram diagram) {
    space_.empty = diagram.empty;
    space_.components.push_back(std::move(diagram));
  }

  // Tests the terms that the diagram does not enforce, that is, those that were set aside or that fault. If testing
  // takes too long, these terms are tested when configurations are drawn.
  void fall_back(ComponentDiagram& built, const Terms& aside) {
    Terms tested = aside;
    tested.insert(tested.end(), built.faulty.begin(), built.faulty.end());
    const double paths = approximate_count(built.diagram);
    if (paths <= static_cast<double>(options_.materialise_limit)) {
      if (std::optional<Restriction> rest = restrict_to(built.diagram, tested)) {
        note(aside, "each configuration that the other constraints admit was tested instead");
        if (rest->fault && !fault_) fault_ = std::move(rest->fault);
        return add(std::move(rest->diagram));
      }
    }
    note(aside, fmt::format("{:.3g} configurations that the other constraints admit are too many to test: they are "
                            "tested when drawn, and counts are upper bounds",
                            paths));
    space_.unchecked.insert(space_.unchecked.end(), tested.begin(), tested.end());
    return add(std::move(built.diagram));
  }

  std::optional<Restriction> restrict_to(const LayeredDiagram& relaxed, const Terms& tested) {
    std::vector<Root> roots;
    for (std::uint32_t t : tested) roots.push_back({system_.terms[t].root, t});
    std::vector<std::uint32_t> order;
    for (const LayeredDiagram::Layer& layer : relaxed.layers) order.push_back(layer.variable);
    const ConstraintProgram program = compile(system_.graph, roots, order, space_.domains, system_.predicates);
    return restrict_diagram(relaxed, program, space_.domains, options_.materialise_limit, stop_);
  }

  void note(const Terms& aside, const std::string& remedy) {
    if (!space_.fallback.empty()) space_.fallback += "; ";
    space_.fallback +=
        fmt::format("{} would need more than {} states; {}", name_constraints(aside), options_.state_budget, remedy);
  }

  std::string name_constraints(const Terms& terms) const {
    constexpr std::size_t kMostNamedConstraints = 3;
    std::set<std::uint32_t> constraints;
    for (std::uint32_t t : terms) constraints.insert(system_.terms[t].constraint);
    if (constraints.empty()) return "finding where constraints fault";
    std::string names;
    std::size_t named = 0;
    for (std::uint32_t constraint : constraints) {
      if (named++ == kMostNamedConstraints)
        return fmt::format("{} and {} more", names, constraints.size() - kMostNamedConstraints);
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", system_.constraint_text(constraint));
    }
    return names;
  }

  const ConstraintSystem& system_;
  std::span<const std::uint32_t> terms_;
  const BuildOptions& options_;
  StopSignal stop_;
  Scopes scopes_;
  BuiltSpace space_;
  std::optional<FaultFound> fault_;
};

}  // namespace

Result<BuiltSpace> build_space(const ConstraintSystem& system, std::span<const std::uint32_t> terms,
                               const BuildOptions& options) {
  return SpaceBuilder(system, terms, options).build();
}

}  // namespace wattune::space

#include "space/diagram/conflict.h"

#include <algorithm>

#include "space/space_builder.h"

namespace wattune::inline v0_1::space {

namespace {

constexpr std::size_t kMaxConstraints = 200;

bool excludes_everything(const ConstraintSystem& system, const std::vector<std::uint32_t>& constraints,
                         const std::function<bool()>& cancelled) {
  const BuildOptions cheap{.state_budget = 50'000, .materialise_limit = 50'000, .cancelled = cancelled};
  std::vector<std::uint32_t> terms;
  for (std::uint32_t t = 0; t < system.terms.size(); ++t) {
    if (std::ranges::binary_search(constraints, system.terms[t].constraint)) terms.push_back(t);
  }
  const Result<BuiltSpace> built = build_space(system, terms, cheap);
  return built && built->empty;
}

}  // namespace

std::vector<std::uint32_t> find_conflict(const ConstraintSystem& system, const std::function<bool()>& cancelled) {
  std::vector<std::uint32_t> conflict;
  for (std::uint32_t c = 0; c < system.constraints.size() + system.predicates.size(); ++c) conflict.push_back(c);
  if (conflict.size() > kMaxConstraints || !excludes_everything(system, conflict, cancelled)) return {};
  for (std::uint32_t candidate : std::vector<std::uint32_t>(conflict)) {
    std::vector<std::uint32_t> without = conflict;
    std::erase(without, candidate);
    if (excludes_everything(system, without, cancelled)) conflict = std::move(without);
  }
  return conflict;
}

}  // namespace wattune::space

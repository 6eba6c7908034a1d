#include "space/conflict.h"

#include <algorithm>

#include "space/space_builder.h"

namespace wattune::space {

namespace {

constexpr BuildOptions kCheap{.state_budget = 50'000, .materialise_limit = 50'000};
constexpr std::size_t kMaxConstraints = 200;

bool excludes_everything(const Problem& problem, const std::vector<std::uint32_t>& constraints) {
  std::vector<std::uint32_t> terms;
  for (std::uint32_t t = 0; t < problem.terms.size(); ++t) {
    if (std::ranges::binary_search(constraints, problem.terms[t].constraint)) terms.push_back(t);
  }
  const Result<BuiltSpace> built = build_space(problem, terms, kCheap);
  return built && built->empty;
}

}  // namespace

std::vector<std::uint32_t> find_conflict(const Problem& problem) {
  std::vector<std::uint32_t> conflict;
  for (std::uint32_t c = 0; c < problem.constraints.size() + problem.predicates.size(); ++c) conflict.push_back(c);
  if (conflict.size() > kMaxConstraints || !excludes_everything(problem, conflict)) return {};
  for (std::uint32_t candidate : std::vector<std::uint32_t>(conflict)) {
    std::vector<std::uint32_t> without = conflict;
    std::erase(without, candidate);
    if (excludes_everything(problem, without)) conflict = std::move(without);
  }
  return conflict;
}

}  // namespace wattune::space

// Removes values that a single small constraint excludes, before any diagram is built. So of 1024 values of x, `1024 %
// x == 0` leaves 11.
#include <algorithm>

#include "space/diagram/constraint_system.h"

namespace wattune::inline v0_1::space {

namespace {

// The largest number of combinations that are tried, for all constraints together. Constraints that would exceed this
// number are left to the diagrams.
constexpr double kMaxCombinations = 1 << 21;

double combinations(const Term& term, const Domains& domains) {
  double product = 1;
  for (std::uint32_t variable : term.scope) product *= static_cast<double>(domains.width(variable));
  return product;
}

// Tries all combinations of values of the term's variables. Records the values that occur in a combination that passes.
class SupportSearch {
 public:
  SupportSearch(const ConstraintSystem& system, const Term& term, const Domains& domains)
      : program_(compile(system.graph, std::vector<Root>{{term.root, 0}}, term.scope, domains, system.predicates)),
        domains_(domains),
        cells_(program_.initial_cells()),
        choice_(term.scope.size(), 0) {
    for (std::uint32_t variable : term.scope) supported_.emplace_back(domains.width(variable), false);
  }

  // Returns whether each value occurs in a combination that passes, by variable of the term and position in its domain.
  std::vector<std::vector<bool>> find() {
    if (program_.roots.empty()) {  // no constraint remains: all combinations pass, or all fail
      for (std::vector<bool>& flags : supported_) flags.assign(flags.size(), !program_.contradiction);
    } else {
      descend(0);
    }
    return std::move(supported_);
  }

 private:
  void descend(std::size_t l) {
    const ConstraintProgram::Level& level = program_.levels[l];
    const std::vector<Cell>& values = domains_.cells[level.variable];
    for (choice_[l] = 0; choice_[l] < values.size(); ++choice_[l]) {
      cells_[level.variable_node] = values[choice_[l]];
      for (NodeId id : level.closing) cells_[id] = program_.graph.evaluate(id, cells_);
      if (!level.roots.empty() && !passes(cells_[program_.roots.front().node], FaultRule::admit)) continue;
      if (l + 1 < program_.levels.size()) {
        descend(l + 1);
      } else {
        for (std::size_t i = 0; i < choice_.size(); ++i) supported_[i][choice_[i]] = true;
      }
    }
  }

  ConstraintProgram program_;
  const Domains& domains_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> choice_;
  std::vector<std::vector<bool>> supported_;
};

template <typename T>
void keep(std::vector<T>& items, const std::vector<bool>& flags) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (flags[i]) items[kept++] = items[i];
  }
  items.resize(kept);
}

}  // namespace

void filter_domains(const ConstraintSystem& system, std::span<const std::uint32_t> terms, Domains& domains) {
  std::vector<const Term*> open;
  for (std::uint32_t t : terms) {
    const Term& term = system.terms[t];
    if (!term.scope.empty() && term.scope.size() <= 2) open.push_back(&term);
  }
  // The cheapest term comes first, because each term makes the following terms cheaper.
  double left = kMaxCombinations;
  while (!open.empty()) {
    const auto next =
        std::ranges::min_element(open, {}, [&](const Term* term) { return combinations(*term, domains); });
    const Term& term = **next;
    open.erase(next);
    const double size = combinations(term, domains);
    if (size == 0 || size > left) return;
    left -= size;
    const std::vector<std::vector<bool>> supported = SupportSearch(system, term, domains).find();
    for (std::size_t i = 0; i < term.scope.size(); ++i) {
      keep(domains.values[term.scope[i]], supported[i]);
      keep(domains.cells[term.scope[i]], supported[i]);
    }
  }
}

}  // namespace wattune::space

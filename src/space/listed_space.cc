#include "space/listed_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace wattune::inline v0_1::space {

namespace {

Result<void> check(const ConstraintSystem& system, const std::vector<ValueIndices>& configurations) {
  if (configurations.empty()) return Error(ErrorCode::invalid_argument, "the list holds no configuration");
  for (const ValueIndices& indices : configurations) {
    if (indices.size() != system.parameters.size())
      return Error(ErrorCode::invalid_argument,
                   fmt::format("{} values for {} parameters", indices.size(), system.parameters.size()));
    for (std::size_t p = 0; p < indices.size(); ++p)
      if (indices[p] >= system.parameters[p].values.size())
        return Error(ErrorCode::out_of_range,
                     fmt::format("parameter `{}` has no value number {}", system.parameters[p].name, indices[p]));
  }
  return {};
}

// Returns the domains, reduced to the values that occur in at least one of the configurations.
Domains occurring(const Domains& all, const std::vector<ValueIndices>& configurations) {
  Domains domains;
  for (std::size_t p = 0; p < all.values.size(); ++p) {
    std::vector<bool> occurs(all.values[p].size(), false);
    for (const ValueIndices& indices : configurations) occurs[indices[p]] = true;
    std::vector<std::uint16_t>& values = domains.values.emplace_back();
    std::vector<Cell>& cells = domains.cells.emplace_back();
    for (std::size_t i = 0; i < occurs.size(); ++i) {
      if (!occurs[i]) continue;
      values.push_back(all.values[p][i]);
      cells.push_back(all.cells[p][i]);
    }
  }
  return domains;
}

class ListBuilder {
 public:
  ListBuilder(const Domains& domains, std::span<const ValueIndices> sorted) : domains_(domains), sorted_(sorted) {
    for (std::uint32_t p = 0; p < domains.values.size(); ++p)
      if (domains.width(p) > 1) tables_.emplace_back(p);
  }

  LayeredDiagram build() {
    add(0, 0, sorted_.size());
    LayeredDiagram diagram;
    for (NodeTable& table : tables_) diagram.layers.push_back(std::move(table).take());
    return diagram;
  }

 private:
  // Returns the node of the layer for the configurations [begin, end), which all begin with the same values.
  std::uint32_t add(std::size_t layer, std::size_t begin, std::size_t end) {
    if (layer == tables_.size()) return 0;
    const std::uint32_t parameter = tables_[layer].layer().variable;
    const std::vector<std::uint16_t>& values = domains_.values[parameter];
    std::vector<Edge> edges;
    while (begin < end) {
      const std::uint16_t value = sorted_[begin][parameter];
      std::size_t next = begin + 1;
      while (next < end && sorted_[next][parameter] == value) ++next;
      const auto position = std::ranges::lower_bound(values, value) - values.begin();
      edges.push_back({static_cast<std::uint32_t>(position), add(layer + 1, begin, next)});
      begin = next;
    }
    return tables_[layer].insert(edges);
  }

  const Domains& domains_;
  std::span<const ValueIndices> sorted_;
  std::vector<NodeTable> tables_;
};

}  // namespace

Result<BuiltSpace> build_listed_space(const ConstraintSystem& system, std::vector<ValueIndices> configurations) {
  WATTUNE_TRY(check(system, configurations));
  std::ranges::sort(configurations);
  configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
  BuiltSpace space;
  space.domains = occurring(system.domains, configurations);
  LayeredDiagram diagram = ListBuilder(space.domains, configurations).build();
  space.states = diagram.nodes();
  if (!diagram.layers.empty()) space.components.push_back(std::move(diagram));
  return space;
}

}  // namespace wattune::space

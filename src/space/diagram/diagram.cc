#include "space/diagram/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattune::inline v0_1::space {

Result<Diagram> Diagram::assemble(const std::vector<LayeredDiagram>& components, const Domains& domains) {
  Diagram diagram;
  diagram.fixed_.resize(domains.values.size());
  diagram.start_.resize(domains.values.size(), 0);
  for (std::size_t p = 0; p < domains.values.size(); ++p) {
    if (domains.values[p].size() != 1) continue;
    diagram.fixed_[p] = domains.values[p].front();
    diagram.start_[p] = domains.values[p].front();
  }
  std::uint32_t next_node = 0;
  for (const LayeredDiagram& component : components) diagram.append(component, domains, next_node);
  const auto edges = static_cast<EdgeId>(diagram.values_.size());
  diagram.first_edge_.push_back(edges);  // the last node, the end, has no edges
  diagram.first_edge_.push_back(edges);
  diagram.first_edge_.shrink_to_fit();
  WATTUNE_TRY(diagram.count_configurations());
  return diagram;
}

void Diagram::append(const LayeredDiagram& component, const Domains& domains, std::uint32_t& next_node) {
  const std::size_t edges = values_.size() + component.edges();
  values_.reserve(edges);
  children_.reserve(edges);
  for (const LayeredDiagram::Layer& layer : component.layers) {
    parameters_.push_back(layer.variable);
    const auto children_from = next_node + static_cast<std::uint32_t>(layer.nodes());
    for (std::size_t i = 0; i < layer.nodes(); ++i) {
      first_edge_.push_back(static_cast<EdgeId>(values_.size()));
      for (const Edge& edge : layer.node(i)) {
        values_.push_back(domains.values[layer.variable][edge.value]);
        children_.push_back(children_from + edge.child);
      }
    }
    next_node = children_from;
  }
}

Result<void> Diagram::count_configurations() {
  const auto end = static_cast<std::uint32_t>(nodes() - 1);
  std::vector<Uint128> counts(end + 1, 0);
  std::vector<Uint128> before(edges());
  counts[end] = 1;
  for (std::uint32_t node = end; node-- > 0;) {
    for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge) {
      before[edge] = counts[node];
      if (__builtin_add_overflow(counts[node], counts[child(edge)], &counts[node])) {
        return Error(ErrorCode::out_of_range,
                     fmt::format("about 10^{:.0f} configurations, more than the 2^128 that ids can tell apart",
                                 log10_count()))
            .hint("leave parameters or values out, or add constraints");
      }
    }
  }
  count_ = counts[root()];
  for (Uint128 b : before) before_.push_back(static_cast<std::uint64_t>(b));
  before_.shrink_to_fit();
  if (count_ >> 64 != 0) {
    for (Uint128 b : before) high_.push_back(static_cast<std::uint64_t>(b >> 64));
    high_.shrink_to_fit();
  }
  return {};
}

// Returns the logarithm of the count. Works also for counts that no type of number can hold.
double Diagram::log10_count() const {
  const auto end = static_cast<std::uint32_t>(nodes() - 1);
  std::vector<double> logs(end + 1, 0.0);
  for (std::uint32_t node = end; node-- > 0;) {
    double largest = 0.0;
    for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge) largest = std::max(largest, logs[child(edge)]);
    double sum = 0.0;
    for (EdgeId edge = first_edge(node); edge < end_edge(node); ++edge)
      sum += std::pow(10.0, logs[child(edge)] - largest);
    logs[node] = largest + std::log10(sum);
  }
  return logs[root()];
}

std::size_t Diagram::bytes() const {
  const auto size = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return size(parameters_) + size(fixed_) + size(start_) + size(first_edge_) + size(values_) + size(children_) +
         size(before_) + size(high_);
}

void Diagram::serialise(std::string& bytes) const {
  const auto append = [&](const auto& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(v[0]));
  };
  append(parameters_);
  append(start_);
  append(first_edge_);
  append(values_);
  append(children_);
}

std::optional<EdgeId> Diagram::find_edge(std::uint32_t node, std::uint16_t value) const {
  const auto begin = values_.begin() + first_edge(node);
  const auto end = values_.begin() + end_edge(node);
  const auto found = std::lower_bound(begin, end, value);
  if (found == end || *found != value) return std::nullopt;
  return static_cast<EdgeId>(found - values_.begin());
}

// Finds the configuration of an id on a way from the root down. At each level, a branch-free search finds the last edge
// before which there are at most `id` configurations.
template <bool kWide>
void Diagram::walk(Uint128 id, ValueIndices& indices) const {
  using Number = std::conditional_t<kWide, Uint128, std::uint64_t>;
  const auto count_before = [&](EdgeId edge) -> Number {
    if constexpr (kWide) return (Uint128{high_[edge]} << 64) | before_[edge];
    return before_[edge];
  };
  auto rest = static_cast<Number>(id);
  std::uint32_t node = root();
  for (std::uint32_t parameter : parameters_) {
    EdgeId edge = first_edge_[node];
    EdgeId size = first_edge_[node + 1] - edge;
    while (size > 1) {
      const EdgeId half = size / 2;
      edge += count_before(edge + half) <= rest ? half : 0;
      size -= half;
    }
    rest -= count_before(edge);
    indices[parameter] = values_[edge];
    node = children_[edge];
  }
}

void Diagram::unrank(Uint128 id, ValueIndices& indices) const {
  indices = start_;
  if (high_.empty()) {
    walk<false>(id, indices);
  } else {
    walk<true>(id, indices);
  }
}

std::optional<Uint128> Diagram::find(const ValueIndices& indices) const {
  for (std::size_t p = 0; p < fixed_.size(); ++p) {
    if (fixed_[p] && *fixed_[p] != indices[p]) return std::nullopt;
  }
  Uint128 id = 0;
  std::uint32_t node = root();
  for (std::uint32_t parameter : parameters_) {
    const std::optional<EdgeId> edge = find_edge(node, indices[parameter]);
    if (!edge) return std::nullopt;
    id += before(*edge);
    node = child(*edge);
  }
  return id;
}

Uint128 Diagram::project(std::span<const double> point) const {
  Uint128 id = 0;
  std::uint32_t node = root();
  for (const std::uint32_t parameter : parameters_) {
    const auto begin = values_.begin() + first_edge(node);
    const auto end = values_.begin() + end_edge(node);
    auto nearest = std::lower_bound(begin, end, point[parameter]);
    if (nearest == end || (nearest != begin && point[parameter] - *(nearest - 1) <= *nearest - point[parameter])) {
      --nearest;
    }
    const auto edge = static_cast<EdgeId>(nearest - values_.begin());
    id += before(edge);
    node = child(edge);
  }
  return id;
}

}  // namespace wattune::space

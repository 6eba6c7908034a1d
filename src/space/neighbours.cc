#include "space/neighbours.h"

#include <algorithm>
#include <unordered_map>

namespace wattune::inline v0_1::space {

namespace {

// The path of a configuration, with the parts of the configuration's id that lie above and below each level.
struct Path {
  std::vector<std::uint32_t> nodes;  // node of each level, and the end
  std::vector<EdgeId> edges;
  std::vector<Uint128> above;  // by level: sum that the edges before this level add to the id
  std::vector<Uint128> below;  // by level: sum that the edges from this level on add to the id
};

// Finds the path of a configuration. Precondition: the diagram holds it.
Path trace(const Diagram& diagram, const ValueIndices& indices) {
  Path path;
  path.nodes.push_back(Diagram::root());
  path.above.push_back(0);
  for (std::size_t l = 0; l < diagram.levels(); ++l) {
    const EdgeId edge = *diagram.find_edge(path.nodes.back(), indices[diagram.parameter(l)]);
    path.edges.push_back(edge);
    path.above.push_back(path.above.back() + diagram.before(edge));
    path.nodes.push_back(diagram.child(edge));
  }
  for (const Uint128& above : path.above) path.below.push_back(path.above.back() - above);
  return path;
}

// Returns the sum that a configuration's values from level l on add to an id if the path starts at `node`. Returns
// nullopt if these values are invalid below that node. In most cases the path soon meets the configuration's own path,
// and the rest of its sum is known.
std::optional<Uint128> continue_from(const Diagram& diagram, const ValueIndices& indices, const Path& path,
                                     std::uint32_t node, std::size_t l) {
  Uint128 sum = 0;
  for (; node != path.nodes[l]; ++l) {
    const std::optional<EdgeId> edge = diagram.find_edge(node, indices[diagram.parameter(l)]);
    if (!edge) return std::nullopt;
    sum += diagram.before(*edge);
    node = diagram.child(*edge);
  }
  return sum + path.below[l];
}

// The configurations within a box, which have one of the allowed values at each level. The fewest changes on a path to
// the end are known for every node, so the search enters no dead ends.
class BoxSearch {
 public:
  BoxSearch(const Diagram& diagram, const ValueIndices& indices, const std::vector<std::vector<std::uint16_t>>& allowed)
      : diagram_(diagram), indices_(indices), allowed_(allowed), levels_(diagram.levels() + 1) {
    collect();
    measure();
  }

  // Returns the number of configurations in the box.
  double count() const { return levels_.front().at(Diagram::root()).count; }

  // Returns the ids of configurations with 1 to max_changes changed values. Stops when there are more than `limit` ids.
  std::vector<Uint128> find(std::uint32_t max_changes, std::size_t limit) {
    found_.clear();
    limit_ = limit;
    descend(0, Diagram::root(), 0, 0, max_changes);
    return found_;
  }

 private:
  struct NodeInfo {
    std::uint32_t fewest_changes = kUnreachable;  // fewest changes on a path to the end
    double count = 0;                             // number of paths to the end
  };
  static constexpr std::uint32_t kUnreachable = ~std::uint32_t{0} / 2;

  template <typename F>
  void for_each_edge(std::size_t l, std::uint32_t node, F f) const {
    for (std::uint16_t value : allowed_[l]) {
      if (const std::optional<EdgeId> edge = diagram_.find_edge(node, value)) {
        f(*edge, value == indices_[diagram_.parameter(l)] ? 0U : 1U);
      }
    }
  }

  void collect() {
    levels_.front().emplace(Diagram::root(), NodeInfo());
    for (std::size_t l = 0; l < diagram_.levels(); ++l) {
      for (const auto& [node, info] : levels_[l]) {
        for_each_edge(l, node,
                      [&](EdgeId edge, std::uint32_t) { levels_[l + 1].emplace(diagram_.child(edge), NodeInfo()); });
      }
    }
  }

  void measure() {
    for (auto& [node, info] : levels_.back()) info = {0, 1.0};
    for (std::size_t l = diagram_.levels(); l-- > 0;) {
      for (auto& entry : levels_[l]) {
        NodeInfo& info = entry.second;
        for_each_edge(l, entry.first, [&](EdgeId edge, std::uint32_t change) {
          const NodeInfo& below = levels_[l + 1].at(diagram_.child(edge));
          info.fewest_changes = std::min(info.fewest_changes, below.fewest_changes + change);
          info.count += below.count;
        });
      }
    }
  }

  void descend(std::size_t l, std::uint32_t node, Uint128 id, std::uint32_t changes, std::uint32_t max_changes) {
    if (found_.size() > limit_) return;
    if (l == diagram_.levels()) {
      if (changes > 0) found_.push_back(id);
      return;
    }
    for_each_edge(l, node, [&](EdgeId edge, std::uint32_t change) {
      const std::uint32_t least = changes + change + levels_[l + 1].at(diagram_.child(edge)).fewest_changes;
      if (least > max_changes) return;
      descend(l + 1, diagram_.child(edge), id + diagram_.before(edge), changes + change, max_changes);
    });
  }

  const Diagram& diagram_;
  const ValueIndices& indices_;
  const std::vector<std::vector<std::uint16_t>>& allowed_;
  std::vector<std::unordered_map<std::uint32_t, NodeInfo>> levels_;
  std::vector<Uint128> found_;
  std::size_t limit_ = 0;
};

}  // namespace

std::vector<Uint128> hamming_neighbours(const Diagram& diagram, const ValueIndices& indices) {
  const Path path = trace(diagram, indices);
  std::vector<Uint128> ids;
  for (std::size_t l = 0; l < diagram.levels(); ++l) {
    for (EdgeId edge = diagram.first_edge(path.nodes[l]); edge < diagram.end_edge(path.nodes[l]); ++edge) {
      if (edge == path.edges[l]) continue;
      const std::optional<Uint128> rest = continue_from(diagram, indices, path, diagram.child(edge), l + 1);
      if (rest) ids.push_back(path.above[l] + diagram.before(edge) + *rest);
    }
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<Uint128> box_neighbours(const Diagram& diagram, const ValueIndices& indices,
                                    const std::vector<std::vector<std::uint16_t>>& allowed, std::size_t limit) {
  BoxSearch search(diagram, indices, allowed);
  const auto levels = static_cast<std::uint32_t>(diagram.levels());
  if (search.count() - 1 <= static_cast<double>(limit)) return search.find(levels, limit);
  constexpr std::size_t kNoLimit = ~std::size_t{0};
  std::vector<Uint128> ids = search.find(1, kNoLimit);
  for (std::uint32_t changes = 2; changes <= levels; ++changes) {
    std::vector<Uint128> more = search.find(changes, limit);
    if (more.size() > limit) break;
    ids = std::move(more);
  }
  return ids;
}

}  // namespace wattune::space

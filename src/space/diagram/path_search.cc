#include "space/diagram/path_search.h"

#include <algorithm>

namespace wattune::inline v0_1::space {

PathSearch::PathSearch(const Diagram& diagram, const TestedTerms& terms)
    : diagram_(diagram),
      terms_(terms),
      cells_(terms.initial_cells()),
      ranges_(terms.initial_ranges()),
      frames_(diagram.levels()) {}

PathSearch::End PathSearch::find(const Order& order, std::size_t& steps, Uint128 from) {
  if (terms_.never() || from >= diagram_.count()) return End::none;
  if (frames_.empty()) return End::found;
  std::size_t l = 0;
  open(0, Diagram::root(), 0, order, from);
  for (;;) {
    Frame& frame = frames_[l];
    undo(l);
    if (frame.next == frame.edges.size()) {
      if (l == 0) return End::none;
      --l;
      continue;
    }
    const std::size_t cost = terms_.levels()[l].readers.size() + 1 + (frame.next == 0 ? frame.edges.size() : 0);
    if (steps < cost) break;
    steps -= cost;
    const EdgeId edge = frame.edges[frame.next++];
    if (!assign(l, diagram_.value(edge))) continue;
    id_ = frame.above + diagram_.before(edge);
    if (l + 1 < frames_.size()) {
      open(++l, diagram_.child(edge), id_, order, from);
    } else if (id_ >= from) {
      break;
    }
  }
  const bool found = l + 1 == frames_.size() && frames_[l].assigned;
  for (std::size_t i = l + 1; i-- > 0;) undo(i);
  return found ? End::found : End::out_of_steps;
}

// Lists the edges of a node that have an id of at least `from` below them. The last edge always has one, since
// otherwise the node would not have been opened.
void PathSearch::open(std::size_t l, std::uint32_t node, Uint128 above, const Order& order, Uint128 from) {
  Frame& frame = frames_[l];
  frame.edges.clear();
  frame.next = 0;
  frame.above = above;
  for (EdgeId edge = diagram_.first_edge(node); edge < diagram_.end_edge(node); ++edge) {
    const bool ends_before = edge + 1 < diagram_.end_edge(node) && above + diagram_.before(edge + 1) <= from;
    if (!ends_before) frame.edges.push_back(edge);
  }
  order(l, frame.edges);
}

// Assigns a value. Returns false if a term fails, or if later assignments cannot make a term hold.
bool PathSearch::assign(std::size_t l, std::uint16_t place) {
  const TestedTerms::Level& level = terms_.levels()[l];
  Frame& frame = frames_[l];
  frame.assigned = true;
  frame.before.assign(1, ranges_[level.node]);
  cells_[level.node] = terms_.value(level, place);
  ranges_[level.node] = Range::of(cells_[level.node]);
  for (const TestedTerms::Reader& reader : level.readers) {
    Range& range = ranges_[reader.node];
    frame.before.push_back(range);
    if (reader.closes) cells_[reader.node] = terms_.graph().evaluate(reader.node, cells_);
    range = reader.closes ? Range::of(cells_[reader.node]) : range_of(terms_.graph(), reader.node, ranges_);
  }
  return std::ranges::all_of(level.roots, [&](const TestedTerms::Reader& root) {
    return root.closes ? is_met(cells_[root.node]) : !ranges_[root.node].certainly_false();
  });
}

void PathSearch::undo(std::size_t l) {
  Frame& frame = frames_[l];
  if (!frame.assigned) return;
  frame.assigned = false;
  const TestedTerms::Level& level = terms_.levels()[l];
  ranges_[level.node] = frame.before.front();
  for (std::size_t i = 0; i < level.readers.size(); ++i) ranges_[level.readers[i].node] = frame.before[i + 1];
}

}  // namespace wattune::space

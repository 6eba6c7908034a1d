// The configurations that several groups of constraints all admit, as one diagram.
//
// The diagram is built from the first variable down. A state is the tuple of the states of all groups that have begun
// and not ended. Following a value costs one table look-up for each group that reads the variable.
//
// Groups that wait for the same last variable act as one. Together they allow a set of its values, so the tuple holds
// that set instead of their states. Without these sets, the constraint "all values are different" would need a state
// for each permutation of a prefix. With them, it needs one for each subset. An empty set ends the prefix at once.
//
// Equal tuples are one state, so the cost is (distinguishable prefixes) x (values), whatever the number of
// configurations. The result is reduced.
#pragma once

#include <optional>
#include <span>

#include "space/diagram/budget.h"
#include "space/diagram/constraint_diagram.h"
#include "space/diagram/layered_diagram.h"

namespace wattune::inline v0_1::space {

// Intersects the groups. `order` holds every variable of the groups, and the layers of each group have the same order.
// widths[v] is the number of values of variable v. Returns nullopt if the budget ran out.
std::optional<LayeredDiagram> intersect(std::span<const std::uint32_t> order, std::span<const std::size_t> widths,
                                        std::span<const ConstraintDiagram> groups, Budget& budget);

}  // namespace wattune::space

// Removes the configurations that break constraints from a diagram into which these constraints could not be built.
//
// It is the fallback for constraints that tie too many parameters together. Their terms are evaluated, value by value,
// along every path of the diagram that was built without them (a relaxed diagram). The paths that pass are merged into
// a new diagram bottom up, so that there is never a list of all configurations. The cost is one step per path.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "space/diagram/budget.h"
#include "space/diagram/constraint_program.h"
#include "space/diagram/layered_diagram.h"

namespace wattune::inline v0_1::space {

// A configuration at which a term faults and that no other term excludes.
struct FaultFound {
  std::uint32_t term = 0;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> assignment;  // variables, each with the position of its value
};

struct Restriction {
  LayeredDiagram diagram;
  std::optional<FaultFound> fault;
};

// Returns the number of configurations of the diagram as a double.
double approximate_count(const LayeredDiagram& diagram);
// Returns the first configuration of a diagram that is not empty.
std::vector<std::pair<std::uint32_t, std::uint16_t>> first_configuration(const LayeredDiagram& diagram,
                                                                         const Domains& domains);

// Tests the constraints of `program` on all paths of the diagram. The program is compiled for the order of the
// diagram's layers. Returns nullopt if the result would have more than max_edges edges, or if `stop` is given.
std::optional<Restriction> restrict_diagram(const LayeredDiagram& relaxed, const ConstraintProgram& program,
                                            const Domains& domains, std::size_t max_edges, StopSignal& stop);

}  // namespace wattune::space

// The terms that a relaxed diagram does not enforce, compiled for its levels. A path is tested value by value. After a
// change of one parameter, only the nodes that read this parameter are evaluated.
//
// The system of the terms must outlive this object. Immutable; safe to share between threads. A TestedConfiguration
// belongs to one thread.
#pragma once

#include <vector>

#include "space/diagram/constraint_program.h"
#include "space/diagram/constraint_system.h"
#include "space/diagram/diagram.h"

namespace wattune::inline v0_1::space {

class TestedTerms {
 public:
  // A node that reads the parameter of a level, and whether this level assigns the last parameter that it reads.
  struct Reader {
    NodeId node = 0;
    bool closes = false;
  };
  struct Level {
    std::uint32_t parameter = 0;
    NodeId node = 0;              // node of the parameter
    std::vector<Reader> readers;  // readers, ascending
    std::vector<Reader> roots;    // the readers that are terms
  };

  // Compiles the terms. `domains` are the domains for which the diagram was built.
  TestedTerms(const ConstraintSystem& system, const Diagram& diagram, const Domains& domains,
              std::span<const std::uint32_t> terms);

  const std::vector<Level>& levels() const { return levels_; }
  const ConstraintGraph& graph() const { return program_.graph; }
  const Cell& value(const Level& level, std::uint16_t place) const {
    return system_.domains.cells[level.parameter][place];
  }
  // True if a term without parameters fails, so that no configuration passes.
  bool never() const { return never_; }
  // Returns the cells before any value is assigned.
  std::vector<Cell> initial_cells() const { return program_.initial_cells(); }
  std::vector<Range> initial_ranges() const;

  // True if the configuration passes all terms.
  bool hold(const ValueIndices& indices) const;
  // Returns the approximate number of node evaluations for the tests along one path.
  std::size_t cost() const { return cost_; }

 private:
  const ConstraintSystem& system_;
  ConstraintProgram program_;
  std::vector<Level> levels_;
  bool never_ = false;
  std::size_t cost_ = 0;
};

// True if a term is met. A term that cannot be evaluated is not met.
inline bool is_met(const Cell& cell) { return cell.is_value() && cell.value.truth(); }

// A configuration that passes all terms. Its parameters are changed one at a time.
class TestedConfiguration {
 public:
  // Starts from a configuration. Precondition: terms.hold(indices).
  TestedConfiguration(const TestedTerms& terms, ValueIndices indices);

  const ValueIndices& indices() const { return indices_; }
  // Gives the level's parameter another value if all terms then hold. Otherwise changes nothing and returns false.
  bool change(std::size_t level, std::uint16_t place);
  // True if change() would succeed.
  bool allows(std::size_t level, std::uint16_t place);

 private:
  bool put(const TestedTerms::Level& level, std::uint16_t place);

  const TestedTerms& terms_;
  ValueIndices indices_;
  std::vector<Cell> cells_;
};

}  // namespace wattune::space

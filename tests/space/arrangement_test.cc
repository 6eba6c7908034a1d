// The parts of a prefix that the rest of a constraint sees: the frontiers of arranged sums and products, and the states
// that the automata need.
#include <gtest/gtest.h>

#include <numeric>

#include "space/diagram/constraint_diagram.h"
#include "space/diagram/constraint_system.h"
#include "space/space_support.h"

namespace wattune::inline v0_1::space {
namespace {

// Compiles one constraint, which must be one term, in the order in which the parameters are given.
struct Compiled {
  ConstraintSystem system;
  ConstraintProgram program{ConstraintGraph({}), {}, {}, false, {}};

  Compiled(std::vector<Parameter> parameters, const std::string& expression) {
    system.parameters = std::move(parameters);
    system.constraints = constraints({expression});
    EXPECT_TRUE(compile_system(system));
    std::vector<Root> roots;
    for (std::uint32_t t = 0; t < system.terms.size(); ++t) roots.push_back({system.terms[t].root, t});
    std::vector<std::uint32_t> order(system.parameters.size());
    std::iota(order.begin(), order.end(), 0U);
    program = compile(system.graph, roots, order, system.domains, {});
  }

  std::size_t frontier(std::size_t level) const { return program.levels[level].frontier.size(); }

  // Returns the number of states per layer of the minimal automaton, including the one for "everything passes".
  std::vector<std::size_t> states() const {
    StopSignal never({});
    Budget budget(1'000'000, 10'000'000, never);
    const ConstraintDiagram diagram = *build_constraint_diagram(program, system.domains, budget);
    std::vector<std::size_t> result;
    for (const ConstraintDiagram::Layer& layer : diagram.layers) result.push_back(layer.children.size() / layer.width);
    return result;
  }
};

std::vector<Parameter> four(int first, int last) {
  return {range_parameter("a", first, last), range_parameter("b", first, last), range_parameter("c", first, last),
          range_parameter("d", first, last)};
}

TEST(Arrangement, PartialSumsAndProductsAreOneNumberEach) {
  const Compiled sum(four(1, 5), "d - (c*3 - (b + a)) <= 7");
  EXPECT_EQ(sum.frontier(1), 1U);  // a
  EXPECT_EQ(sum.frontier(2), 1U);  // a + b
  EXPECT_EQ(sum.frontier(3), 1U);  // a + b - 3c
  const Compiled product(four(1, 5), "d * (c * 4 * (b * a)) <= 100");
  EXPECT_EQ(product.frontier(3), 1U);
}

TEST(Arrangement, BothSidesOfAComparisonBecomeOneSum) {
  const Compiled compiled(four(1, 5), "a + c == b + d");
  EXPECT_EQ(compiled.frontier(2), 1U);  // a - b
  EXPECT_EQ(compiled.frontier(3), 1U);  // a - b + c
}

TEST(Arrangement, SumsModuloAConstantStayBelowIt) {
  const Compiled compiled(four(0, 9), "(a*100 + b*10 + c + d*7) % 3 == 0");
  // Residues 0, 1, 2 and the unused "everything passes".
  EXPECT_EQ(compiled.states(), (std::vector<std::size_t>{2, 4, 4, 4}));
}

TEST(Arrangement, RealsAreNotRearranged) {
  std::vector<Parameter> parameters = four(1, 3);
  parameters[0].values = {0.1, 0.2, 0.3};
  const Compiled compiled(parameters, "b + (c + a) <= 3.5");
  EXPECT_EQ(compiled.frontier(2), 2U);  // a and b, because c + a comes first
}

TEST(Arrangement, SumsThatMayOverflowAreNotRearranged) {
  std::vector<Parameter> parameters = four(1, 3);
  parameters[0].values = {std::int64_t{1} << 61, std::int64_t{1} << 62};
  const Compiled compiled(parameters, "b + (c + a) > 0");
  EXPECT_EQ(compiled.frontier(2), 2U);
}

TEST(ConstraintDiagram, SettledConstraintsLeaveTheState) {
  // After a = 1 nothing can fail any more; the others still depend on b.
  const Compiled compiled({range_parameter("a", 1, 4), range_parameter("b", 1, 4)}, "a == 1 or b <= a");
  EXPECT_EQ(compiled.states(), (std::vector<std::size_t>{2, 3}));  // a=4 passes everything too
}

TEST(ConstraintDiagram, ThresholdsMergeProducts) {
  // Tells of a*b only how many of c = 1..4 fit, which is min(4, 8 // (a*b)): 4 (everything passes), 2, 1, or 0 (dead).
  const Compiled compiled({range_parameter("a", 1, 6), range_parameter("b", 1, 6), range_parameter("c", 1, 4)},
                          "a * b * c <= 8");
  EXPECT_EQ(compiled.states().back(), 3U);
}

}  // namespace
}  // namespace wattune::space

#include "wattune/search/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;

// The costs by shape, the most promising first, and by clock, the highest first.
using Landscape = std::vector<std::vector<double>>;

// Shapes are counted in the order of the walk; clocks are 1000, 990, ... MHz.
SearchSpace space_of(const Landscape& costs) {
  Parameter shape{.name = "shape", .values = {}, .default_value = {}, .position = {}};
  Parameter clock{.name = "nvml_gr_clock",
                  .values = {},
                  .default_value = {},
                  .position = {},
                  .role = ParameterRole::graphics_clock};
  for (std::size_t d = 0; d < costs.size(); ++d) shape.values.emplace_back(static_cast<std::int64_t>(d));
  for (std::size_t j = 0; j < costs.front().size(); ++j)
    clock.values.emplace_back(1000 - 10 * static_cast<std::int64_t>(j));
  return SearchSpace::build({shape, clock}, {}).value();
}

struct Walked {
  std::size_t shape = 0;
  std::size_t clock = 0;
  std::vector<double> met;  // costs in the order of the runs

  double best_of_first(std::size_t runs) const {
    return *std::min_element(met.begin(), met.begin() + static_cast<std::ptrdiff_t>(std::min(runs, met.size())));
  }
};

Walked walk(const Landscape& costs, const WalkOptions& options = {}) {
  const SearchSpace space = space_of(costs);
  std::vector<WalkCandidate> candidates;
  for (std::size_t d = costs.size(); d-- > 0;)  // in the wrong order: the walk sorts them
    candidates.push_back({space.rank({static_cast<std::uint16_t>(d), 0}), 1.0, 1024u >> d});
  const auto strategy = make_occupancy_walk(
      space, [&] { return candidates; }, options);
  Walked result;
  space::ValueIndices at;
  for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
    space.unrank(ids.front(), at);
    result.met.push_back(costs[at[0]][at[1]]);
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(result.met.back())};
    strategy->tell(ids.front(), observation);
  }
  space.unrank(*strategy->chosen(), at);
  return {at[0], at[1], result.met};
}

// A row of the paper's table IV: the result and how many runs it took. The landscapes are made so that both come out.
// The candidates are those of the occupancy that the paper asks for, the largest block first.
struct Row {
  const char* kernel;
  Landscape costs;
  std::size_t shape;
  std::size_t clock;
  std::size_t runs;
};

class TableIV : public testing::TestWithParam<Row> {};

TEST_P(TableIV, HasTheResultAndTheRuns) {
  const Walked found = walk(GetParam().costs);
  EXPECT_EQ(found.shape, GetParam().shape);
  EXPECT_EQ(found.clock, GetParam().clock);
  EXPECT_EQ(found.met.size(), GetParam().runs);
}

// Algorithm 1, one clock. StreamCluster tries 1024, 512, 256, 128 on K20c and K40c, down to the last; on GTX 680 and
// 580 the second is worse. ParticleFilter tries 512, 256, 128; on GTX 680 its 512 after three runs needs a larger block
// before it. A single candidate is one run.
INSTANTIATE_TEST_SUITE_P(Performance, TableIV,
                         testing::Values(Row{"StreamCluster_K20c", {{9}, {8}, {7}, {6}}, 3, 0, 4},
                                         Row{"StreamCluster_K40c", {{8}, {7}, {6}, {5}}, 3, 0, 4},
                                         Row{"StreamCluster_GTX680", {{6}, {7}, {8}, {9}}, 0, 0, 2},
                                         Row{"StreamCluster_GTX580", {{5}, {6}, {7}, {8}}, 0, 0, 2},
                                         Row{"ParticleFilter_K20c", {{9}, {8}, {7}}, 2, 0, 3},
                                         Row{"ParticleFilter_K40c", {{8}, {7}, {6}}, 2, 0, 3},
                                         Row{"ParticleFilter_GTX680", {{9}, {7}, {8}}, 1, 0, 3},
                                         Row{"ParticleFilter_GTX580", {{9}, {7}, {8}}, 1, 0, 3},
                                         Row{"Lud", {{9}, {8}}, 1, 0, 2}, Row{"HotSpot", {{9}}, 0, 0, 1}),
                         [](const auto& test) { return std::string(test.param.kernel); });

// Algorithm 2. The clocks of the K20c are 758, 705, 666, 640, 614 MHz, those of the K40c 875, 810, 745, 666. Costs of
// shapes and clocks that a row does not reach do not matter: 50. Each line below is a row with its result, its runs,
// and the walk.
//  StreamCluster K20c, 128@705 in 7: 1024 at 758, 705, 666 (worse); 512, 256, 128 at 705; 128 at 666 (worse).
//  StreamCluster K40c, 128@875 in 6, as text and figure 3 say (the table prints 7): 1024 at 875, 810 (worse); 512, 256,
//  128 at 875; 128 at 810 (worse).
//  ParticleFilter K20c, 512@758 in 3: 512 at 758, 705 (worse); 256 at 758 (worse).
//  ParticleFilter K40c, 128@810 in 7: 512 at 875, 810 (worse); 256, 128 at 875; 128 at 810, 745 (worse); 256 at 810,
//  after which 128 follows again.
//  Lud 32x32@705 and @810 in 4: 32x32 at three clocks; 16x16 at the second (worse). HotSpot at two clocks.
INSTANTIATE_TEST_SUITE_P(
    Energy, TableIV,
    testing::Values(
        Row{"StreamCluster_K20c",
            {{10, 9, 9.5, 50, 50}, {50, 8, 50, 50, 50}, {50, 7, 50, 50, 50}, {50, 6, 6.5, 50, 50}},
            3,
            1,
            7},
        Row{"StreamCluster_K40c", {{10, 11, 50, 50}, {9, 50, 50, 50}, {8, 50, 50, 50}, {7, 8, 50, 50}}, 3, 0, 6},
        Row{"ParticleFilter_K20c", {{8, 9, 50, 50, 50}, {10, 50, 50, 50, 50}, {50, 50, 50, 50, 50}}, 0, 0, 3},
        Row{"ParticleFilter_K40c", {{10, 11, 50, 50}, {9, 8, 50, 50}, {8, 7, 7.5, 50}}, 2, 1, 7},
        Row{"Lud_K20c", {{10, 9, 11, 50, 50}, {50, 12, 50, 50, 50}}, 0, 1, 4},
        Row{"Lud_K40c", {{10, 9, 11, 50}, {50, 12, 50, 50}}, 0, 1, 4},
        Row{"HotSpot_K20c", {{10, 11, 50, 50, 50}}, 0, 0, 2}, Row{"HotSpot_K40c", {{10, 11, 50, 50}}, 0, 0, 2}),
    [](const auto& test) { return std::string(test.param.kernel); });

TEST(OccupancyWalk, OrdersByOccupancyThenByBlock) {
  // Shapes 0 to 3 with 64, 128, 256 and 512 threads; 256 threads fill the multiprocessor best, 64 less than 80 % of it.
  const Landscape costs = {{1}, {2}, {3}, {4}};
  const SearchSpace space = space_of(costs);
  const std::vector<WalkCandidate> shapes = {{0, 0.5, 64}, {1, 0.9, 128}, {2, 1.0, 256}, {3, 0.9, 512}};
  const auto strategy = make_occupancy_walk(space, [&] { return shapes; }, {.least_occupancy = 0.8});
  std::vector<ConfigurationId> asked;
  for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
    asked.push_back(ids.front());
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(10.0 - static_cast<double>(asked.size()))};
    strategy->tell(ids.front(), observation);
  }
  EXPECT_EQ(asked, (std::vector<ConfigurationId>{2, 3, 1}));
}

TEST(OccupancyWalk, NoiseWithinTheBandDoesNotStopIt) {
  const Landscape costs = {{100}, {101}, {90}};  // 1 % worse, then better
  EXPECT_EQ(walk(costs).shape, 0u);
  EXPECT_EQ(walk(costs, {.indifference = 0.02}).shape, 2u);
}

TEST(OccupancyWalk, WhatIsEqualGoesOn) { EXPECT_EQ(walk({{5}, {5}, {4}}).shape, 2u); }

// The walk settles on the least that it met, not on where it stands: within the band it walks to the last point, which
// is worse than the first.
TEST(OccupancyWalk, SettlesOnTheLeastThatItMet) {
  EXPECT_EQ(walk({{100}, {101}, {102}}, {.indifference = 0.02}).shape, 0u);
}

// Algorithm 2 as printed. A change of shape goes back to the frequency step, but with its counter as it was, so that
// one new clock is tried. When the walk reaches the last shape, it returns without trying any clock. It returns the
// point where it stands.
struct Printed {
  double cost = 0.0;
  std::size_t runs = 0;
};

class PrintedAlgorithm {
 public:
  explicit PrintedAlgorithm(const Landscape& costs) : costs_(costs) {}

  Printed run() {
    std::size_t shape = 0;
    std::size_t clock = 0;
    cost(0, 0);
    for (bool first = true;; first = false) {
      while (clock + 1 < clocks() && cost(shape, clock + 1) <= cost(shape, clock)) {
        ++clock;
        if (!first) break;
      }
      std::size_t next = 0;
      while (next + 1 < costs_.size() && cost(next + 1, clock) <= cost(next, clock)) ++next;
      if (next == shape || next + 1 == costs_.size() || clock + 1 == clocks())
        return {cost(next, clock), known_.size()};
      shape = next;
    }
  }

 private:
  std::size_t clocks() const { return costs_.front().size(); }
  double cost(std::size_t shape, std::size_t clock) { return known_[{shape, clock}] = costs_[shape][clock]; }

  const Landscape& costs_;
  std::map<std::pair<std::size_t, std::size_t>, double> known_;
};

Landscape random_landscape(std::uint64_t seed) {
  Random random(seed);
  const std::uint64_t clocks = 2 + random.below(7);
  Landscape costs(2 + random.below(7), std::vector<double>(clocks));
  for (std::vector<double>& row : costs)
    for (double& each : row) each = 0.5 + random.uniform();
  return costs;
}

// The landscapes, 1,000 of them, have no structure. Ours counts with what it had met after as many runs as the printed
// one took; it ends, and so has no cycle.
TEST(OccupancyWalk, IsNoWorseThanThePrintedOneAtEqualRuns) {
  double ours = 0.0;
  double printed = 0.0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Landscape costs = random_landscape(seed);
    double optimum = costs[0][0];
    for (const std::vector<double>& row : costs) optimum = std::min(optimum, *std::ranges::min_element(row));
    const Printed theirs = PrintedAlgorithm(costs).run();
    const Walked found = walk(costs);
    EXPECT_LE(found.met.size(), costs.size() * costs.front().size());
    ours += found.best_of_first(theirs.runs) / optimum;
    printed += theirs.cost / optimum;
  }
  RecordProperty("ours", std::to_string(ours / 1000.0));
  RecordProperty("printed", std::to_string(printed / 1000.0));
  EXPECT_LE(ours, printed);
}

// The threads alone give all shapes full occupancies. By the compiler, which knows registers and shared memory, shape 1
// comes first, shape 0 has half of that, and shape 2 does not run.
class CompiledShapes : public testing::TestWithParam<bool> {};

TEST_P(CompiledShapes, AreWalkedInTheCompilersOrder) {
  const SearchSpace space = space_of({{5, 9}, {4, 9}, {3, 9}, {2, 9}});
  const auto id_of = [&](std::uint16_t shape, std::uint16_t clock = 0) { return space.rank({shape, clock}); };
  std::vector<WalkCandidate> shapes;
  for (std::uint16_t shape = 0; shape < 4; ++shape) shapes.push_back({id_of(shape), 1.0, 1024u >> shape});
  const auto walk =
      make_occupancy_walk(space, [&] { return shapes; }, {.least_occupancy = 0.4, .lower_clock = GetParam()});
  const std::vector<ConfigurationId> prospects = walk->prospects();
  EXPECT_EQ(prospects.size(), 4u);
  EXPECT_EQ(walk->least_foreseen(4), 4u);
  const double occupancies[] = {0.5, 1.0, 1.0, 0.75};
  for (std::uint16_t shape = 0; shape < 4; ++shape)
    walk->foresee(id_of(shape), {.runs = shape != 2, .metrics = {{"occupancy", occupancies[shape], "", {}}}});
  std::vector<ConfigurationId> order;
  space::ValueIndices at;
  double time = 10;
  for (auto ids = walk->ask(1); !ids.empty(); ids = walk->ask(1)) {
    order.push_back(ids.front());
    space.unrank(ids.front(), at);
    Observation observation;
    observation.statistics = Statistics{.median = Nanoseconds(at[1] == 0 ? --time : 20.0)};
    walk->tell(ids.front(), observation);
  }
  const std::vector<ConfigurationId> expected =
      GetParam() ? std::vector<ConfigurationId>{id_of(1), id_of(1, 1), id_of(3), id_of(0), id_of(0, 1)}
                 : std::vector<ConfigurationId>{id_of(1), id_of(3), id_of(0)};
  EXPECT_EQ(order, expected);
  EXPECT_TRUE(walk->prospects().empty());
}

INSTANTIATE_TEST_SUITE_P(BothWalks, CompiledShapes, testing::Bool(),
                         [](const auto& half) { return half.param ? "OccupancyWalkAndClocks" : "OccupancyWalk"; });

}  // namespace
}  // namespace wattune::search

#include "search/interface/company_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "wattune/core/random.h"

namespace wattune::inline v0_1::search {
namespace {

using space::SearchSpace;

// The places of each kernel's shape, the most promising first, and then of the clock, the highest first.
using Shapes = std::vector<std::size_t>;
using CostOf = std::function<double(const Shapes&)>;

struct Company {
  std::vector<std::size_t> shapes;  // how many each kernel has
  std::size_t clocks = 1;
  std::vector<double> own = {};  // costs of each kernel; empty if unknown
};

SearchSpace space_of_company(const Company& company) {
  std::vector<Parameter> parameters;
  for (std::size_t k = 0; k < company.shapes.size(); ++k) {
    Parameter& shape = parameters.emplace_back();
    shape.name = "shape" + std::to_string(k);
    for (std::size_t d = 0; d < company.shapes[k]; ++d) shape.values.emplace_back(static_cast<std::int64_t>(d));
  }
  Parameter& clock = parameters.emplace_back();
  clock.name = "nvml_gr_clock";
  clock.role = ParameterRole::graphics_clock;
  for (std::size_t j = 0; j < company.clocks; ++j) clock.values.emplace_back(1000 - 10 * static_cast<std::int64_t>(j));
  return SearchSpace::build(parameters, {}).value();
}

std::vector<CompanyKernel> kernels_of_company(const Company& company) {
  std::vector<CompanyKernel> kernels;
  for (std::size_t k = 0; k < company.shapes.size(); ++k) {
    CompanyKernel& kernel = kernels.emplace_back();
    kernel.parameters = {k};
    kernel.own_cost = "own" + std::to_string(k);
    for (std::size_t d = company.shapes[k]; d-- > 0;)  // in the wrong order: the walk sorts them
      kernel.candidates.push_back({{static_cast<std::uint16_t>(d)}, 1.0, 1024u >> d});
  }
  return kernels;
}

// Returns the observation of a cost; an infinite cost is a failure.
Observation observation_of(const Company& company, double cost) {
  if (std::isinf(cost)) return {.status = Status::runtime};
  Observation observation;
  observation.statistics = Statistics{.median = Nanoseconds(cost)};
  for (std::size_t k = 0; k < company.own.size(); ++k)
    observation.metrics.push_back({.name = "own" + std::to_string(k), .value = company.own[k], .unit = ""});
  return observation;
}

struct WalkedTogether {
  Shapes chosen;
  std::vector<double> met;  // costs in the order of the runs
  bool circled = false;     // the cap on restarts ended it

  double best_of_first(std::size_t runs) const {
    return *std::min_element(met.begin(), met.begin() + static_cast<std::ptrdiff_t>(std::min(runs, met.size())));
  }
};

Shapes shapes_of(const SearchSpace& space, ConfigurationId id) {
  space::ValueIndices at;
  space.unrank(id, at);
  return {at.begin(), at.end()};
}

WalkedTogether walk_together(const Company& company, const SearchSpace& space, const CostOf& costs,
                             const CompanyWalkOptions& options) {
  const auto strategy = make_company_walk(space, kernels_of_company(company), options);
  WalkedTogether result;
  for (auto ids = strategy->ask(1); !ids.empty(); ids = strategy->ask(1)) {
    result.met.push_back(costs(shapes_of(space, ids.front())));
    strategy->tell(ids.front(), observation_of(company, result.met.back()));
  }
  result.chosen = shapes_of(space, *strategy->chosen());
  result.circled = !strategy->remark().empty();
  return result;
}

WalkedTogether walk_together(const Company& company, const CostOf& costs, const CompanyWalkOptions& options) {
  return walk_together(company, space_of_company(company), costs, options);
}

// A row of the paper's table IV: the result of the printed algorithms, and how many runs it took. The landscapes are
// made so that both come out; points that a row does not reach cost 50.
struct CompanyRow {
  const char* company;
  Company kernels;
  std::map<Shapes, double> costs;
  Shapes result;
  std::size_t runs;
};

class TableIVTogether : public testing::TestWithParam<CompanyRow> {};

TEST_P(TableIVTogether, HasTheResultAndTheRuns) {
  const CompanyRow& row = GetParam();
  const auto costs = [&](const Shapes& point) {
    const auto known = row.costs.find(point);
    return known == row.costs.end() ? 50.0 : known->second;
  };
  const WalkedTogether found = walk_together(row.kernels, costs, {.rule = CompanyRule::onwards});
  EXPECT_EQ(found.chosen, row.result);
  EXPECT_EQ(found.met.size(), row.runs);
}

// Algorithm 3, with one clock. The rows for one kernel show these shapes: Lud has 32x32, 16x16; ParticleFilter (PF)
// 512, 256, 128; StreamCluster (SC) 1024, 512, 256, 128. HotSpot has 16x16 alone, and 32x32, 16x16 beside three others
// (48 = 4 * 3 * 2 * 2). Each line below is a row with its result, its runs, and the walk.
//  Lud+PF 16x16/256 in 5: PF runs longer: 512, 256, 128 (worse); Lud 16x16; PF 128 once more beside that (worse).
//  Lud+MatMul 16x16/32x32 in 3: both at 32x32; Lud 16x16; MatMul 16x16 (worse).
//  SC+HotSpot 128/16x16 in 4: SC 1024, 512, 256, 128; HotSpot has one shape.
//  Four, 128/128/16x16/32x32 in 8: SC's four, PF's other two, Lud's and HotSpot's (worse). A walk from the first shape
//  after each change would take ten runs at least, since the eight points around the result leave out how it came
//  there.
INSTANTIATE_TEST_SUITE_P(
    Performance, TableIVTogether,
    testing::Values(
        CompanyRow{"LudPF_K20c",
                   {{2, 3}, 1, {1, 2}},
                   {{{0, 0, 0}, 9}, {{0, 1, 0}, 8}, {{0, 2, 0}, 8.5}, {{1, 1, 0}, 7}, {{1, 2, 0}, 7.5}},
                   {1, 1, 0},
                   5},
        CompanyRow{
            "LudMatMul_K20c", {{2, 2}, 1, {2, 1}}, {{{0, 0, 0}, 9}, {{1, 0, 0}, 8}, {{1, 1, 0}, 8.5}}, {1, 0, 0}, 3},
        CompanyRow{"SCHotSpot_K40c",
                   {{4, 1}, 1, {2, 1}},
                   {{{0, 0, 0}, 9}, {{1, 0, 0}, 8}, {{2, 0, 0}, 7}, {{3, 0, 0}, 6}},
                   {3, 0, 0},
                   4},
        CompanyRow{"Four_K40c",
                   {{4, 3, 2, 2}, 1, {4, 3, 2, 1}},
                   {{{0, 0, 0, 0, 0}, 9},
                    {{1, 0, 0, 0, 0}, 8.5},
                    {{2, 0, 0, 0, 0}, 8},
                    {{3, 0, 0, 0, 0}, 7.5},
                    {{3, 1, 0, 0, 0}, 7},
                    {{3, 2, 0, 0, 0}, 6.5},
                    {{3, 2, 1, 0, 0}, 6},
                    {{3, 2, 1, 1, 0}, 6.5}},
                   {3, 2, 1, 0, 0},
                   8}),
    [](const auto& test) { return std::string(test.param.company); });

// Algorithm 4. Clocks of the K20c are 758, 705, 666, 640, 614 MHz, of the K40c 875, 810, 745, 666.
//  Lud+PF 32x32/512@758 in 6: both first at 758, 705 (worse); Lud 16x16 (worse); PF's next; 705 once more (worse); Lud
//  16x16 beside it (worse). If 512 were PF's first shape, the walk would end after four runs. So a larger block comes
//  before it, as in the row of GTX 680 for PF alone, and none after it.
//  Lud+MatMul 16x16/32x32@705 in 5: 758, 705, 666 (worse); Lud, the first kernel, 16x16; MatMul 16x16 (worse).
//  SC+HotSpot 512/16x16@810 in 6: 875, 810, 745 (worse); HotSpot, the first, has one shape; SC 512, 256 (worse); 745
//  once more (worse).
//  Four, all at their first shape @745 in 8: four clocks; the second shape of each is worse.
INSTANTIATE_TEST_SUITE_P(
    Energy, TableIVTogether,
    testing::Values(CompanyRow{"LudPF_K20c",
                               {{2, 2}, 5, {2, 1}},
                               {{{0, 0, 0}, 9}, {{0, 0, 1}, 9.5}, {{1, 0, 0}, 10}, {{0, 1, 0}, 8}, {{0, 1, 1}, 8.5}},
                               {0, 1, 0},
                               6},
                    CompanyRow{"LudMatMul_K20c",
                               {{2, 2}, 5, {2, 1}},
                               {{{0, 0, 0}, 9}, {{0, 0, 1}, 8}, {{0, 0, 2}, 8.5}, {{1, 0, 1}, 7}},
                               {1, 0, 1},
                               5},
                    CompanyRow{"SCHotSpot_K40c",
                               {{4, 1}, 4, {1, 2}},
                               {{{0, 0, 0}, 9}, {{0, 0, 1}, 8}, {{0, 0, 2}, 8.5}, {{1, 0, 1}, 7}, {{2, 0, 1}, 7.5}},
                               {1, 0, 1},
                               6},
                    CompanyRow{"Four_K40c",
                               {{4, 3, 2, 2}, 4, {4, 3, 2, 1}},
                               {{{0, 0, 0, 0, 0}, 9}, {{0, 0, 0, 0, 1}, 8}, {{0, 0, 0, 0, 2}, 7}},
                               {0, 0, 0, 0, 2},
                               8}),
    [](const auto& test) { return std::string(test.param.company); });

CompanyWalkOptions rule(CompanyRule which) { return {.rule = which}; }

TEST(CompanyWalk, FromTheFirstShapeConfirmsTheResultFromThere) {
  const auto costs = [](const Shapes& point) { return 9.0 - static_cast<double>(point[0] + point[1]); };
  const WalkedTogether found = walk_together({{3, 2}, 1, {2, 1}}, costs, rule(CompanyRule::from_first));
  EXPECT_EQ(found.chosen, (Shapes{2, 1, 0}));
  EXPECT_EQ(found.met.size(), 6u);  // (0,0) (1,0) (2,0) (2,1), and from the first kernel again (0,1) (1,1)
  EXPECT_EQ(walk_together({{3, 2}, 1, {2, 1}}, costs, rule(CompanyRule::onwards)).met.size(), 4u);
}

TEST(CompanyWalk, TriesTheKernelWithTheHighestOwnCostFirst) {
  const auto costs = [](const Shapes& point) {
    return point == Shapes{0, 0, 0} ? 1.0 : 2.0 + static_cast<double>(point[0]);
  };
  EXPECT_EQ(walk_together({{2, 2}, 1, {1, 2}}, costs, {}).met, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(walk_together({{2, 2}, 1, {2, 1}}, costs, {}).met, (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(walk_together({{2, 2}, 1, {}}, costs, {}).met, (std::vector<double>{1, 3, 2}));
}

// Beside the other's second shape the first kernel's first shape, which it left before, is the best again.
TEST(CompanyWalk, GoesBackToWhatItLeft) {
  const std::map<Shapes, double> known = {{{0, 0, 0}, 9}, {{1, 0, 0}, 8}, {{1, 1, 0}, 7}, {{0, 1, 0}, 6}};
  const auto costs = [&](const Shapes& point) { return known.at(point); };
  EXPECT_EQ(walk_together({{2, 2}, 1, {2, 1}}, costs, rule(CompanyRule::two_way)).chosen, (Shapes{0, 1, 0}));
  EXPECT_EQ(walk_together({{2, 2}, 1, {2, 1}}, costs, rule(CompanyRule::onwards)).chosen, (Shapes{1, 1, 0}));
}

TEST(CompanyWalk, TakesOnlyWhatIsBetterThanTheBand) {
  const auto costs = [](const Shapes& point) { return 100.0 - 0.5 * static_cast<double>(point[0]); };
  EXPECT_EQ(walk_together({{2, 1}, 1, {}}, costs, {}).met.size(), 2u);
  const WalkedTogether close = walk_together({{3, 2}, 1, {}}, costs, {.indifference = 0.02});
  EXPECT_EQ(close.met.size(), 4u);  // no change, hence no restart: its shapes once, and the other's
}

// A failure costs more than all else. From a failure the walk goes on to the last shape, and tries the other kernel's
// there; from a better place it goes no further.
TEST(CompanyWalk, WhatFailsIsWorseThanAllElse) {
  const double failed = std::numeric_limits<double>::infinity();
  const auto falling_behind = [&](std::size_t failing) {
    return [=](const Shapes& at) { return at[0] == failing ? failed : 9.0 - static_cast<double>(at[0]); };
  };
  const WalkedTogether first = walk_together({{3, 2}, 1, {}}, falling_behind(0), {});
  EXPECT_EQ(first.met, (std::vector<double>{failed, 8, 7, 7}));  // (0,0) (1,0) (2,0) (2,1)
  EXPECT_EQ(first.chosen, (Shapes{2, 0, 0}));
  const WalkedTogether second = walk_together({{3, 2}, 1, {}}, falling_behind(1), {});
  EXPECT_EQ(second.met, (std::vector<double>{9, failed, 9}));  // (0,0) (1,0) (0,1)
  EXPECT_EQ(second.chosen, (Shapes{0, 0, 0}));
}

// The only shapes are not in the space together.
TEST(CompanyWalk, SettlesOnNothingWhereNothingIsInTheSpace) {
  std::vector<Parameter> parameters(2);
  for (std::size_t k = 0; k < 2; ++k) {
    parameters[k].name = "shape" + std::to_string(k);
    parameters[k].values = {0, 1};
  }
  const SearchSpace space = SearchSpace::build(parameters, {{"shape0 + shape1 < 2", {}}}).value();
  const std::vector<CompanyKernel> kernels = {{.parameters = {0}, .candidates = {{{1}, 1.0, 64}}},
                                              {.parameters = {1}, .candidates = {{{1}, 1.0, 64}}}};
  for (const CompanyRule each : {CompanyRule::two_way, CompanyRule::from_first}) {
    const auto strategy = make_company_walk(space, kernels, rule(each));
    EXPECT_TRUE(strategy->ask(1).empty());
    EXPECT_EQ(strategy->chosen(), std::nullopt);
  }
}

// Costs of random companies. `structure` is how much of them are costs of each kernel's shape, which rise or fall; the
// rest depends on the single point.
class RandomCosts {
 public:
  RandomCosts(const Company& company, std::uint64_t seed, double structure) : shapes_(company.shapes) {
    Random random(seed);
    std::vector<std::vector<double>> parts;
    for (const std::size_t shapes : shapes_) {
      std::vector<double>& part = parts.emplace_back();
      const double slope = (random.uniform() - 0.5) / static_cast<double>(shapes);
      for (std::size_t d = 0; d < shapes; ++d)
        part.push_back(0.5 + slope * static_cast<double>(d) + 0.3 * random.uniform());
    }
    Shapes at(shapes_.size(), 0);
    do {
      double cost = 0.5 + (1.0 - structure) * random.uniform();
      for (std::size_t k = 0; k < parts.size(); ++k)
        cost += structure * parts[k][at[k]] / static_cast<double>(parts.size());
      costs_.push_back(cost);
    } while (advance(at));
  }

  double operator()(const Shapes& shapes) const {
    std::size_t place = 0;
    for (std::size_t k = shapes_.size(); k-- > 0;) place = place * shapes_[k] + shapes[k];
    return costs_[place];
  }
  double least() const { return *std::ranges::min_element(costs_); }

 private:
  // Advances to the next point; the first kernel's shape changes fastest.
  bool advance(Shapes& at) const {
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      if (++at[k] < shapes_[k]) return true;
      at[k] = 0;
    }
    return false;
  }

  std::vector<std::size_t> shapes_;
  std::vector<double> costs_;
};

// The occupancy-reduced space of Guerreiro's four kernels on the K40c, then the whole one.
const Company kReduced{{4, 3, 2, 2}, 1, {4, 3, 2, 1}};
const Company kWhole{{10, 9, 5, 5}, 1, {4, 3, 2, 1}};

// If a kernel's first shape has become worse beside the others' new ones, walks from there end elsewhere each time.
TEST(CompanyWalk, TheCapEndsCirclesOfThePrintedRule) {
  const auto flat = [](const Shapes&) { return 5.0; };
  EXPECT_FALSE(walk_together({{2, 2}, 1, {}}, flat, rule(CompanyRule::from_first)).circled);
  EXPECT_EQ(walk_together({{2, 2}, 1, {}}, flat, {}).chosen, (Shapes{0, 0, 0}));  // an equal cost is not better
  std::size_t circles = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    if (walk_together(kReduced, RandomCosts(kReduced, seed, 0.0), rule(CompanyRule::from_first)).circled) ++circles;
  EXPECT_GT(circles, 0u);
}

struct ComparedRules {
  double ours = 0.0;  // best it had met after as many runs as the printed one took, over the least of all points
  double printed = 0.0;
  double runs_of_ours = 0.0;
  double runs_of_printed = 0.0;
  std::size_t our_circles = 0;
  std::size_t circles = 0;
};

constexpr std::uint64_t kLandscapes = 1000;

ComparedRules compare_rules(const Company& company, CompanyRule printed, double structure) {
  const SearchSpace space = space_of_company(company);
  ComparedRules mean;
  for (std::uint64_t seed = 0; seed < kLandscapes; ++seed) {
    const RandomCosts costs(company, seed, structure);
    const double least = costs.least();
    const WalkedTogether theirs = walk_together(company, space, costs, rule(printed));
    const WalkedTogether found = walk_together(company, space, costs, {});
    mean.ours += found.best_of_first(theirs.met.size()) / least / kLandscapes;
    mean.printed += costs(theirs.chosen) / least / kLandscapes;
    mean.runs_of_ours += static_cast<double>(found.met.size()) / kLandscapes;
    mean.runs_of_printed += static_cast<double>(theirs.met.size()) / kLandscapes;
    mean.our_circles += found.circled ? 1 : 0;
    mean.circles += theirs.circled ? 1 : 0;
  }
  return mean;
}

struct Comparison {
  const char* name;
  const Company* company;
  CompanyRule printed;
  double structure;
};

class CompanyRules : public testing::TestWithParam<Comparison> {};

// docs/results/frugal.md has the figures. On landscapes with hardly anything but structure every step points the way,
// so that going onwards alone is as good in the few runs that it takes.
TEST_P(CompanyRules, OursIsNoWorseThanThePrintedAtEqualRuns) {
  const Comparison& asked = GetParam();
  const ComparedRules found = compare_rules(*asked.company, asked.printed, asked.structure);
  RecordProperty("figures", "ours " + std::to_string(found.ours) + " in " + std::to_string(found.runs_of_ours) +
                                ", printed " + std::to_string(found.printed) + " in " +
                                std::to_string(found.runs_of_printed) + ", circles " + std::to_string(found.circles));
  EXPECT_LE(found.ours, found.printed);
  EXPECT_EQ(found.our_circles, 0u);
}

INSTANTIATE_TEST_SUITE_P(Landscapes, CompanyRules,
                         testing::Values(Comparison{"Reduced_FromFirst", &kReduced, CompanyRule::from_first, 0.0},
                                         Comparison{"Reduced_Onwards", &kReduced, CompanyRule::onwards, 0.0},
                                         Comparison{"ReducedHalf_FromFirst", &kReduced, CompanyRule::from_first, 0.5},
                                         Comparison{"ReducedHalf_Onwards", &kReduced, CompanyRule::onwards, 0.5},
                                         Comparison{"Whole_FromFirst", &kWhole, CompanyRule::from_first, 0.0},
                                         Comparison{"Whole_Onwards", &kWhole, CompanyRule::onwards, 0.0},
                                         Comparison{"WholeHalf_FromFirst", &kWhole, CompanyRule::from_first, 0.5},
                                         Comparison{"WholeHalf_Onwards", &kWhole, CompanyRule::onwards, 0.5}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace wattune::search

#include "company/interface/company_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "company/interface/company.h"
#include "company/interface/stand_ins.h"

namespace wattune::inline v0_1::company {
namespace {

Parameter parameter(const std::string& name, std::vector<std::int64_t> values, std::int64_t standard) {
  Parameter made{.name = name, .values = {}, .default_value = Value(standard), .position = {}};
  for (const std::int64_t value : values) made.values.emplace_back(value);
  return made;
}

KernelSpec spec_with(std::vector<Parameter> parameters, std::vector<std::string> constraints = {}) {
  KernelSpec spec;
  spec.parameters = std::move(parameters);
  for (std::string& each : constraints) spec.constraints.push_back({std::move(each), {}});
  spec.geometry.work_group.front() = {"block", {}};
  return spec;
}

Parameter clock_of(std::vector<std::int64_t> values) {
  Parameter clock = parameter("nvml_gr_clock", std::move(values), 1000);
  clock.role = ParameterRole::graphics_clock;
  return clock;
}

// Makes a space of two kernels. The constraint leaves 4 of the first one's 3 x 2 configurations (tile 2 only with block
// 64); together there are 4 x 2.
CompanySpace two_kernels() {
  return CompanySpace::build({{"a", spec_with({parameter("block", {64, 128, 256}, 128), parameter("tile", {1, 2}, 1)},
                                              {"block * tile <= 256 and (tile == 1 or block < 128)"})},
                              {"b", spec_with({parameter("block", {32, 64}, 64)})}})
      .value();
}

TEST(CompanySpace, IsTheProductOfItsMembersSpacesUnderTheirNames) {
  const CompanySpace company = two_kernels();
  EXPECT_EQ(company.space().count(), 8u);
  const Configuration standard = company.space().configuration(company.space().default_configuration());
  EXPECT_EQ(standard.to_string(), "a.block=128, a.tile=1, b.block=64");
  EXPECT_EQ(company.own(0, standard).to_string(), "block=128, tile=1");
  EXPECT_EQ(company.own(1, standard).to_string(), "block=64");
}

TEST(CompanySpace, PutsTogetherWhatItTookApart) {
  const CompanySpace company = two_kernels();
  for (auto id = company.space().next(0); id; id = company.space().next(*id + 1)) {
    const Configuration all = company.space().configuration(*id);
    EXPECT_EQ(company.together({company.own(0, all).id(), company.own(1, all).id()}), *id);
  }
}

// The largest block comes first if nothing is known of the GPU. `tile` is no part of a block's shape and stays at 1.
TEST(CompanySpace, GivesAWalkTheShapesOfEachKernel) {
  const auto kernels = two_kernels().walk_kernels("");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].own_cost, "time.a");
  EXPECT_EQ(kernels[0].parameters, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(kernels[0].candidates.size(), 3u);
  EXPECT_EQ(kernels[1].parameters, (std::vector<std::size_t>{2}));
  EXPECT_EQ(kernels[1].candidates[1].threads, 64u);
}

TEST(CompanySpace, WalksOverAllOfFewConfigurationsWithoutShapes) {
  KernelSpec shapeless = spec_with({parameter("unroll", {1, 2, 4}, 2)});
  shapeless.geometry.work_group.front() = {"64", {}};
  const auto company = CompanySpace::build({{"a", shapeless}, {"b", spec_with({parameter("block", {32}, 32)})}});
  const auto kernels = company.value().walk_kernels("");
  ASSERT_EQ(kernels[0].candidates.size(), 3u);
  EXPECT_EQ(kernels[0].candidates[0].values, (space::ValueIndices{1}));  // the default one first
}

// Each of two kernels has three numbers of resident blocks; all else stays. The given configuration comes first.
TEST(CompanySpace, HasEveryRatioOfResidentBlocks) {
  const KernelSpec spec = spec_with({parameter("block", {32, 64}, 32)});
  const auto company = CompanySpace::build({{"a", spec, {0, 2, 5}}, {"b", spec}, {"c", spec, {0, 1, 3}}}).value();
  const ConfigurationId all = company.together({1, 0, 1});
  const std::vector<ConfigurationId> ratios = company.ratios(all);
  ASSERT_EQ(ratios.size(), 9u);
  EXPECT_EQ(ratios.front(), all);
  std::set<std::pair<unsigned, unsigned>> seen;
  for (const ConfigurationId id : ratios) {
    const Configuration its = company.space().configuration(id);
    seen.emplace(company.resident_blocks(0, its), company.resident_blocks(2, its));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(company.own(k, its).id(), k == 1 ? 0u : 1u);
  }
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_TRUE(seen.contains({5, 3}));
}

TEST(CompanySpace, LeavesRatiosThatAreTooManyAsTheyAre) {
  const KernelSpec spec = spec_with({parameter("block", {32, 64}, 32)});
  std::vector<unsigned> values(17);
  std::iota(values.begin(), values.end(), 0U);
  const auto company = CompanySpace::build({{"a", spec, values}, {"b", spec, values}}).value();
  EXPECT_EQ(company.ratios(company.together({1, 0})).size(), 1u);       // there would be 289
  EXPECT_EQ(two_kernels().ratios(3), std::vector<ConfigurationId>{3});  // without resident blocks
}

// The first kernel has three numbers of resident blocks and the second none: 3 * 2 * 2 configurations.
TEST(CompanySpace, HasResidentBlocksThatNoKernelKnowsOf) {
  const KernelSpec spec = spec_with({parameter("block", {32, 64}, 64)});
  const auto company = CompanySpace::build({{"a", spec, {0, 1, 4}}, {"b", spec}}).value();
  EXPECT_EQ(company.space().count(), 12u);
  EXPECT_EQ(company.space().configuration(company.space().default_configuration()).to_string(),
            "a.block=64, a.resident_blocks=0, b.block=64");
  std::map<unsigned, int> seen;
  for (auto id = company.space().next(0); id; id = company.space().next(*id + 1)) {
    const Configuration all = company.space().configuration(*id);
    EXPECT_EQ(company.own(0, all).names(), (std::vector<std::string>{"block"}));
    EXPECT_EQ(company.resident_blocks(1, all), 0u);
    ++seen[company.resident_blocks(0, all)];
  }
  EXPECT_EQ(seen, (std::map<unsigned, int>{{0, 4}, {1, 4}, {4, 4}}));
  EXPECT_EQ(company.resident_blocks(0, company.space().configuration(company.together({0, 0}))), 0u);
  const auto taken =
      CompanySpace::build({{"a", spec_with({parameter("resident_blocks", {1}, 1)}), {0, 1}}, {"b", spec}});
  EXPECT_THAT(taken.error().to_string(), testing::HasSubstr("a.resident_blocks"));
}

TEST(CompanySpace, AllShareTheBoardsClock) {
  const KernelSpec clocked = spec_with({parameter("block", {32, 64}, 64), clock_of({1000, 900})});
  const auto company = CompanySpace::build({{"a", clocked}, {"b", clocked}}).value();
  EXPECT_EQ(company.space().count(), 8u);  // 2 * 2 * 2
  ASSERT_EQ(company.board_parameters().size(), 1u);
  EXPECT_EQ(company.own(0, company.space().configuration(0)).names(), (std::vector<std::string>{"block"}));
  const KernelSpec other = spec_with({parameter("block", {32, 64}, 64), clock_of({1000, 800})});
  const auto refused = CompanySpace::build({{"a", clocked}, {"b", other}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "kernels that run together share the board, but their specs give it different values: `nvml_gr_clock`");
}

TEST(CompanySpace, NamesWhoseSpaceIsWrong) {
  const auto empty = CompanySpace::build({{"a", spec_with({parameter("block", {32}, 32)})},
                                          {"b", spec_with({parameter("block", {32}, 32)}, {"block > 64"})}});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().to_string().substr(0, 2), "b:");
  EXPECT_FALSE(CompanySpace::build({{"a", spec_with({parameter("block", {32}, 32)})}}));
  EXPECT_FALSE(CompanySpace::build(
      {{"a", spec_with({parameter("block", {32}, 32)})}, {"a", spec_with({parameter("block", {32}, 32)})}}));
}

TEST(StandIns, HaveOneConfigurationInBothLanguages) {
  for (const std::string& name : stand_in_names()) {
    const KernelSpec spec = stand_in(name).value();
    const auto space = space::SearchSpace::build(spec.parameters, spec.constraints);
    EXPECT_EQ(space.value().count(), 1u);
    ASSERT_EQ(spec.alternatives.size(), 1u);
    EXPECT_NE(spec.source.language, spec.alternatives.front().language);
  }
  EXPECT_EQ(stand_in("memroy").error().to_string(),
            "no class of partners has this name: `memroy` (did you mean `memory`?)");
}

TEST(Company, FindsTheRepetitionsOfAnEarlierRun) {
  RunInfo info;
  EXPECT_TRUE(repetitions_of(info).empty());
  info.identity["repetitions"] = "12, 1, 3";
  EXPECT_EQ(repetitions_of(info), (std::vector<std::size_t>{12, 1, 3}));
  info.identity["repetitions"] = "many";
  EXPECT_TRUE(repetitions_of(info).empty());
}

}  // namespace
}  // namespace wattune::company

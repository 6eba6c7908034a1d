// The Trials that count in a space that has changed, and the cases in which another default configuration may judge.
#include "wattune/tune/session.h"

#include <gmock/gmock.h>

#include "tune/interface/describe_run.h"
#include "tune/problem.h"
#include "tune/tuner_fixture.h"

namespace wattune::inline v0_1::tune {
namespace {

using ::testing::HasSubstr;

space::SearchSpace space_with(const std::vector<Value>& values, const std::string& constraint = "p >= 0",
                              std::optional<Value> standard = {}) {
  return space::SearchSpace::build({{"p", values, std::move(standard), {}}, {"q", {1, 2}, {}, {}}}, {{constraint, {}}})
      .value();
}

Configuration recorded(const Value& p, const Value& q) {
  return {77, std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"q", "p"}), {q, p}};
}

TEST(Place, IsByNamesAndValuesWhateverTheOrder) {
  const space::SearchSpace space = space_with({5, 7, 9}, "p + q != 9");
  const auto placed = place(space, recorded(7, 1));
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->to_string(), "p=7, q=1");
  EXPECT_EQ(*placed, space.configuration(placed->id()));
  EXPECT_FALSE(place(space, recorded(7, 2))) << "breaks the constraint";
  EXPECT_FALSE(place(space, recorded(8, 1))) << "no value of p";
}

// The values 7 and 7.0 are equal, but give other code.
TEST(Place, TellsValuesApartThatAreWrittenOtherwise) {
  EXPECT_FALSE(place(space_with({5, 7}), recorded(7.0, 1)));
  EXPECT_FALSE(place(space_with({0, 1}), recorded(true, 1)));
}

TEST(Place, NeedsTheSameParameters) {
  const auto one = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"p"});
  const auto other = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"p", "r"});
  EXPECT_FALSE(place(space_with({5, 7}), Configuration(0, one, {5})));
  EXPECT_FALSE(place(space_with({5, 7}), Configuration(0, other, {5, 1})));
}

Trial trial_with(Status status, double registers) {
  Trial trial{recorded(5, 1), status == Status::correct ? correct(10) : failed(status), {}};
  trial.observation.metrics = {{"registers", registers, ""}};
  return trial;
}

// Only Trials measured under other resource constraints are checked against them again.
TEST(Placement, KnowsResourceConstraints) {
  KernelSpec spec;
  spec.resource_constraints = {{"registers <= 32", {}}};
  const space::SearchSpace space = space_with({5, 7});
  const Placement placement = tune::placement(spec, space).value();
  RunInfo before;
  EXPECT_TRUE(placement(trial_with(Status::correct, 32), before));
  EXPECT_FALSE(placement(trial_with(Status::correct, 33), before));
  EXPECT_FALSE(placement(trial_with(Status::constraints, 20), before)) << "may be allowed now";
  EXPECT_TRUE(placement(trial_with(Status::runtime, 20), before));
  before.identity[kResourceConstraints] = resource_constraints_of(spec);
  EXPECT_TRUE(placement(trial_with(Status::constraints, 40), before));
}

// Returns the RunInfo of a run that the default configuration p = 5, q = 1 judged.
RunInfo judged_by_default(const std::string& reference) {
  RunInfo info;
  info.parameters = {{.name = "p", .values = {5, 7}}, {.name = "q", .values = {1, 2}}};
  info.default_values = {5, 1};
  info.identity["reference"] = reference;
  return info;
}

class FormerDefault : public ::testing::Test {
 protected:
  Result<void> adopt(const space::SearchSpace& space, const std::string& before, Status outcome) {
    FunctionEvaluator evaluator([&](const Configuration& configuration) -> Result<Observation> {
      evaluated.push_back(configuration.to_string());
      return outcome == Status::correct ? correct(10) : failed(outcome);
    });
    now.identity["reference"] = "default configuration p=7, q=1";
    return adopt_former_reference(space, evaluator, judged_by_default(before), now);
  }

  std::vector<std::string> evaluated;
  RunInfo now;
};

TEST_F(FormerDefault, GoesOnWhereItLeavesTheSame) {
  for (const std::string& before : {std::string("default configuration p=5, q=1"), reference_of_none()}) {
    evaluated.clear();
    ASSERT_TRUE(adopt(space_with({5, 7}, "p > 0", Value(7)), before, Status::correct));
    EXPECT_THAT(evaluated, ::testing::ElementsAre("p=5, q=1"));
    EXPECT_EQ(now.identity["reference"], before);
  }
}

TEST_F(FormerDefault, IsRefusedWhereItLeavesSomethingElseOrIsGone) {
  const std::string before = "default configuration p=5, q=1";
  const auto differs = adopt(space_with({5, 7}, "p > 0", Value(7)), before, Status::correctness);
  ASSERT_FALSE(differs);
  EXPECT_EQ(differs.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(differs.error().to_string(), HasSubstr("p=5, q=1"));
  EXPECT_THAT(adopt(space_with({7, 9}, "p > 0", Value(7)), before, Status::correct).error().message(),
              HasSubstr("which is not in the search space any more"));
}

TEST_F(FormerDefault, IsNotAskedWhereThereIsAReference) {
  ASSERT_TRUE(adopt(space_with({5, 7}, "p > 0", Value(7)), "0123", Status::correctness));
  EXPECT_TRUE(evaluated.empty());
  EXPECT_EQ(now.identity["reference"], "default configuration p=7, q=1");
}

}  // namespace
}  // namespace wattune::tune

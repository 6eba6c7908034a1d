#include "company/company_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "company/company_fixture.h"
#include "tune/observed_board.h"

namespace wattune::inline v0_1::company {
namespace {

using testing::HasSubstr;

// A policy that warms up for so many runs, takes samples, and remembers the incumbents of its races.
class WatchedPolicy : public measure::MeasurePolicy {
 public:
  explicit WatchedPolicy(std::size_t warm_up = 0) : warm_up_(warm_up) {}

  std::unique_ptr<measure::Sampling> begin(const std::optional<Statistics>& incumbent, Nanoseconds) override {
    incumbents.push_back(incumbent);
    return std::make_unique<Few>(warm_up_);
  }
  Identity identity() const override { return {}; }

  std::vector<std::optional<Statistics>> incumbents;

 private:
  class Few : public measure::Sampling {
   public:
    explicit Few(std::size_t warm_up)
        : Sampling(warm_up > 0 ? Wanted{.runs = warm_up, .warm_up = true} : Wanted{.runs = 1}) {}

   private:
    Wanted next(Nanoseconds) override { return {.runs = samples().empty() ? 1u : 0u}; }
  };

  const std::size_t warm_up_;
};

Parameter clock_parameter() {
  return {"mhz", {1200, 1410}, Value(std::int64_t{1410}), {}, ParameterRole::graphics_clock};
}

class CompanyEvaluatorTest : public testing::Test {
 protected:
  CompanyEvaluatorTest() {
    for (const std::string name : {"one", "two"})
      device_.add_kernel(name, 1, [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
        for (float& y : launch.elements<float>(0)) y = 1.0F;
        return board_.run(Watts(200), launch_());
      });
  }

  void open(CompanyPlan plan = {.order = {0, 1}, .repetitions = {1, 1}}, std::size_t warm_up = 0) {
    auto policy = std::make_unique<WatchedPolicy>(warm_up);
    policy_ = policy.get();
    CompanySetUp set_up{
        .plan = std::move(plan),
        .evaluation = {.limits = {.compile = nanoseconds_from_seconds(10), .run = nanoseconds_from_seconds(100)}},
        .policy = std::move(policy)};
    set_up.clocks = tune::BoardClocks::open(company_.board_parameters(), device_, {}).value();
    if (joules_) set_up.recorder = board_.recorder_of(device_)(device_.info()).value();
    std::vector<Soloist> soloists;
    for (std::size_t k = 0; k < company_.size(); ++k) soloists.push_back(soloist_of(alone_));
    evaluator_ = std::make_unique<CompanyEvaluator>(company_, device_, std::move(soloists), std::move(set_up));
  }
  Configuration all(ConfigurationId id) const { return company_.space().configuration(id); }
  Observation evaluate(ConfigurationId id) { return evaluator_->evaluate(all(id)).value(); }
  static double metric(const Observation& observation, const std::string& name) {
    const auto found = std::ranges::find(observation.metrics, name, &Metric::name);
    return found == observation.metrics.end() ? -1.0 : found->value;
  }

  fakes::FakeDevice device_;
  tune::ObservedBoard board_;
  CompanySpace company_ = CompanySpace::build({{"one", writing_spec("one")}, {"two", writing_spec("two")}}).value();
  Alone alone_ = alone_by_block;
  std::function<Nanoseconds()> launch_ = [] { return nanoseconds_from_ms(1); };  // time of a launch
  bool joules_ = false;
  WatchedPolicy* policy_ = nullptr;
  std::unique_ptr<CompanyEvaluator> evaluator_;
};

// Budgets add up the times of samples. So a sample is the time of all four launches, and the metric that of one.
TEST_F(CompanyEvaluatorTest, BesidePartnersASampleIsTheTimeOfAllLaunches) {
  open({.order = {0, 1}, .repetitions = {4, 1}, .timed = 0});
  const Observation observation = evaluate(0);
  ASSERT_TRUE(observation.ok()) << observation.message;
  ASSERT_EQ(observation.samples.size(), 1u);
  EXPECT_NEAR(to_seconds(observation.samples.front().time), 4.0 * metric(observation, "time.one"), 1e-12);
}

// Each launch takes half a millisecond longer than the previous one, so no sample has the time of a run that warms up.
TEST_F(CompanyEvaluatorTest, OwnTimesAreThoseOfTheSamples) {
  Nanoseconds time = nanoseconds_from_ms(1);
  launch_ = [&] { return time += nanoseconds_from_ms(0.5); };
  open({.order = {0, 1}, .repetitions = {1, 1}, .timed = 0}, 4);
  const Observation observation = evaluate(0);
  ASSERT_EQ(observation.samples.size(), 1u) << observation.message;
  EXPECT_DOUBLE_EQ(metric(observation, "time.one"), to_seconds(observation.samples.front().time));
}

TEST_F(CompanyEvaluatorTest, SamplesSayWhatTheBoardWasLike) {
  device_.on_read(
      [](Nanoseconds) { return backend::SensorReadings{.conditions = {.clock = Megahertz(1410), .throttled = true}}; });
  open();
  const Observation observation = evaluate(0);
  ASSERT_EQ(observation.samples.size(), 1u) << observation.message;
  EXPECT_EQ(observation.samples.front().clock, Megahertz(1410));
  EXPECT_TRUE(observation.samples.front().throttled);
}

TEST_F(CompanyEvaluatorTest, RacesAgainstTheBestTime) {
  open();
  const Observation first = evaluate(0);
  evaluate(1);
  ASSERT_EQ(policy_->incumbents.size(), 2u);
  EXPECT_FALSE(policy_->incumbents[0]);
  EXPECT_EQ(policy_->incumbents[1], first.statistics);
}

TEST_F(CompanyEvaluatorTest, RacesAgainstNobodyWhereJoulesAreTheObjective) {
  joules_ = true;
  open();
  evaluator_->know_best(tune::measured(1.0));
  const Observation first = evaluate(0);
  ASSERT_TRUE(first.objective_value) << first.message;
  EXPECT_GT(*first.objective_value, 0.0);
  evaluate(1);
  ASSERT_EQ(policy_->incumbents.size(), 2u);
  EXPECT_FALSE(policy_->incumbents[0]);
  EXPECT_FALSE(policy_->incumbents[1]);
  EXPECT_GE(evaluator_->turn_overhead(), power::kScreeningWindow);  // the window of each turn of a final
}

// Each member is timed alone once, at 1410 MHz, though the first joint configuration runs at 1200.
TEST_F(CompanyEvaluatorTest, TimesAloneAreAtTheClocksOfTheDefaultConfiguration) {
  fakes::FakeClocks& clocks = device_.add_clocks();
  company_ = CompanySpace::build(
                 {{"one", writing_spec("one", {clock_parameter()})}, {"two", writing_spec("two", {clock_parameter()})}})
                 .value();
  std::vector<std::optional<Megahertz>> alone_at;
  std::optional<Megahertz> ran_at;
  alone_ = [&](const Configuration& own) {
    alone_at.push_back(clocks.now.graphics);
    return alone_by_block(own);
  };
  launch_ = [&] {
    ran_at = clocks.now.graphics;
    return nanoseconds_from_ms(1);
  };
  open();
  for (const ConfigurationId id : {0, 1}) {
    const Configuration configuration = all(id);
    ASSERT_TRUE(evaluate(id).ok());
    EXPECT_EQ(ran_at, Megahertz(configuration.find("mhz")->as_real()));
  }
  EXPECT_EQ(alone_at, (std::vector<std::optional<Megahertz>>{Megahertz(1410), Megahertz(1410)}));
}

TEST_F(CompanyEvaluatorTest, ErrorsOfAMemberEndTheSearchAndNameIt) {
  alone_ = [](const Configuration&) { return Error(ErrorCode::mismatch, "the kernel takes other arguments"); };
  open();
  const Result<Observation> none = evaluator_->evaluate(all(0));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().to_string(), HasSubstr("one: the kernel takes other arguments"));
}

// Replays charge these times.
TEST_F(CompanyEvaluatorTest, SaysWhatPreparingTook) {
  open();
  const Observation observation = evaluate(0);
  ASSERT_TRUE(observation.ok()) << observation.message;
  EXPECT_GT(observation.phases.compile, Nanoseconds());
  EXPECT_GT(observation.phases.check, Nanoseconds());
  EXPECT_GT(observation.phases.measure, Nanoseconds());
}

// When the first configuration comes again, its kernels are still loaded.
TEST_F(CompanyEvaluatorTest, PhasesAreThoseOfWhatAnEvaluationDoes) {
  constexpr Nanoseconds kCompiling = nanoseconds_from_seconds(50);
  constexpr Nanoseconds kMeasuring = nanoseconds_from_seconds(70);
  alone_ = [&](const Configuration& own) {
    Observation observation = alone_by_block(own).value();
    observation.phases = {.compile = kCompiling, .check = {}, .measure = kMeasuring};
    return Result<Observation>(std::move(observation));
  };
  open();
  const PhaseTimes first = evaluate(0).phases;
  EXPECT_GT(first.compile, 2.0 * kCompiling);
  EXPECT_LT(first.compile, 2.0 * kMeasuring);
  EXPECT_GT(first.measure, 2.0 * kMeasuring);
  const PhaseTimes again = evaluate(0).phases;
  EXPECT_EQ(again.compile, Nanoseconds());
  EXPECT_GT(again.check, Nanoseconds());
  EXPECT_LT(again.measure, kMeasuring);
}

}  // namespace
}  // namespace wattune::company

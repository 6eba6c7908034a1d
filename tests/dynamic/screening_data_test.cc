// Input of screening: its data, its device, which of its results count, and when it goes on.
#include "dynamic/screening/screening_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic/screening/key_screening.h"
#include "dynamic/screening/screening_allowance.h"
#include "dynamic/screening/screening_device.h"
#include "programs.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Configuration numbered(int n) {
  const auto names = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x"});
  return {static_cast<ConfigurationId>(n), names, {Value(n)}};
}

Trial trial(int n, double median, double low, double high) {
  Trial trial{.configuration = numbered(n)};
  trial.observation.statistics =
      Statistics{.median = Nanoseconds(median), .interval_low = Nanoseconds(low), .interval_high = Nanoseconds(high)};
  return trial;
}

std::vector<int> numbers(const std::vector<Trial>& trials) {
  std::vector<int> numbers;
  for (const Trial& each : trials) numbers.push_back(static_cast<int>(each.configuration.find("x")->as_real()));
  return numbers;
}

// The best is 100. 104 is within 5 %, and 120 has an interval that begins at 100; 106 to 107 is neither.
TEST(Finalists, AreThoseThatCannotBeToldFromTheBest) {
  EXPECT_THAT(numbers(finalists(
                  {trial(1, 106, 106, 107), trial(2, 120, 100, 140), trial(3, 100, 99, 101), trial(4, 104, 103, 105)})),
              ElementsAre(3, 4, 2));
}

TEST(Finalists, AreCorrectAndFive) {
  std::vector<Trial> trials;
  for (int i = 0; i < 8; ++i) trials.push_back(trial(i, 100 + i / 10.0, 99, 102));
  trials[0].observation.status = Status::correctness;
  EXPECT_THAT(numbers(finalists(trials)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(finalists({}).empty());
}

std::shared_ptr<const Problem> problem_of(const KernelSpec& spec) {
  return Problem::make(spec, {}, {{"n", 64}}).value();
}

// x and y have 64 floats each: 512 bytes.
TEST(ScreeningData, IsThatOfTheKeyWhereMemorySuffices) {
  const auto problem = problem_of(tune::scale_spec());
  EXPECT_EQ(screening_memory(problem->spec, problem->space).value(), 512u);
  EXPECT_EQ(fit_to_memory(*problem, 512)->problem_size[0].value, 64);
}

TEST(ScreeningData, IsHalvedUntilMemorySuffices) {
  const auto problem = problem_of(tune::scale_spec());
  EXPECT_EQ(fit_to_memory(*problem, 511)->problem_size[0].value, 32);
  EXPECT_EQ(fit_to_memory(*problem, 100)->problem_size[0].value, 8);
}

TEST(ScreeningData, CountsACopyOfWhatIsOverwritten) {
  KernelSpec spec = tune::scale_spec();
  spec.arguments[1] = tune::vector_argument("x", ArgumentAccess::read_write);
  const auto problem = problem_of(spec);
  EXPECT_EQ(screening_memory(problem->spec, problem->space).value(), 768u);
}

TEST(ScreeningData, OfASizeThatCannotBeHalvedIsRefused) {
  KernelSpec spec = tune::scale_spec();
  spec.name = "scale";
  spec.problem_size[0].value = 63;
  const Result<KernelSpec> fitting = fit_to_memory(*problem_of(spec), 500);
  ASSERT_FALSE(fitting);
  EXPECT_EQ(fitting.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(fitting.error().message(), HasSubstr("0.000504 MB of the device's memory, and may take 0.0005 MB"));
}

// The 512 bytes count as 10.24 ns, and the kernel runs 8 times.
TEST(ScreeningData, IsHalvedUntilAStepTakesLittle) {
  const auto problem = problem_of(tune::scale_spec());
  const auto size = [&](double most, double kernel_time) {
    return fit_to_time(problem->spec, problem->space,
                       {.most = Nanoseconds(most), .kernel_time = Nanoseconds(kernel_time)})
        ->problem_size[0]
        .value;
  };
  EXPECT_EQ(size(11, 0), 64);
  EXPECT_EQ(size(10, 0), 32);
  EXPECT_EQ(size(30, 10), 16) << "(10.24 + 80) / 4 = 22.6";
  EXPECT_EQ(size(0, 0), 1) << "a step takes what it takes";
}

// m samples are added into a volume of n bytes. 1,600 runs of 1 ns become 800, 400, 200 with fewer samples, although
// the bytes hardly shrink.
TEST(ScreeningData, OfTwoSizesTheWorkIsTheirProduct) {
  KernelSpec spec = tune::scale_spec();
  spec.problem_size.push_back({"m", 200});
  spec.arguments.push_back(tune::vector_argument("samples", ArgumentAccess::read_only));
  std::get<VectorArgument>(spec.arguments.back().kind).length.text = "m // 4";
  const Result<KernelSpec> fitting =
      fit_to_time(spec, problem_of(spec)->space, {.most = Nanoseconds(450), .kernel_time = Nanoseconds(200)});
  EXPECT_EQ(fitting->problem_size[0].value, 64);
  EXPECT_EQ(fitting->problem_size[1].value, 50);
}

TEST(ScreeningData, OfAnOddSizeIsHalvedAsWell) {
  KernelSpec spec = tune::scale_spec();
  spec.problem_size[0].value = 63;
  EXPECT_EQ(
      fit_to_time(spec, problem_of(spec)->space, {.most = Nanoseconds(10), .kernel_time = {}})->problem_size[0].value,
      31);
}

DeviceInfo device_at(const std::string& selector, const std::string& bus_id) {
  return {.selector = selector, .backend = "cuda", .name = "H100", .pci_bus_id = bus_id};
}

TEST(ScreeningDevice, IsFoundByItsPlaceOnTheBus) {
  const backend::Discovery discovery{{device_at("cuda:0", "0000:3B:00.0"), device_at("cuda:1", "0000:5E:00.0")}, {}};
  EXPECT_EQ(find_screening_device(device_at("cuda:0", "0000:5E:00.0"), {}, discovery)->selector, "cuda:1");
}

TEST(ScreeningDevice, IsTheOneThatWasNamed) {
  const backend::Discovery discovery{{device_at("cuda:0", "0000:3B:00.0"), device_at("cuda:1", "0000:5E:00.0")}, {}};
  EXPECT_EQ(find_screening_device(device_at("cuda:0", "0000:3B:00.0"), "cuda:1", discovery)->selector, "cuda:1");
}

TEST(ScreeningDevice, WithoutAPlaceIsOneOfTheSameModel) {
  DeviceInfo other = device_at("opencl:0:0", "");
  other.backend = "opencl";
  DeviceInfo same = other;
  same.selector = "opencl:1:0";
  same.name = other.name = "pocl";
  other.driver_version = "3";
  EXPECT_EQ(find_screening_device(same, {}, {{other, same}, {}})->selector, "opencl:1:0");
  EXPECT_EQ(find_screening_device(same, {}, {{other}, {}}).error().code(), ErrorCode::not_found);
  EXPECT_TRUE(is_screening_device(same, same));
  EXPECT_FALSE(is_screening_device(same, other));
}

TEST(ScreeningDevice, IsNotAnotherOfTheSameModelAtAnotherPlace) {
  const DeviceInfo attached = device_at("cuda:0", "0000:5E:00.0");
  EXPECT_TRUE(is_screening_device(attached, device_at("cuda:1", "0000:5E:00.0")));
  EXPECT_FALSE(is_screening_device(attached, device_at("cuda:0", "0000:3B:00.0")));
}

// The application may see other devices than a new process does.
TEST(ScreeningDevice, IsLookedForWhereItsSelectorNamesNoneOrAnother) {
  backend::WorkerOptions worker;
  worker.executable = test::program("wattune-worker");
  DeviceInfo attached = backend::open_device_in_worker("host:0", worker).value()->info();
  attached.selector = "host:7";
  EXPECT_EQ(open_screening_device(attached, {}, worker).value()->info().selector, "host:0");
  attached.selector = "host:0";
  attached.name = "another";
  EXPECT_EQ(open_screening_device(attached, {}, worker).error().code(), ErrorCode::not_found);
}

// A step took 50 ms, including the device's switch to it. The 2 % of 5 s pay for it and for the next step, which is
// expected to take as long.
TEST(ScreeningAllowance, BeginsAStepWhenTheShareOfTheBudgetPaysForIt) {
  StallBudget stall_budget({.share = 0.02});
  Nanoseconds time;
  stall_budget.begin(time);
  const auto never = [] { return false; };
  StepCost step(ScreeningAllowance::kFirstStepEstimate);
  ScreeningAllowance allowance(
      stall_budget, [&] { return time += nanoseconds_from_ms(100); }, step);
  ASSERT_TRUE(allowance.reserve(never));
  EXPECT_EQ(time, nanoseconds_from_ms(500)) << "10 ms are 2 % of 500 ms";
  allowance.settle({.time = nanoseconds_from_ms(48), .waits = 5});
  EXPECT_EQ(stall_budget.stalls().screening, nanoseconds_from_ms(50));
  ASSERT_TRUE(allowance.reserve(never));
  EXPECT_EQ(time, nanoseconds_from_ms(5000));
}

TEST(ScreeningAllowance, DoesNotWaitForAnApplicationThatEnds) {
  StallBudget stall_budget({.share = 0.0});
  stall_budget.begin(Nanoseconds());
  StepCost step(ScreeningAllowance::kFirstStepEstimate);
  ScreeningAllowance allowance(
      stall_budget, [] { return Nanoseconds(); }, step);
  int asked = 0;
  EXPECT_FALSE(allowance.reserve([&] { return ++asked == 3; }));
  EXPECT_EQ(stall_budget.stalls().total(), Nanoseconds());
}

TEST(ScreeningAllowance, WaitsUntilAStepPays) {
  StallBudget stall_budget({.share = 1.0});
  stall_budget.begin(Nanoseconds());
  StepCost step(Nanoseconds(1));
  ScreeningAllowance allowance(
      stall_budget, [] { return nanoseconds_from_seconds(1); }, step);
  int asked = 0;
  EXPECT_TRUE(allowance.reserve([] { return false; }, [&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace wattune::dynamic

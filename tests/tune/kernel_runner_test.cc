#include "tune/evaluate/kernel_runner.h"

#include <gtest/gtest.h>

#include "tune/problem.h"

namespace wattune::inline v0_1::tune {
namespace {

// A fixture with two kernels, of which the second takes more arguments than there are.
class KernelSessions : public ::testing::Test {
 protected:
  KernelSessions() {
    const auto one_nanosecond = [](const fakes::FakeLaunch&) { return Nanoseconds(1.0); };
    device.add_kernel("takes_one", 1, one_nanosecond);
    device.add_kernel("takes_two", 2, one_nanosecond);
    const auto program = device.build({.text = "takes_one takes_two"}, {}, limit).value();
    for (const char* name : {"takes_one", "takes_two"}) kernels[name] = program->kernel(name).value();
    session.prepare(one.arguments).value();
  }

  const Nanoseconds limit = nanoseconds_from_seconds(1);
  fakes::FakeDevice device;
  const std::vector<Argument> arguments{vector_argument("y", ArgumentAccess::write_only)};
  ArgumentContents contents{arguments};
  const EvaluatorOptions alone = {};
  KernelRunner session{arguments, contents, device, alone};
  Kernels kernels;
  const PlannedStep good{.function = "takes_one", .arguments = {0}, .geometry = {}};
  const PlannedStep bad{.function = "takes_two", .arguments = {0}, .geometry = {}};
  const Launch one{.steps = {good}, .arguments = {PlannedBuffer{1, 4}}};
  const Launch both{.steps = {good, bad}, .arguments = one.arguments};
};

// Commands queued before the error must not run with the next configuration, when their kernels are gone.
TEST_F(KernelSessions, AfterAnErrorNothingIsLeftInTheStream) {
  EXPECT_EQ(session.run(kernels, both, Outputs::fresh, 1, limit).error().code(), ErrorCode::mismatch);
  kernels.erase("takes_two");
  session.prepare(one.arguments).value();
  EXPECT_TRUE(session.run(kernels, one, Outputs::fresh, 1, limit));
  EXPECT_EQ(device.counters().launches, 1);
}

TEST_F(KernelSessions, KeepTheDeviceBusyWithEveryLaunchOfEveryRun) {
  Launch thrice = one;
  thrice.steps.front().repeat = 3;
  thrice.steps.push_back(good);
  ASSERT_TRUE(session.keep_busy(kernels, thrice, 1000, limit));
  EXPECT_EQ(device.counters().launches, 4000);
}

// The fake device runs nothing in between, so that all but 33 times 1 ns was waiting.
TEST_F(KernelSessions, TellWhatLaunchesTookFromWhatWasWaitedForThem) {
  const Nanoseconds before = session.working_time();
  session.run(kernels, one, Outputs::reused, 33, limit).value();
  EXPECT_NEAR((session.working_time() - before - session.queueing_time()).value(), 33.0, 1e-3);
  EXPECT_EQ(session.waits(), 2u);
  session.read(0).value();
  EXPECT_EQ(session.waits(), 2u) << "what moves contents is none";
}

// Other processes have the device for 1 ms when a wait begins, which the times of launches of 1 ns must not include.
TEST_F(KernelSessions, OnASharedDeviceTheFirstRunOfAWaitIsLeftOut) {
  int finishes = 0;
  device.add_kernel("interrupted", 1, [&](const fakes::FakeLaunch&) {
    const bool is_first = std::exchange(finishes, device.counters().finishes) != device.counters().finishes;
    return is_first ? nanoseconds_from_ms(1) : Nanoseconds(1.0);
  });
  kernels["interrupted"] = device.build({.text = "interrupted"}, {}, limit).value()->kernel("interrupted").value();
  const Launch launch{.steps = {{.function = "interrupted", .arguments = {0}, .geometry = {}}},
                      .arguments = one.arguments};
  const EvaluatorOptions beside_others{.is_shared = true};
  KernelRunner shared{arguments, contents, device, beside_others};
  shared.prepare(launch.arguments).value();
  ++finishes;  // a launch of a new kernel finds the device its own
  EXPECT_EQ(shared.run(kernels, launch, Outputs::fresh, 1, limit).value().size(), 1u);
  EXPECT_EQ(device.counters().launches, 1);
  const Nanoseconds before = shared.working_time() - shared.queueing_time();
  const std::vector<Sample> samples = shared.run(kernels, launch, Outputs::reused, 5, limit).value();
  EXPECT_EQ(device.counters().launches, 7);
  ASSERT_EQ(samples.size(), 5u);
  for (const Sample& each : samples) EXPECT_EQ(each.time, Nanoseconds(1.0));
  EXPECT_NEAR((shared.working_time() - shared.queueing_time() - before).value(), 6.0, 1e-3);
}

TEST_F(KernelSessions, WhatCannotBeSentLeavesNothingInTheStream) {
  EXPECT_EQ(session.keep_busy(kernels, both, 2, limit).error().code(), ErrorCode::mismatch);
  kernels.erase("takes_two");
  session.prepare(one.arguments).value();
  EXPECT_TRUE(session.keep_busy(kernels, one, 1, limit));
  EXPECT_EQ(device.counters().launches, 1);
}

TEST(ArgumentContents, WhatIsGivenTakesThePlaceOfTheFill) {
  const std::vector<Argument> arguments{vector_argument("x", ArgumentAccess::read_only, FillIota{})};
  const std::vector<float> given{5.0f, 6.0f};
  const auto bytes = std::as_bytes(std::span(given));
  ArgumentContents contents(arguments, {std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())});
  EXPECT_TRUE(std::ranges::equal(contents.get(0, 2).value(), bytes));
  EXPECT_TRUE(std::ranges::equal(contents.get(0, 1).value(), bytes.first(sizeof(float)))) << "it begins with them";
  EXPECT_EQ(contents.get(0, 3).error().code(), ErrorCode::mismatch);
}

}  // namespace
}  // namespace wattune::tune

// Shadowed calls on a fake device, and the outputs that the application gets.
#include "dynamic/tuning/shadow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamic/calls/repeat.h"
#include "dynamic/fakes.h"
#include "tune/problem.h"

namespace wattune::inline v0_1::dynamic {
namespace {

using testing::Each;
using testing::HasSubstr;

// The kernel computes y += x over 64 floats: y is 10 before each call and x is 1, so y is 11 after it.
struct ShadowTest : testing::Test {
  // A variant that launches a kernel on the buffers of the call.
  class Sent : public fakes::FakeVariant {
   public:
    Sent(backend::Device& device, const std::string& function, Configuration configuration)
        : FakeVariant(std::move(configuration)) {
      KernelSource source;
      source.function = function;
      source.text = function;
      program_ = device.build(source, {}, nanoseconds_from_seconds(1)).value();
      kernel_ = program_->kernel(function).value();
    }
    Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) override {
      if (refused) return Error(ErrorCode::launch_failed, "too many registers");
      const std::vector<backend::LaunchArgument> buffers{arguments[0].buffer(), arguments[1].buffer()};
      std::vector<std::unique_ptr<backend::Event>> events;
      WATTUNE_ASSIGN(events.emplace_back(),
                     static_cast<backend::Stream*>(stream.handle())->launch(*kernel_, {{1, 1, 1}, {1, 1, 1}}, buffers));
      return TimedCall(std::move(events));
    }
    bool refused = false;

   private:
    std::unique_ptr<backend::Program> program_;
    std::unique_ptr<backend::Kernel> kernel_;
  };

  static wattune::fakes::FakeKernelFunction adds(float wrong, double time) {
    return [wrong, time](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
      const auto y = launch.elements<float>(0);
      for (std::size_t i = 0; i < 64; ++i) y[i] += launch.elements<float>(1)[i];
      y.back() += wrong;
      return Nanoseconds(time);
    };
  }

  ShadowTest() {
    device.add_kernel("good", 2, adds(0.0f, 1000));
    device.add_kernel("faster", 2, adds(0.0f, 500));
    device.add_kernel("wrong", 2, adds(0.5f, 500));
    device.add_kernel("crashing", 2, [](const wattune::fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
      launch.elements<float>(0)[0] = -1.0f;
      return Error(ErrorCode::launch_failed, "it stopped");
    });
    KernelSpec spec = tune::scale_spec();
    spec.arguments.resize(2);
    std::get<VectorArgument>(spec.arguments[0].kind).access = ArgumentAccess::read_write;
    problem = Problem::make(spec, {}, {}).value();
    shadow = Shadow::make(problem, device, streams).value();
    fill(*y, 10.0f);
    fill(*x, 1.0f);
  }

  void fill(backend::Buffer& buffer, float value) {
    const std::vector<float> values(buffer.bytes() / sizeof(float), value);
    EXPECT_TRUE(stream->write(buffer, std::as_bytes(std::span(values))));
    EXPECT_TRUE(stream->finish(nanoseconds_from_seconds(1)));
  }
  std::vector<float> contents(const backend::Buffer& buffer) {
    std::vector<float> values(64);
    EXPECT_TRUE(stream->read(buffer, std::as_writable_bytes(std::span(values))));
    EXPECT_TRUE(stream->finish(nanoseconds_from_seconds(1)));
    return values;
  }
  ShadowedCall call(const std::string& candidate, bool refused = false) {
    Sent best(device, "good", problem->space.configuration(0));
    Sent other(device, candidate, problem->space.configuration(1));
    other.refused = refused;
    const std::array<CallArgument, 2> arguments{CallArgument(*y), CallArgument(*x)};
    return shadow->run(*stream, arguments, best, other).value();
  }

  wattune::fakes::FakeDevice device;
  std::unique_ptr<backend::Stream> stream = device.create_stream().value();
  std::unique_ptr<backend::Buffer> y = device.create_buffer(256).value();
  std::unique_ptr<backend::Buffer> x = device.create_buffer(256).value();
  Streams streams{device};
  std::shared_ptr<const Problem> problem;
  std::unique_ptr<Shadow> shadow;
};

TEST_F(ShadowTest, BothAreTimedAndTheOutputsAreThoseOfOneCall) {
  const ShadowedCall shadowed = call("faster");
  ASSERT_TRUE(shadowed.best && shadowed.candidate);
  EXPECT_EQ(shadowed.best->duration().value(), Nanoseconds(1000));
  EXPECT_EQ(shadowed.candidate->duration().value(), Nanoseconds(500));
  EXPECT_THAT(contents(*y), Each(11.0f));
}

TEST_F(ShadowTest, AWrongCandidateIsToldAndItsOutputsAreNotKept) {
  const ShadowedCall shadowed = call("wrong");
  ASSERT_FALSE(shadowed.candidate);
  EXPECT_TRUE(shadowed.is_wrong);
  EXPECT_EQ(shadowed.candidate.error().code(), ErrorCode::mismatch);
  EXPECT_THAT(shadowed.candidate.error().message(), HasSubstr("first at [63]: expected 11, got 11.5"));
  EXPECT_TRUE(shadowed.best);
  EXPECT_THAT(contents(*y), Each(11.0f));
}

TEST_F(ShadowTest, ACandidateThatFailsLeavesTheCallToTheBestKnown) {
  const ShadowedCall crashing = call("crashing");
  EXPECT_FALSE(crashing.candidate);
  EXPECT_TRUE(crashing.best);
  EXPECT_THAT(contents(*y), Each(11.0f));
  const ShadowedCall refused = call("faster", true);
  EXPECT_EQ(refused.candidate.error().code(), ErrorCode::launch_failed);
  EXPECT_THAT(contents(*y), Each(12.0f));
}

TEST_F(ShadowTest, MemoryIsAllocatedOnce) {
  call("faster");
  const int live = device.counters().live_objects;
  call("faster");
  EXPECT_EQ(device.counters().live_objects, live);
}

// Calls of one key may have other sizes. The wrong element lies behind the elements of the first size and is found.
TEST_F(ShadowTest, TheWholeOfEachCallsOutputsIsCompared) {
  KernelSpec spec = problem->spec;
  spec.arguments.push_back({"n", ScalarArgument{.type = ElementType::int32, .value = {"n"}}, {}});
  shadow = Shadow::make(Problem::make(spec, {}, {}, nullptr, true).value(), device, streams).value();
  const auto larger = device.create_buffer(512).value();
  fill(*larger, 10.0f);
  Sent best(device, "good", problem->space.configuration(0));
  Sent wrong(device, "wrong", problem->space.configuration(1));
  const auto call_with = [&](backend::Buffer& output, int n) {
    const std::array<CallArgument, 3> arguments{CallArgument(output), CallArgument(*x), CallArgument(n)};
    return shadow->run(*stream, arguments, best, wrong).value();
  };
  EXPECT_TRUE(call_with(*y, 64).is_wrong);
  EXPECT_TRUE(call_with(*larger, 128).is_wrong);
  EXPECT_TRUE(call_with(*y, 64).is_wrong);
}

TEST_F(ShadowTest, ImagesAreRefused) {
  KernelSpec spec = tune::scale_spec();
  auto& output = std::get<VectorArgument>(spec.arguments[0].kind);
  output.length = {};
  output.image = PixelImage{.sizes = {ExpressionText{"8"}, ExpressionText{"8"}, {}}};
  EXPECT_EQ(Shadow::make(Problem::make(spec, {}, {}).value(), device, streams).error().code(), ErrorCode::unavailable);
}

// scale_spec() has one launch, and y is write_only.
TEST(Repeat, WhatWasLaunchedBeforeTheFailureDecides) {
  KernelSpec spec = tune::scale_spec();
  spec.steps.assign(2, {.function = "scale", .arguments = {0, 1, 2}, .geometry = spec.geometry});
  const auto of = [&] { return Problem::make(spec, {}, {}).value(); };
  EXPECT_TRUE(can_be_repeated(*of(), of()->space.configuration(0))) << "it writes what no launch reads";
  std::get<VectorArgument>(spec.arguments[0].kind).access = ArgumentAccess::read_write;
  EXPECT_FALSE(can_be_repeated(*of(), of()->space.configuration(0))) << "the first launch may have changed y";
  spec.steps.clear();
  EXPECT_TRUE(can_be_repeated(*of(), of()->space.configuration(0))) << "its only launch did nothing";
}

}  // namespace
}  // namespace wattune::dynamic

#include "schedule/interface/kernel_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_device.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::HasSubstr;

// Returns a spec with two outputs: `out` is only written, `sum` is read and written.
KernelSpec two_outputs() {
  KernelSpec spec;
  const auto floats = [](ArgumentAccess access) {
    return VectorArgument{.type = ElementType::float32, .length = {"2"}, .access = access, .fields = {}};
  };
  spec.arguments = {{"in", floats(ArgumentAccess::read_only), {}},
                    {"out", floats(ArgumentAccess::write_only), {}},
                    {"sum", floats(ArgumentAccess::read_write), {}}};
  spec.tolerance.relative = 0.01;
  return spec;
}

class KernelOutputsTest : public testing::Test {
 protected:
  KernelOutputsTest() {
    for (auto& buffer : buffers_) buffer = device_.create_buffer(2 * sizeof(float)).value();
    for (std::size_t i = 0; i < 3; ++i) write(i, {1.0F, 2.0F});
    kernel_.buffers.assign(buffers_.begin(), buffers_.end());
    kernel_.pristine = {nullptr, nullptr, device_.create_buffer(2 * sizeof(float)).value()};
    write(*kernel_.pristine[2], {1.0F, 2.0F});
  }

  backend::Device& device() { return device_; }
  void write(std::size_t buffer, std::array<float, 2> values) { write(*buffers_[buffer], values); }
  void write(backend::Buffer& buffer, std::array<float, 2> values) {
    const auto stream = device().create_stream().value();
    ASSERT_TRUE(stream->write(buffer, std::as_bytes(std::span(values))));
    ASSERT_TRUE(stream->finish(nanoseconds_from_seconds(1)));
  }
  std::array<float, 2> read(std::size_t buffer) {
    std::array<float, 2> values{};
    const auto stream = device().create_stream().value();
    EXPECT_TRUE(stream->read(*buffers_[buffer], std::as_writable_bytes(std::span(values))));
    EXPECT_TRUE(stream->finish(nanoseconds_from_seconds(1)));
    return values;
  }
  KernelOutputs outputs(const KernelSpec& spec, Sameness sameness, BufferDigest* digest = nullptr) {
    return KernelOutputs(device_, spec, kernel_, sameness, digest);
  }

  fakes::FakeDevice device_;
  std::array<std::shared_ptr<backend::Buffer>, 3> buffers_;
  LoadedKernel kernel_{.name = {}, .code = nullptr, .geometry = {}, .arguments = {}, .buffers = {}};
};

TEST_F(KernelOutputsTest, RestoresWhatTheKernelReadsAndPoisonsWhatItOnlyWrites) {
  KernelOutputs kept = outputs(two_outputs(), Sameness::bits);
  write(1, {5.0F, 6.0F});
  write(2, {7.0F, 8.0F});
  ASSERT_TRUE(kept.restore());
  EXPECT_THAT(read(1), testing::Each(testing::IsNan()));
  EXPECT_EQ(read(2), (std::array{1.0F, 2.0F}));
  EXPECT_THAT(kept.overwritten(), testing::ElementsAre("sum"));
}

TEST_F(KernelOutputsTest, SaysWhereOutputsDiffer) {
  KernelOutputs kept = outputs(two_outputs(), Sameness::bits);
  write(1, {5.0F, 6.0F});
  ASSERT_TRUE(kept.remember());
  EXPECT_EQ(kept.difference().value(), std::nullopt);
  write(1, {5.0F, 6.001F});
  EXPECT_EQ(kept.difference().value(), "`out` differs from byte 4 on");
}

// A copy is compared with the results of its kernel alone.
TEST_F(KernelOutputsTest, RemembersAsAnother) {
  KernelOutputs kernel = outputs(two_outputs(), Sameness::bits);
  KernelOutputs copy = outputs(two_outputs(), Sameness::bits);
  write(1, {5.0F, 6.0F});
  ASSERT_TRUE(kernel.remember());
  copy.remember_as(kernel);
  EXPECT_TRUE(copy.remembers());
  EXPECT_EQ(copy.difference().value(), std::nullopt);
  write(1, {5.0F, 7.0F});
  EXPECT_EQ(copy.difference().value(), "`out` differs from byte 6 on");
}

TEST_F(KernelOutputsTest, KnowsWhetherAnythingIsCompared) {
  KernelSpec spec = two_outputs();
  EXPECT_TRUE(outputs(spec, Sameness::bits).are_compared());
  EXPECT_EQ(outputs(spec, Sameness::bits).bytes(), 2U * 2U * sizeof(float));
  for (Argument& argument : spec.arguments) std::get<VectorArgument>(argument.kind).comparison = OutputComparison::none;
  EXPECT_FALSE(outputs(spec, Sameness::bits).are_compared());
}

// 6.001 is off by 0.02 %, 6.1 by 1.7 %; the tolerance is 1 % plus 1e-5.
TEST_F(KernelOutputsTest, ResultsThatDependOnTheOrderAreComparedWithTheSpecsTolerance) {
  KernelOutputs kept = outputs(two_outputs(), Sameness::tolerance);
  write(1, {5.0F, 6.0F});
  ASSERT_TRUE(kept.remember());
  write(1, {5.0F, 6.001F});
  EXPECT_EQ(kept.difference().value(), std::nullopt);
  write(1, {5.0F, 6.1F});
  EXPECT_THAT(kept.difference().value().value_or(""), HasSubstr("`out`: 1 of 2 elements is wrong, first at [1]"));
}

TEST_F(KernelOutputsTest, WhatTheSpecDoesNotCompareIsNotCompared) {
  KernelSpec spec = two_outputs();
  std::get<VectorArgument>(spec.arguments[1].kind).comparison = OutputComparison::none;
  KernelOutputs kept = outputs(spec, Sameness::bits);
  ASSERT_TRUE(kept.remember());
  write(1, {5.0F, 6.0F});
  EXPECT_EQ(kept.difference().value(), std::nullopt);
}

// The kernel that computes digests returns what the test wants.
TEST_F(KernelOutputsTest, OutputsOfTheSameDigestAreNotRead) {
  std::uint64_t digest = 7;
  device_.add_kernel("wattune_digest", 3, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    launch.elements<std::uint64_t>(2)[0] = digest;
    return Nanoseconds(1);
  });
  BufferDigest by_device(device_);
  KernelOutputs kept = outputs(two_outputs(), Sameness::bits, &by_device);
  EXPECT_FALSE(kept.remembers());
  EXPECT_EQ(device_.counters().builds, 0);  // no comparison was made
  write(1, {5.0F, 6.0F});
  ASSERT_TRUE(kept.remember());
  EXPECT_TRUE(kept.remembers());
  write(1, {5.0F, 6.1F});
  EXPECT_EQ(kept.difference().value(), std::nullopt);
  digest = 8;
  EXPECT_EQ(kept.difference().value(), "`out` differs from byte 4 on");
  EXPECT_EQ(device_.counters().builds, 1);
}

TEST_F(KernelOutputsTest, OutputsAreReadWhereTheDigestDoesNotCompile) {
  device_.on_build([](const KernelSource&, const auto&) -> Result<fakes::FakeCompilation> {
    return Error(ErrorCode::compile_failed, "no compiler today");
  });
  BufferDigest by_device(device_);
  KernelOutputs kept = outputs(two_outputs(), Sameness::bits, &by_device);
  ASSERT_TRUE(kept.remember());
  write(1, {5.0F, 2.0F});
  EXPECT_EQ(kept.difference().value(), "`out` differs from byte 2 on");  // of 1.0F and 5.0F
  EXPECT_EQ(device_.counters().builds, 1);                               // the digest is compiled once
}

}  // namespace
}  // namespace wattune::schedule

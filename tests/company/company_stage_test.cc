// Tests what the configurations of a company's kernels share on the device.
#include "company/company_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "company/company_fixture.h"
#include "fakes/fake_device.h"
#include "schedule/digest_checks.h"

namespace wattune::inline v0_1::company {
namespace {

using testing::HasSubstr;

constexpr std::size_t kBytes = 64 * sizeof(float);                            // of each vector
constexpr std::size_t kDigestBytes = 1024UL * 256UL * sizeof(std::uint64_t);  // of the sums that make a digest

// Returns the spec of a kernel that reads x and adds to the contents of y.
KernelSpec adding_spec(const std::string& name) {
  KernelSpec spec = writing_spec(name);
  const VectorArgument floats{.type = ElementType::float32, .length = {"64"}, .fill = FillIota{}, .fields = {}};
  spec.arguments = {{"x", floats, {}}, {"y", floats, {}}};
  std::get<VectorArgument>(spec.arguments[1].kind).access = ArgumentAccess::read_write;
  return spec;
}

class CompanyStageTest : public testing::Test {
 protected:
  CompanyStageTest() {
    device_.add_kernel("adds", 2, [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
      const auto y = launch.elements<float>(1);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += launch.elements<float>(0)[i];
      y[1] += off_;
      return Nanoseconds(1000);
    });
    device_.add_kernel("writes", 1, [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
      if (launch.macro("BLOCK") != idle_block_) std::ranges::fill(launch.elements<float>(0), 1.0F);
      return Nanoseconds(1000);
    });
    device_.add_kernel("wattune_digest", 3, [this](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
      ++digests_;
      launch.elements<std::uint64_t>(2)[0] = schedule::digest_on_host(launch.elements<std::uint32_t>(0));
      return Nanoseconds(1);
    });
  }

  // Loads these configurations of the two kernels, by their places.
  std::unique_ptr<CompanyRunner> gather(ConfigurationId adds, ConfigurationId writes) {
    const Configuration all = company_.space().configuration(company_.together({adds, writes}));
    return stage_.gather({all, {Nanoseconds(1000), Nanoseconds(1000)}}, {.order = {0, 1}, .repetitions = {1, 1}})
        .value();
  }
  std::optional<std::string> difference(ConfigurationId adds, ConfigurationId writes) {
    return gather(adds, writes)->difference().value();
  }
  std::size_t output_bytes_read() const { return device_.counters().bytes_read - digests_ * kDigestBytes; }

  fakes::FakeDevice device_;
  float off_ = 0.0F;          // error of one element of y
  double idle_block_ = -1.0;  // block size of a configuration that writes nothing
  std::size_t digests_ = 0;
  CompanySpace company_ =
      CompanySpace::build({{"adds", adding_spec("adds")}, {"writes", writing_spec("writes")}}).value();
  CompanyStage stage_{
      device_, company_, {.compile = nanoseconds_from_seconds(10), .run = nanoseconds_from_seconds(10)}};
};

TEST_F(CompanyStageTest, ConfigurationsOfAKernelShareItsBuffers) {
  EXPECT_EQ(difference(0, 0), std::nullopt);
  const int objects = device_.counters().live_objects;
  for (const ConfigurationId id : {1, 2, 0}) EXPECT_EQ(difference(id, id), std::nullopt);
  EXPECT_EQ(device_.counters().bytes_written, 2 * kBytes);      // x, and the original contents of y
  EXPECT_LE(device_.counters().live_objects, objects + 2 * 2);  // one kernel of each in two configurations
}

TEST_F(CompanyStageTest, OutputsThatAreTheSameAreReadOnce) {
  for (const ConfigurationId id : {0, 1, 2, 0}) EXPECT_EQ(difference(id, id), std::nullopt);
  EXPECT_EQ(output_bytes_read(), 2 * kBytes);  // y of each, read for the first configuration
  EXPECT_GT(digests_, 0U);
}

// y[1] is 2 alone; the tolerance is 1e-4 of it plus 1e-5.
TEST_F(CompanyStageTest, OutputsWhoseBitsDifferAreReadAndComparedByTolerance) {
  const auto runner = gather(0, 0);
  off_ = 1e-5F;
  EXPECT_EQ(runner->difference().value(), std::nullopt);
  EXPECT_EQ(output_bytes_read(), 3 * kBytes);
  off_ = 1e-2F;
  EXPECT_THAT(
      runner->difference().value().value_or(""),
      HasSubstr(
          "adds leaves other results when it runs beside the others: `y`: 1 of 64 elements is wrong, first at [1]"));
}

// Results are compared with those of the same configuration alone, not with those of the first one.
TEST_F(CompanyStageTest, EachConfigurationIsComparedWithItself) {
  EXPECT_EQ(difference(0, 0), std::nullopt);
  off_ = 1.0F;
  EXPECT_EQ(difference(1, 0), std::nullopt);
  off_ = 0.0F;
  EXPECT_EQ(difference(0, 0), std::nullopt);
  EXPECT_THAT(difference(1, 0).value_or(""), HasSubstr("adds leaves other results"));
}

// The output is poisoned before the kernel runs alone, so the results of the previous configuration do not pass for its
// own.
TEST_F(CompanyStageTest, WhatAnotherConfigurationLeftIsNotWhatAKernelLeavesAlone) {
  idle_block_ = 64.0;
  EXPECT_EQ(difference(0, 0), std::nullopt);
  EXPECT_EQ(difference(0, 2), std::nullopt);
  idle_block_ = -1.0;
  EXPECT_THAT(difference(0, 2).value_or(""), HasSubstr("writes leaves other results"));
}

TEST_F(CompanyStageTest, RunsThatTakeTurnsBeginWithTheSameContents) {
  std::vector<float> seen;
  device_.add_kernel("adds", 2, [&](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    seen.push_back(launch.elements<float>(1)[1]);
    launch.elements<float>(1)[1] += 1.0F;
    return Nanoseconds(1000);
  });
  const auto first = gather(0, 0);
  const auto second = gather(1, 0);
  for (CompanyRunner* runner : {first.get(), second.get(), first.get()}) ASSERT_TRUE(runner->run(2));
  EXPECT_THAT(seen, testing::AllOf(testing::SizeIs(8), testing::Each(1.0F)));
}

// x is declared read only. One configuration clears it, and gets an x of its own.
TEST_F(CompanyStageTest, InputsThatAConfigurationSpoilsAreItsOwn) {
  device_.add_kernel("adds", 2, [](const fakes::FakeLaunch& launch) -> Result<Nanoseconds> {
    launch.elements<float>(1)[1] += launch.elements<float>(0)[1];
    if (launch.macro("BLOCK") == 32.0) launch.elements<float>(0)[1] = 0.0F;
    return Nanoseconds(1000);
  });
  EXPECT_EQ(difference(0, 0), std::nullopt);
  EXPECT_THAT(difference(1, 0).value_or(""), HasSubstr("adds leaves other results"));
  for (const ConfigurationId id : {0, 2}) EXPECT_EQ(difference(id, 0), std::nullopt);
  EXPECT_EQ(device_.counters().bytes_written, 3 * 2 * kBytes);  // at first, for the spoiler, and for the later ones
}

TEST_F(CompanyStageTest, BuffersOfAnotherSizeAreOthers) {
  KernelSpec spec = adding_spec("adds");
  for (Argument& argument : spec.arguments) std::get<VectorArgument>(argument.kind).length = {"BLOCK"};
  company_ = CompanySpace::build({{"adds", spec}, {"writes", writing_spec("writes")}}).value();
  for (const ConfigurationId id : {0, 2, 0}) EXPECT_EQ(difference(id, 0), std::nullopt);
  EXPECT_EQ(device_.counters().bytes_written, 2 * (16 + 64) * sizeof(float));
}

}  // namespace
}  // namespace wattune::company

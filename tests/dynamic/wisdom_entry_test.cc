#include "wattune/dynamic/wisdom.h"

#include <gtest/gtest.h>

#include <functional>

#include "dynamic/wisdom_support.h"

namespace wattune::inline v0_1::dynamic {
namespace {

KernelSpec small_spec() {
  KernelSpec spec;
  spec.source = {.function = "scale", .text = "kernel void scale(global float* y)"};
  spec.problem_size = {{"n", 64}};
  spec.arguments = {{"y", VectorArgument{.length = {"n", {}}}, {}}, {"a", ScalarArgument{}, {}}};
  spec.parameters = {{.name = "block", .values = {8, 16}}};
  return spec;
}

TEST(KernelVersion, ChangesWithAllThatTheKernelIs) {
  const std::vector<std::function<void(KernelSpec&)>> changes{
      [](KernelSpec& spec) { spec.source.text += " "; },
      [](KernelSpec& spec) { spec.source.options = {"-DFAST"}; },
      [](KernelSpec& spec) { spec.source.language = Language::cuda; },
      [](KernelSpec& spec) { spec.parameters[0].values.push_back(32); },
      [](KernelSpec& spec) { std::get<ScalarArgument>(spec.arguments[1].kind).type = ElementType::float32; },
      [](KernelSpec& spec) { std::get<VectorArgument>(spec.arguments[0].kind).vector_width = 4; },
      [](KernelSpec& spec) { spec.geometry.work_group[0].text = "block"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    KernelSpec changed = small_spec();
    changes[i](changed);
    EXPECT_NE(version_of(changed).version, version_of(small_spec()).version) << "change " << i;
  }
}

TEST(KernelVersion, IsTheSameForOtherSizesDataAndFolders) {
  KernelSpec other = small_spec();
  other.problem_size[0].value = 128;
  std::get<VectorArgument>(other.arguments[0].kind).fill = FillIota{};
  other.constraints = {{"block < 128", {}}};
  other.source.options = {"-I", "/opt/include", "-I/usr/include"};
  other.tolerance.absolute = 1.0;
  EXPECT_EQ(version_of(other), version_of(small_spec()));
  EXPECT_EQ(version_of(other).name, "scale");
}

TEST(WisdomEntry, ThatNobodyCanHaveMeasuredIsRefused) {
  const std::vector<std::function<void(WisdomEntry&)>> changes{
      [](WisdomEntry& entry) { entry.kernel.version.clear(); },
      [](WisdomEntry& entry) { entry.device.clear(); },
      [](WisdomEntry& entry) { entry.time = Nanoseconds(0.0); },
      [](WisdomEntry& entry) { entry.low = entry.time + Nanoseconds(1.0); },
      [](WisdomEntry& entry) { entry.high = Nanoseconds(std::numeric_limits<double>::infinity()); },
      [](WisdomEntry& entry) { entry.samples = 0; },
      [](WisdomEntry& entry) {
        entry.key = {{"n", 1}, {"n", 2}};
      },
      [](WisdomEntry& entry) { entry.key[0].value = std::numeric_limits<double>::quiet_NaN(); },
  };
  ASSERT_TRUE(check(entry_of({{"n", 64}}, 16, 100)));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    WisdomEntry entry = entry_of({{"n", 64}}, 16, 100);
    changes[i](entry);
    EXPECT_FALSE(check(entry)) << "change " << i;
  }
}

// Intervals reach 1 ns to both sides: [99, 101] and [97, 99] touch, [99, 101] and [96, 98] do not.
TEST(BetterEntry, IsTheLaterOneOnlyWhenItsIntervalLiesBelow) {
  const WisdomEntry first = entry_of({}, 8, 100, 1);
  EXPECT_EQ(&better(first, first), &first);
  const WisdomEntry touching = entry_of({}, 16, 98, 2);
  const WisdomEntry below = entry_of({}, 32, 97, 2);
  EXPECT_EQ(&better(first, touching), &first);
  EXPECT_EQ(&better(touching, first), &first);
  EXPECT_EQ(&better(first, below), &below);
  EXPECT_EQ(&better(below, first), &below);
}

TEST(BetterEntry, IsTheLaterOneThatWasMeasuredInPlaceHoweverSlow) {
  const WisdomEntry first = entry_of({}, 8, 100, 1);
  WisdomEntry in_place = entry_of({}, 16, 200, 2);
  in_place.measured = Measured::screened;
  EXPECT_EQ(&better(first, in_place), &first);
  in_place.measured = Measured::in_place;
  EXPECT_EQ(&better(first, in_place), &in_place);
  in_place.measured_at = second_of_2026(0);
  EXPECT_EQ(&better(first, in_place), &first) << "which was measured later, and is faster for certain";
}

// The order and the place of measuring do not matter.
TEST(BetterEntry, IsTheOneThatWasTunedUnlessTheOtherIsFasterForCertain) {
  const WisdomEntry tuned = entry_of({}, 8, 100, 1);
  WisdomEntry so_far = entry_of({}, 16, 98, 2);
  so_far.measured = Measured::in_place;
  so_far.tuned = false;
  EXPECT_EQ(&better(tuned, so_far), &tuned);
  EXPECT_EQ(&better(so_far, tuned), &tuned);
  so_far.time = so_far.low = so_far.high = Nanoseconds(97);
  EXPECT_EQ(&better(tuned, so_far), &so_far);
  EXPECT_EQ(&better(so_far, tuned), &so_far);
}

}  // namespace
}  // namespace wattune::dynamic

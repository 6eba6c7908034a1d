#include "tune/evaluate/foresight.h"

#include <gtest/gtest.h>

namespace wattune::inline v0_1::tune {
namespace {

// Returns a launch of work-groups of so many work-items, by a kernel of 64 registers.
Launch launch_of(std::size_t items) {
  Launch launch;
  launch.steps.push_back(
      {.function = "scale", .arguments = {0}, .geometry = {.groups = {1, 1, 1}, .group_size = {items, 1, 1}}});
  launch.arguments.push_back(backend::LocalBytes{512});
  return launch;
}

backend::Image image_of(unsigned registers) {
  backend::Image image;
  image.code = std::string(3000, 'x');
  image.resources["scale"] = {.registers = registers, .private_bytes = 16, .static_local_bytes = 1024};
  return image;
}

// sm_90 has 65,536 registers; 64 for each of 256 work-items leave room for 4 work-groups, 32 of 64 warps.
TEST(Foresight, TellsWhatTheCompilerToldAndComputesOccupancy) {
  const auto resources = resources_of(launch_of(256), image_of(64), {}, "sm_90");
  ASSERT_TRUE(resources);
  EXPECT_EQ(resources->registers, 64u);
  EXPECT_EQ(resources->private_bytes, 16u);
  EXPECT_EQ(resources->static_local_bytes, 1024u);
  EXPECT_EQ(resources->dynamic_local_bytes, 512u);
  EXPECT_EQ(resources->binary_bytes, 3000u);
  EXPECT_DOUBLE_EQ(*resources->occupancy, 0.5);
}

// The kernel's 1,024 work-items of 128 registers need twice as many as there are.
TEST(Foresight, KnowsWhatTakesMoreRegistersThanThereAre) {
  EXPECT_FALSE(resources_of(launch_of(1024), image_of(128), {}, "sm_90"));
  EXPECT_TRUE(resources_of(launch_of(1024), image_of(64), {}, "sm_90"));
}

TEST(Foresight, TakesImagesThatTellNothingAndDevicesThatNobodyKnows) {
  backend::Image silent;
  silent.code = "code";
  const auto resources = resources_of(launch_of(1024), silent, {}, "pocl-cpu");
  ASSERT_TRUE(resources);
  EXPECT_FALSE(resources->registers || resources->occupancy);
  EXPECT_EQ(resources->binary_bytes, 4u);
  EXPECT_FALSE(resources_of(launch_of(256), image_of(64), {}, "gfx90a")->occupancy);
}

}  // namespace
}  // namespace wattune::tune

#include "wattune/core/parameter.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

TEST(ParameterRole, EveryOneIsReadBackByItsName) {
  for (const ParameterRole role : kAllRoles) EXPECT_EQ(parse_parameter_role(to_string(role)), role);
  EXPECT_EQ(parse_parameter_role("macro"), std::nullopt);
}

TEST(ParameterRole, KernelTunersClocksHaveTheirsByName) {
  EXPECT_EQ(usual_role("nvml_gr_clock"), ParameterRole::graphics_clock);
  EXPECT_EQ(usual_role("nvml_mem_clock"), ParameterRole::memory_clock);
  EXPECT_EQ(usual_role("nvml_pwr_limit"), ParameterRole::power_limit);
  EXPECT_EQ(usual_role("block_size_x"), ParameterRole::code);
}

TEST(ParameterRole, OnlyClocksAndTheLimitAreSetOnTheBoard) {
  EXPECT_FALSE(is_set_on_board(ParameterRole::code));
  EXPECT_FALSE(is_set_on_board(ParameterRole::launch));
  EXPECT_TRUE(is_set_on_board(ParameterRole::graphics_clock));
  EXPECT_TRUE(is_set_on_board(ParameterRole::power_limit));
}

}  // namespace
}  // namespace wattune

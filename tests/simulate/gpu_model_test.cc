#include "wattune/simulate/gpu_model.h"

#include <gtest/gtest.h>

#include "simulate/interface/board_model.h"
#include "wattune/model/co_residency.h"

namespace wattune::inline v0_1::simulate {
namespace {

TEST(GpuModels, AreThoseThatAreNamed) {
  for (const char* const name : {"C2050", "GTX680", "GT640", "K20c", "K40c", "V100", "RTX8000", "A100", "H100", "H200"})
    EXPECT_NE(find_gpu_model(name), nullptr) << name;
  EXPECT_EQ(find_gpu_model("H300"), nullptr);
}

// Each GPU has an SM with known limits, the pipes that any kernel needs, and, if it names one, a board.
TEST(GpuModels, AreComplete) {
  for (const GpuModel& gpu : gpu_models()) {
    EXPECT_TRUE(model::SmRoom::of(gpu.capability)) << gpu.name;
    EXPECT_GT(gpu.pipe_rates[static_cast<std::size_t>(Pipe::memory)], 0.0) << gpu.name;
    EXPECT_GT(gpu.dram_latency, gpu.l2_latency) << gpu.name;
    if (!gpu.board.empty()) {
      ASSERT_NE(find_board_model(gpu.board), nullptr) << gpu.name;
      EXPECT_GE(find_board_model(gpu.board)->clocks.back(), gpu.clock) << gpu.name;
    }
  }
}

// Half the SMs of a GPU see half of its memory.
TEST(GpuModels, ShareTheirMemoryWithFewerSms) {
  const GpuModel half = with_sms(*find_gpu_model("H100"), 66);
  EXPECT_EQ(half.sms, 66u);
  EXPECT_DOUBLE_EQ(half.dram_gigabytes_per_second, 1675.0);
}

}  // namespace
}  // namespace wattune::simulate

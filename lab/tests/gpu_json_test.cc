#include "lab/emulation/gpu_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wattune::emulation {
namespace {

using simulate::Pipe;
using testing::HasSubstr;

std::string json_refusal(const std::string& text) { return gpu_model_from_json(text).error().to_string(); }

TEST(CustomGpu, IsAnotherWithWhatDiffers) {
  const auto gpu = gpu_model_from_json(
      R"({"like": "A100", "name": "mine", "sms": 10, "clock_mhz": 1000, "launch_gap_ns": 7,
          "compute_capability": "8.6", "pipe_rates": {"fp64": 0.125}})");
  ASSERT_TRUE(gpu) << gpu.error().to_string();
  EXPECT_EQ(gpu->name, "mine");
  EXPECT_EQ(gpu->sms, 10u);
  EXPECT_EQ(gpu->clock, Megahertz(1000));
  EXPECT_EQ(gpu->launch_gap, Nanoseconds(7));
  EXPECT_EQ(gpu->capability, (model::ComputeCapability{8, 6}));
  EXPECT_EQ(gpu->pipe_rates[static_cast<std::size_t>(Pipe::fp64)], 0.125);
  EXPECT_EQ(gpu->dram_gigabytes_per_second, simulate::find_gpu_model("A100")->dram_gigabytes_per_second);
}

TEST(CustomGpu, IsRefusedInOneLine) {
  EXPECT_THAT(json_refusal("{"), HasSubstr("this is no JSON object"));
  EXPECT_THAT(json_refusal("[1]"), HasSubstr("this is no JSON object"));
  EXPECT_THAT(json_refusal(R"({"sms": 1})"), HasSubstr("starts from another"));
  EXPECT_THAT(json_refusal(R"({"like": "H300"})"), HasSubstr("no such GPU model: `H300` (there are C2050, GTX680"));
  EXPECT_THAT(json_refusal(R"({"like": 5})"), HasSubstr("like is a text: `5`"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "smss": 1})"), HasSubstr("did you mean `sms`?"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "sms": 0})"), HasSubstr("sms is a number from 1 to 4096: `0`"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "sms": 1.5})"), HasSubstr("sms is a whole number: `1.5`"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "sms": "many"})"), HasSubstr("sms is a number"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "pipe_rates": {"fp16": 1}})"), HasSubstr("no such pipe: `fp16`"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "pipe_rates": 1})"), HasSubstr("pipe_rates is an object"));
  EXPECT_THAT(json_refusal(R"({"like": "H100", "compute_capability": "99.0"})"), HasSubstr("known are"));
}

}  // namespace
}  // namespace wattune::emulation

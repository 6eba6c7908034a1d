// Tests whether a second process may compute on a board, on the stand-in for CUDA's driver.
#include "backend/interface/sharing.h"

#include "backend/cuda_support.h"
#include "raw_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;

class CudaSharing : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    setenv("CUDA_MPS_PIPE_DIRECTORY", ::testing::TempDir().c_str(), 1);
    device = open_device("cuda:0").value();
  }
  void TearDown() override {
    for (const char* name : {"WATTUNE_FAKE_CUDA_COMPUTE_MODE", "WATTUNE_FAKE_CUDA_MPS", "CUDA_MPS_PIPE_DIRECTORY"})
      unsetenv(name);
  }
  std::unique_ptr<Device> device;
};

TEST_F(CudaSharing, BoardsLetASecondProcessIn) { EXPECT_TRUE(check_second_process(device->info())); }

TEST_F(CudaSharing, ExclusiveProcessModeLetsNoneIn) {
  setenv("WATTUNE_FAKE_CUDA_COMPUTE_MODE", "3", 1);
  const Error error = check_second_process(device->info()).error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.to_string(), HasSubstr("is in exclusive-process mode"));
}

TEST_F(CudaSharing, MpsIsRefusedByTheDriversWord) {
  setenv("WATTUNE_FAKE_CUDA_MPS", "1", 1);
  EXPECT_THAT(check_second_process(device->info()).error().to_string(), HasSubstr("is used through MPS"));
}

TEST_F(CudaSharing, OfAnOlderDriverTheSocketOfMpsTells) {
  const std::string socket = ::testing::TempDir() + "/control";
  std::ofstream(socket) << "";
  EXPECT_THAT(check_second_process(device->info()).error().to_string(), HasSubstr("is used through MPS"));
  setenv("WATTUNE_FAKE_CUDA_MPS", "0", 1);
  EXPECT_TRUE(check_second_process(device->info())) << "a newer one knows better";
  std::filesystem::remove(socket);
}

TEST_F(CudaSharing, FreeMemoryIsWhatTheDriverSays) {
  const std::uint64_t before = free_memory(*device);
  const auto buffer = device->create_buffer(std::size_t{1} << 20).value();
  EXPECT_LE(free_memory(*device), before - (std::uint64_t{1} << 20));
}

}  // namespace
}  // namespace wattune::backend

// The occupancy model against the driver's own answer, on a GPU.
#include "wattune/model/occupancy.h"

#include <gtest/gtest.h>

#include "backend/support.h"
#include "device/gpu.h"

namespace wattune::inline v0_1::backend {
namespace {

// Three kernels: few registers and no shared memory, static shared memory with a barrier, and as many registers as
// their limits on blocks allow.
constexpr char kOccupyingKernels[] = R"(
extern "C" __global__ void light(float* y) { y[threadIdx.x] *= 2.0f; }
extern "C" __global__ void tiled(float* y) {
  __shared__ float tile[1250];
  extern __shared__ float more[];
  for (int i = threadIdx.x; i < 1250; i += blockDim.x) tile[i] = y[i];
  __syncthreads();
  y[threadIdx.x] = tile[1249 - threadIdx.x % 1250] + (y[0] > 1e30f ? more[threadIdx.x] : 0.0f);
}
template <int N>
__device__ void keep_many(float* y) {
  float kept[N];
#pragma unroll
  for (int i = 0; i < N; ++i) kept[i] = y[i * blockDim.x + threadIdx.x];
  for (int round = 0; round < 8; ++round) {
#pragma unroll
    for (int i = 0; i < N; ++i) kept[i] = kept[i] * kept[(i + 1) % N] + y[round];
  }
#pragma unroll
  for (int i = 0; i < N; ++i) y[i * blockDim.x + threadIdx.x] = kept[i];
}
extern "C" __global__ void __launch_bounds__(1024) heavy(float* y) { keep_many<30>(y); }
extern "C" __global__ void __launch_bounds__(512) heavier(float* y) { keep_many<70>(y); }
extern "C" __global__ void __launch_bounds__(256) heaviest(float* y) { keep_many<160>(y); }
)";

class OccupancyOnGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!device_test::reason_for_none().empty()) GTEST_SKIP() << device_test::reason_for_none();
    device = open_device_in_worker("cuda:0", {.executable = test::program("wattune-worker").string()}).value();
    KernelSource source = source_of(kOccupyingKernels);
    source.language = Language::cuda;
    source.function = GetParam();
    program = device->build(source, {}, kLimit).value();
    kernel = program->kernel(GetParam()).value();
    const auto capability = model::compute_capability(device->info().architecture);
    ASSERT_TRUE(capability) << capability.error().to_string();
    gpu = *capability;
  }

  // Returns the model's occupancy. The driver counts threads, and the last warp of a block may have fewer than 32.
  double modelled(std::size_t threads, std::size_t dynamic_bytes, const KernelResources& resources) const {
    const auto found = model::occupancy(gpu, {.threads = static_cast<unsigned>(threads),
                                              .registers = resources.registers.value(),
                                              .static_shared_bytes = resources.static_local_bytes.value(),
                                              .dynamic_shared_bytes = dynamic_bytes})
                           .value();
    return found.fraction * static_cast<double>(threads) / static_cast<double>((threads + 31) / 32 * 32);
  }

  void compare(std::size_t threads, std::size_t dynamic_bytes) const {
    const KernelResources told = kernel->resources(threads, dynamic_bytes).value();
    ASSERT_TRUE(told.occupancy) << threads << " threads, " << dynamic_bytes << " bytes";
    EXPECT_NEAR(modelled(threads, dynamic_bytes, told), *told.occupancy, 1e-9)
        << threads << " threads, " << dynamic_bytes << " bytes, " << *told.registers << " registers";
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<Program> program;
  std::unique_ptr<Kernel> kernel;
  model::ComputeCapability gpu;
};

TEST_P(OccupancyOnGpu, IsTheDriversForEveryBlockSizeAndSharedMemory) {
  const std::size_t room =
      *device->info().local_memory_bytes - kernel->resources(32, 0).value().static_local_bytes.value();
  const std::size_t most = kernel->max_work_group_size();
  for (std::size_t threads = 32; threads <= most; threads += 32)
    for (std::size_t step = 0; step <= 24; ++step) compare(threads, room * step / 24);
  for (const std::size_t threads : {1, 31, 33, 65, 100, 250}) compare(threads, 1000);
  for (std::size_t bytes = 0; bytes <= 16384; bytes += 127) compare(64, bytes);
}

INSTANTIATE_TEST_SUITE_P(Kernels, OccupancyOnGpu, testing::Values("light", "tiled", "heavy", "heavier", "heaviest"));

}  // namespace
}  // namespace wattune::backend

// Good configurations and bad ones side by side on a real GPU. Every bad one gets its status, the good one after it is
// right again, and the GPU's memory is free afterwards.
#include "tune/misbehaving_kernels.h"

#include "device/gpu.h"

namespace wattune::device_test {
namespace {

using namespace tune;

constexpr char kSource[] = R"(
extern "C" __global__ void plain(float* y, const float* x, float factor, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = factor * x[i];
}

__device__ int launches = 0;

extern "C" __global__ void scale(float* y, const float* x, float factor, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = factor * x[i];
#if BAD && MODE == 1  // does not compile
  y[i] = no_such_function(x[i]);
#elif BAD && MODE == 2  // no address of any process
  *reinterpret_cast<volatile float*>(16ull << 40) = 1.0f;
#elif BAD && MODE == 3  // never ends
  while (*reinterpret_cast<const volatile float*>(x) >= 0.0f) {}
#elif BAD && MODE == 4  // just past the end
  if (i == 0) y[n + 1] = 1.0f;
#elif BAD && MODE == 5
  y[i] = sqrtf(-1.0f - x[i]);
#elif BAD && MODE == 6
  if (i == 7) y[i] += 1.0f;
#elif BAD && MODE == 7
  __trap();
#elif BAD && MODE == 8
  assert(x[i] < 0.0f);
#elif BAD && MODE == 9  // from the second launch on
  if (i == 0 && atomicAdd(&launches, 1) > 0) __trap();
#elif BAD && MODE == 10  // a vector at an address that is no multiple of its size
  if (i == 0) *reinterpret_cast<float4*>(y + 1) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#elif BAD && MODE == 11  // more shared memory than there is
  __shared__ float tile[1 << 18];
  tile[threadIdx.x] = y[i];
  __syncthreads();
  y[i] = tile[blockDim.x - 1 - threadIdx.x] + tile[threadIdx.x + (1 << 17)];
#endif
}
)";

const Expectations kExpected{
    {1, {Status::compile, "no_such_function"}},
    {2, {Status::runtime, "CUDA_ERROR_ILLEGAL_ADDRESS"}},
    {3, {Status::timeout, ""}},
    {4, {Status::runtime, "wrote 4 bytes past the end of argument `y`"}},
    {5, {Status::correctness, "`y`: 1024 of 1024 elements are wrong"}},
    {6, {Status::correctness, "`y`: 1 of 1024 elements is wrong, first at [7]"}},
    {7, {Status::runtime, "CUDA_ERROR"}},
    {8, {Status::runtime, "CUDA_ERROR_ASSERT"}},
    {9, {Status::runtime, "CUDA_ERROR"}},
    {10, {Status::runtime, "CUDA_ERROR_MISALIGNED_ADDRESS"}},
    {11, {Status::compile, "shared"}},
    {12, {Status::constraints, "local memory"}},  // as an argument of the launch
};

// Returns a spec with good and bad configurations in turns: BAD changes fastest.
KernelSpec misbehaving_spec() {
  KernelSpec spec = scaling_spec(Language::cuda, kSource, "64");
  spec.arguments.push_back(
      {"shared", LocalArgument{ElementType::float32, {"16 + BAD * (MODE // 12) * 1048576", {}}}, {}});
  std::vector<Value> modes;
  for (const auto& [mode, expectation] : kExpected) modes.emplace_back(mode);
  spec.parameters = {{"MODE", std::move(modes), {}, {}}, {"BAD", {0, 1}, {}, {}}};
  return spec;
}

TEST(MisbehavingKernelsOnGpu, GetTheirStatusAndLeaveTheDeviceClean) {
  if (!reason_for_none().empty()) GTEST_SKIP() << reason_for_none();
  const MemoryIsFreeAgain memory;
  const auto device =
      backend::open_device_in_worker("cuda:0", {.executable = test::program("wattune-worker").string()}).value();
  const std::vector<Trial> trials = tune_all(misbehaving_spec(), *device, {.run = nanoseconds_from_seconds(10)});
  EXPECT_EQ(trials.size(), 2 * kExpected.size());
  std::vector<Trial> bad;
  for (const Trial& trial : trials) {
    const bool good = trial.configuration.find("BAD")->as_integer() == 0;
    EXPECT_EQ(trial.observation.ok() && trial.observation.verified, good) << trial.observation.message;
    if (!good) bad.push_back(trial);
  }
  expect_statuses(bad, kExpected);
}

}  // namespace
}  // namespace wattune::device_test

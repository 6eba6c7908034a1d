// Good configurations and bad ones side by side on a real OpenCL device: every bad one gets its status, and the good
// ones' results are complete.
#include "tune/misbehaving_kernels.h"
#include "programs.h"
#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::tune {
namespace {

constexpr char kSource[] = R"(
kernel void plain(global float* y, global const float* x, float factor, uint n) {
  y[get_global_id(0)] = factor * x[get_global_id(0)];
}

kernel void scale(global float* y, global const float* x, float factor, uint n) {
  const uint i = get_global_id(0);
  y[i] = factor * x[i];
#if MODE == 1  // does not compile
  y[i] = no_such_function(x[i]);
#elif MODE == 2  // no address of any process
  y[(ulong)n << 44] = 1.0f;
#elif MODE == 3  // never ends
  volatile int forever = 1;
  while (forever) {}
#elif MODE == 4  // just past the end
  if (i == 0) y[n + 1] = 1.0f;
#elif MODE == 5
  y[i] = sqrt(-1.0f - x[i]);
#elif MODE == 6
  if (i == 7) y[i] += 1.0f;
#elif MODE == 7  // past one buffer into what lies before another
  if (i == 0) y[n] = 1.0f;
  if (i == 0) *((global float*)x - 1) = 1.0f;
#elif MODE == 8
  if (i == 0) *(y - 1) = 1.0f;
#endif
}
)";

KernelSpec misbehaving_spec(std::vector<Value> modes) {
  KernelSpec spec = scaling_spec(Language::opencl, kSource, "BLOCK");
  // Good, bad, good, bad, ...: modes change fastest.
  spec.parameters = {{"BLOCK", {16, 64}, {}, {}}, {"MODE", std::move(modes), {}, {}}};
  return spec;
}

const Expectations kExpected{
    {0, {Status::correct, ""}},
    {1, {Status::compile, "no_such_function"}},
    {2, {Status::runtime, "SIG"}},
    {3, {Status::timeout, ""}},
    {4, {Status::runtime, "wrote 4 bytes past the end of argument `y`"}},
    {5, {Status::correctness, "`y`: 1024 of 1024 elements are wrong"}},
    {6, {Status::correctness, "`y`: 1 of 1024 elements is wrong, first at [7]"}},
    {7,
     {Status::runtime, "wrote 4 bytes past the end of argument `y` and 4 bytes before the beginning of argument `x`"}},
    {8, {Status::runtime, "wrote 4 bytes before the beginning of argument `y`, or far past the end of another"}},
};

// The first OpenCL device, as `selector`.
#define SKIP_WITHOUT_OPENCL(selector)                                                                   \
  const backend::Discovery discovery = backend::discover();                                             \
  const DeviceInfo* const best = backend::best_device(discovery.devices);                               \
  if (best == nullptr || best->backend != "opencl") GTEST_SKIP() << "no OpenCL device on this machine"; \
  const std::string selector = best->selector

// Crashes and hangs would take this process along.
TEST(MisbehavingKernels, GetTheirStatusInThisProcess) {
  SKIP_WITHOUT_OPENCL(selector);
  const auto device = backend::open_device(selector).value();
  const auto trials = tune_all(misbehaving_spec({0, 1, 4, 5, 6, 7, 8}), *device);
  EXPECT_EQ(trials.size(), 14u);
  expect_statuses(trials, kExpected);
}

TEST(MisbehavingKernels, GetTheirStatusInAWorker) {
  SKIP_WITHOUT_OPENCL(selector);
  backend::WorkerOptions options;
  options.executable = test::program("wattune-worker");
  const auto device = backend::open_device_in_worker(selector, options);
  ASSERT_TRUE(device) << device.error().to_string();
  const auto trials = tune_all(misbehaving_spec({0, 1, 2, 3, 4, 5, 6}), **device);
  EXPECT_EQ(trials.size(), 14u);
  expect_statuses(trials, kExpected);
}

}  // namespace
}  // namespace wattune::tune

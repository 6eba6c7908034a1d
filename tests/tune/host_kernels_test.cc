// Good configurations and bad ones side by side, as functions in C++ on the host: every bad one gets its status, and
// the good ones' results are complete.
#include "programs.h"
#include "tune/misbehaving_kernels.h"
#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::tune {
namespace {

constexpr char kHostSource[] = R"(
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void plain(float* y, const float* x, float factor, unsigned n) {
  for (unsigned i = 0; i < n; ++i) y[i] = factor * x[i];
}

#if MODE == 8
static const int never = [] { for (;;) pause(); return 0; }();
#endif

void recurse(float* y) {
  float frame[4096];
  frame[0] = y[0];
  y[0] = frame[0] + 1;
  recurse(y);
  y[1] += frame[0];
}

void scale(float* y, const float* x, float factor, unsigned n) {
  plain(y, x, factor, n);
#if MODE == 1
  y[0] = no_such_function(x[0]);
#elif MODE == 2
  *reinterpret_cast<volatile float*>(8) = 1;
#elif MODE == 3
  for (;;) y[0] += 1;
#elif MODE == 4
  y[n] = 1;
#elif MODE == 5
  y[7] += 1;
#elif MODE == 6
  exit(0);
#elif MODE == 7
  recurse(y);
#elif MODE == 9
  close(3);
#elif MODE == 10
  y[-1] = 1;
#elif MODE == 11
  static const pid_t child = fork();
  while (child == 0) pause();
#elif MODE == 12
  clearenv();
#elif MODE == 14
  const rlimit none{0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
#endif
}
)";

const Expectations kExpectedOnHost{
    {0, {Status::correct, ""}},
    {1, {Status::compile, "no_such_function"}},
    {2, {Status::runtime, "SIGSEGV"}},
    {3, {Status::timeout, ""}},
    {4, {Status::runtime, "wrote 4 bytes past the end of argument `y`"}},
    {5, {Status::correctness, "`y`: 1 of 1024 elements is wrong, first at [7]"}},
    {6, {Status::runtime, "worker exited with status 0"}},
    {7, {Status::runtime, "SIGSEGV"}},
    {8, {Status::timeout, ""}},
    {9, {Status::runtime, "worker"}},
    {10, {Status::runtime, "wrote 4 bytes before the beginning of argument `y`"}},
    {11, {Status::correct, ""}},
    {12, {Status::correct, ""}},
    {13, {Status::correct, ""}},  // behind one that leaves the worker without an environment
    {14, {Status::correct, ""}},
    {15, {Status::correct, ""}},  // behind one that lets the worker write no file
};

KernelSpec host_spec(std::vector<Value> modes) {
  KernelSpec spec = scaling_spec(Language::cpp, kHostSource, "1");
  spec.geometry = {};
  std::get<ReferenceKernel>(spec.reference).geometry = {};
  spec.parameters = {{"MODE", std::move(modes), {}, {}}};
  return spec;
}

TEST(HostKernels, GetTheirStatus) {
  backend::WorkerOptions options;
  options.executable = test::program("wattune-worker");
  const auto device = backend::open_device_in_worker("host:0", options);
  ASSERT_TRUE(device) << device.error().to_string();
  for (const bool hang : {false, true}) {
    const Expectations some = only(kExpectedOnHost, hang);
    const auto trials = tune_all(host_spec(modes_of(some)), **device, hang ? kForHangs : kForOthers);
    EXPECT_EQ(trials.size(), some.size());
    expect_statuses(trials, some);
  }
}

}  // namespace
}  // namespace wattune::tune

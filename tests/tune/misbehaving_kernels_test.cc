// Good configurations and bad ones side by side on a real OpenCL device. Every bad one gets its status, the results of
// the good ones are complete, and nothing that a kernel started or wrote stays.
#include "tune/misbehaving_kernels.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "programs.h"
#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::tune {
namespace {

// The source of the kernels. On a CPU they call the system for what OpenCL C cannot express and a wild jump may hit by
// chance.
constexpr char kSource[] = R"(
#define SYSCALL(result, number, a, b, c)                                                                       \
  long result;                                                                                                 \
  __asm__ volatile("syscall" : "=a"(result) : "a"((long)(number)), "D"((long)(a)), "S"((long)(b)), "d"((long)(c)) \
                   : "rcx", "r11", "memory")

kernel void plain(global float* y, global const float* x, float factor, uint n) {
  y[get_global_id(0)] = factor * x[get_global_id(0)];
}

#if MODE >= 100
void raise_signal(int number) {
  SYSCALL(self, 39, 0, 0, 0);
  SYSCALL(sent, 62, self, number, 0);
}
void sleep_forever(void) {
  for (;;) { SYSCALL(paused, 34, 0, 0, 0); }
}
#endif

#if MODE == 7
__attribute__((reqd_work_group_size(7, 1, 1)))
#endif
kernel void
#if MODE == 8
other(
#else
scale(
#endif
#if MODE == 9
    global int* additional,
#endif
    global float* y, global const float* x, float factor, uint n) {
  const uint i = get_global_id(0);
#if MODE != 30
  y[i] = factor * x[i];
#endif
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
#elif MODE == 10
  y[i] = ;
#elif MODE == 11
#error "refused here"
#elif MODE == 12
#include "no_such_file.h"
#elif MODE == 13  // includes itself without end
#include __FILE__
#elif MODE == 14  // a hundred million terms
#define A1(v) v + v + v + v + v + v + v + v + v + v
#define A2(v) A1(A1(v))
#define A4(v) A2(A2(v))
  y[i] = A4(A4(x[i]));
#elif MODE == 15
  x[i] = 1.0f;
#elif MODE == 16
  ((void (*)(void))0)();
#elif MODE == 17
  volatile float large[1ul << 60];
  large[i] = 1.0f;
#elif MODE == 18
  int a = 1
#elif MODE == 19  // more than the stack holds
  volatile float large[1 << 23];
  large[i * 4096] = 1.0f;
  large[(1 << 23) - 1 - i] = 2.0f;
#elif MODE == 20
  local float tile[1 << 26];
  tile[get_local_id(0)] = y[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = tile[0];
#elif MODE == 21
  if (i == 0) y[-1] = 1.0f;
#elif MODE == 22
  if (i == 0) __builtin_trap();
#elif MODE == 23
  for (int k = 0; k < 20; ++k) printf("%u %d\n", i, k);
#elif MODE == 24
  for (;;) printf("%u\n", i);
#elif MODE == 25  // only one work-item of each pair writes its own
  if (i % 2 == 1) y[i] = y[i - 1];
#elif MODE == 26
  if (i == n - 1) y[i] = INFINITY;
#elif MODE == 27  // an input, after it was read
  ((global float*)x)[i] = 0.0f;
#elif MODE == 28
  if (i == 0) y[n] = 1.0f;
#elif MODE == 29
  y[i] = x[i];
#elif MODE == 31
  y[n - 1 - i] = factor * x[i];
#elif MODE == 40  // past one buffer into what lies before another
  if (i == 0) y[n] = 1.0f;
  if (i == 0) *((global float*)x - 1) = 1.0f;
#elif MODE == 41
  if (i == 0) *(y - 1) = 1.0f;
#elif MODE >= 100 && MODE < 200  // ends by a signal
  if (i == 0) raise_signal(MODE - 100);
#elif MODE == 200
  if (i == 0) __asm__ volatile("hlt");
#elif MODE == 201 || MODE == 203  // exits
  if (i == 0) { SYSCALL(done, 231, MODE - 201, 0, 0); }
#elif MODE == 204  // kills its parent
  if (i == 0) { SYSCALL(parent, 110, 0, 0, 0); SYSCALL(sent, 62, parent, 9, 0); }
#elif MODE == 205  // leaves a process in a session of its own
  if (i == 0) {
    SYSCALL(forked, 57, 0, 0, 0);
    if (forked == 0) { SYSCALL(session, 112, 0, 0, 0); sleep_forever(); }
  }
#elif MODE == 206  // leaves twenty processes
  if (i < 20) {
    SYSCALL(forked, 57, 0, 0, 0);
    if (forked == 0) sleep_forever();
  }
#elif MODE == 207  // leaves a process, and crashes
  if (i == 0) {
    SYSCALL(forked, 57, 0, 0, 0);
    if (forked == 0) sleep_forever();
    raise_signal(11);
  }
#elif MODE == 208  // closes what it is served by
  if (i == 0) { SYSCALL(closed, 436, 3, 100000, 0); }
#elif MODE == 209  // sleeps a thousand seconds
  if (i == 0) { long time[2]; time[0] = 1000; time[1] = 0; SYSCALL(slept, 35, time, 0, 0); }
#elif MODE == 210  // never ends, and takes no signals
  if (i == 0) { ulong all = ~0ul; SYSCALL(blocked, 14, 0, &all, 0); }
  volatile int forever = 1;
  while (forever) {}
#elif MODE == 211  // answers in the worker's place
  if (i == 0) { long words[4]; words[0] = words[1] = words[2] = words[3] = -1; SYSCALL(sent, 1, 3, words, 32); }
#elif MODE == 212  // takes the next request
  if (i == 0) { long words[4]; SYSCALL(received, 45, 3, words, 32); }
#elif MODE == 213  // floods the error stream with what terminals obey
  if (i == 0) {
    char words[4]; words[0] = 27; words[1] = '['; words[2] = '7'; words[3] = 'm';
    for (int k = 0; k < 3000; ++k) { SYSCALL(written, 1, 2, words, 4); }
    raise_signal(11);
  }
#elif MODE == 214  // asks for 64 GiB
  if (i == 0) { SYSCALL(end, 12, 0, 0, 0); SYSCALL(moved, 12, end + (64L << 30), 0, 0); }
#endif
}
)";

KernelSpec misbehaving_spec(std::vector<Value> modes) {
  KernelSpec spec = scaling_spec(Language::opencl, kSource, "BLOCK");
  spec.parameters = {{"BLOCK", {16}, {}, {}}, {"MODE", std::move(modes), {}, {}}};
  return spec;
}

// The sanitizer takes more memory than that, and itself ends a worker that is short of it.
#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kMemoryLimit = 0;
#else
constexpr std::uint64_t kMemoryLimit = 400'000'000;
#endif

const Expectations kExpected{
    {0, {Status::correct, ""}},
    {1, {Status::compile, "no_such_function"}},
    {2, {Status::runtime, "SIG"}},
    {3, {Status::timeout, "the kernel ran longer than its run limit of"}},
    {4, {Status::runtime, "wrote 4 bytes past the end of argument `y`"}},
    {5, {Status::correctness, "`y`: 1024 of 1024 elements are wrong"}},
    {6, {Status::correctness, "`y`: 1 of 1024 elements is wrong, first at [7]"}},
    {7, {Status::runtime, "CL_INVALID_WORK_GROUP_SIZE"}},
    {8, {Status::compile, "no kernel `scale` in the program"}},
    {9,
     {Status::compile,
      "kernel `scale` takes 5 arguments (int* additional, float* y, float* x, float factor, uint n), the spec lists "
      "4"}},
    {10, {Status::compile, "expected expression"}},
    {11, {Status::compile, "refused here"}},
    {12, {Status::compile, "'no_such_file.h' file not found"}},
    {13, {Status::compile, "#include nested too deeply"}},
#ifndef __SANITIZE_ADDRESS__
    {14, {Status::compile, "worker reached its memory limit of 400 MB"}},
#endif
    {15, {Status::compile, "read-only variable is not assignable"}},
    {16, {Status::compile, "pointers to functions are not allowed"}},
    {17, {Status::compile, "array is too large"}},
    {18, {Status::compile, "expected ';'"}},
    {19, {Status::runtime, "SIGSEGV"}},
    {20, {Status::runtime, "bytes of local memory"}},
    {21, {Status::runtime, "wrote 4 bytes before the beginning of argument `y`"}},
    {22, {Status::runtime, "SIGILL"}},
    {23, {Status::correct, ""}},
    {24, {Status::timeout, "the kernel ran longer than its run limit of"}},
    {25, {Status::correctness, "512 of 1024 elements are wrong"}},
    {26, {Status::correctness, "first at [1023]"}},
    {27, {Status::correct, ""}},
    {28, {Status::runtime, "wrote 4 bytes past the end of argument `y`"}},
    {29, {Status::correctness, "1024 of 1024 elements are wrong"}},
    {30, {Status::correctness, "1024 of 1024 elements are wrong"}},
    {31, {Status::correctness, "elements are wrong"}},
    {40,
     {Status::runtime, "wrote 4 bytes past the end of argument `y` and 4 bytes before the beginning of argument `x`"}},
    {41, {Status::runtime, "wrote 4 bytes before the beginning of argument `y`, or far past the end of another"}},
};

// The outcomes of kernels that call the system. Most failures cost two workers, because they are tried again.
const Expectations kExpectedOnX86{
    {0, {Status::correct, ""}},
    {102, {Status::runtime, "worker killed by SIGINT"}},
    {104, {Status::runtime, "worker killed by SIGILL"}},
    {105, {Status::runtime, "worker killed by SIGTRAP"}},
    {107, {Status::runtime, "worker killed by SIGBUS"}},
    {108, {Status::runtime, "worker killed by SIGFPE"}},
    {111, {Status::runtime, "worker killed by SIGSEGV"}},
    {113, {Status::runtime, "worker killed by SIGPIPE"}},
    {119, {Status::timeout, "the kernel ran longer than its run limit of"}},  // SIGSTOP
    {200, {Status::runtime, "worker killed by SIGSEGV"}},
    {201, {Status::runtime, "worker exited with status 0"}},
    {203, {Status::runtime, "worker exited with status 2"}},
    {204, {Status::runtime, "killed again and again from outside (SIGKILL)"}},  // costs ten workers
    {205, {Status::correct, ""}},
    {206, {Status::correct, ""}},
    {207, {Status::runtime, "worker killed by SIGSEGV"}},
    {208, {Status::runtime, "worker exited with status 0"}},
    {209, {Status::timeout, "the kernel ran longer than its run limit of"}},
    {210, {Status::timeout, "the kernel ran longer than its run limit of"}},
    {211, {Status::runtime, "the worker does not speak the protocol"}},
    {212, {Status::timeout, "the kernel ran longer than its run limit of"}},
    {213, {Status::runtime, "worker killed by SIGSEGV: [7m[7m"}},
    {214, {Status::correct, ""}},
};

// Finds the first OpenCL device, as `selector`.
#define SKIP_WITHOUT_OPENCL(selector)                                                                   \
  const backend::Discovery discovery = backend::discover();                                             \
  const DeviceInfo* const best = backend::best_device(discovery.devices);                               \
  if (best == nullptr || best->backend != "opencl") GTEST_SKIP() << "no OpenCL device on this machine"; \
  const std::string selector = best->selector

// A check that nothing stays. A process that outlives its worker becomes this process's child, and files that it leaves
// lie in a folder of this test's own.
class NothingStays {
 public:
  NothingStays() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::filesystem::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  NothingStays(const NothingStays&) = delete;
  NothingStays& operator=(const NothingStays&) = delete;
  ~NothingStays() {
    pid_t child = 0;
    while ((child = waitpid(-1, nullptr, WNOHANG)) > 0) {  // a worker whose supervisor was killed
    }
    EXPECT_EQ(child, -1) << "a process was left behind";
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    setenv("TMPDIR", outer_.c_str(), 1);
    std::filesystem::remove_all(folder_);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

 private:
  const std::filesystem::path outer_ = std::filesystem::temp_directory_path();
  const std::filesystem::path folder_ = outer_ / ("wattune-misbehaving-test-" + std::to_string(getpid()));
};

void expect_in_a_worker(const std::string& selector, const Expectations& expectations) {
  const NothingStays nothing_stays;
  backend::WorkerOptions options;
  options.executable = test::program("wattune-worker");
  options.memory_limit_bytes = kMemoryLimit;
  const auto device = backend::open_device_in_worker(selector, options);
  ASSERT_TRUE(device) << device.error().to_string();
  for (const bool hang : {false, true}) {
    const Expectations some = only(expectations, hang);
    const auto trials = tune_all(misbehaving_spec(modes_of(some)), **device, hang ? kForHangs : kForOthers);
    EXPECT_EQ(trials.size(), some.size());
    expect_statuses(trials, some);
  }
}

// Crashes and hangs would end this process.
TEST(MisbehavingKernels, GetTheirStatusInThisProcess) {
  SKIP_WITHOUT_OPENCL(selector);
  const auto device = backend::open_device(selector).value();
  const auto trials = tune_all(misbehaving_spec({0, 1, 4, 5, 6, 40, 41}), *device, kForOthers);
  EXPECT_EQ(trials.size(), 7u);
  expect_statuses(trials, kExpected);
}

// Returns the expected outcomes for a kind of device. A GPU's driver neither words its messages nor fails as PoCL does,
// and each hang costs it a reset; there only modes count whose status does not depend on that. tests/device has the
// outcomes of CUDA for the others.
Expectations expected_on(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return kExpected;
  Expectations expected;
  for (const std::int64_t mode : {0, 3, 4, 5, 6, 25, 26, 28, 29, 30, 31, 40, 41})
    expected.insert(*kExpected.find(mode));
  return expected;
}

TEST(MisbehavingKernels, GetTheirStatusInAWorker) {
  SKIP_WITHOUT_OPENCL(selector);
  expect_in_a_worker(selector, expected_on(best->kind));
}

#ifdef __x86_64__
TEST(MisbehavingKernels, ThatAskTheSystemGetTheirStatusInAWorker) {
  SKIP_WITHOUT_OPENCL(selector);
  if (best->kind != DeviceKind::cpu) GTEST_SKIP() << "kernels of this device reach no system";
  expect_in_a_worker(selector, kExpectedOnX86);
}
#endif

}  // namespace
}  // namespace wattune::tune

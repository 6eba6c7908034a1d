// Hardware counters of the CUDA device, against stand-ins for driver and CUPTI (fakes/cuda/fake_libcupti.cc).
#include <dlfcn.h>

#include <cstdlib>

#include "backend/support.h"
#include "programs.h"
#include "wattune/backend/worker.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kLibcupti = test::program("wattune-fake-libcupti.so").string();
// The stand-in for CUPTI; cuda_test.cc chooses the others.
const bool kStandInChosen = setenv("WATTUNE_LIBCUPTI", kLibcupti.c_str(), 1) == 0;

// Returns how many objects of CUPTI live in this process.
long live() {
  static void* const library = dlopen(kLibcupti.c_str(), RTLD_NOW | RTLD_LOCAL);
  static auto* const count = reinterpret_cast<long (*)()>(dlsym(library, "wattune_fake_cupti_live"));
  return count();
}

class CudaCounters : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(kStandInChosen); }
  void TearDown() override {
    for (const std::string& name : changed_) unsetenv(name.c_str());
    EXPECT_EQ(live(), 0) << "objects of CUPTI leaked";
  }

  void set(const std::string& name, const std::string& value) {
    setenv(("WATTUNE_FAKE_CUPTI_" + name).c_str(), value.c_str(), 1);
    changed_.push_back("WATTUNE_FAKE_CUPTI_" + name);
  }

  static std::unique_ptr<Device> in_worker() {
    WorkerOptions options;
    options.executable = test::program("wattune-worker");
    return open_device_in_worker("cuda:0", options).value();
  }

  // Counts while `function` scales {1, 2} by 3; each pass begins with these numbers.
  static Result<std::vector<Metric>> count(Device& device, const std::vector<std::string>& counters,
                                           std::vector<float>* scaled = nullptr, const std::string& function = "scale",
                                           Nanoseconds limit = kLimit) {
    const auto stream = device.create_stream().value();
    const auto pristine = buffer_with<float>(device, *stream, {1, 2});
    const auto x = buffer_with<float>(device, *stream, {0, 0});
    KernelSource source = source_of(
        "extern \"C\" __global__ void scale(float* x, float factor, int n) {}\n"
        "__global__ void hang() {}\n__global__ void illegal() {}");
    source.language = Language::cuda;
    source.function = function;
    const auto program = device.build(source, {}, kLimit).value();
    const auto kernel = program->kernel(function).value();
    stream->copy(*pristine, *x).value();
    const std::vector<LaunchArgument> arguments{x.get(), scalar(3.0f), scalar(2)};
    stream->launch(*kernel, {}, std::span(arguments).first(kernel->argument_count())).value();
    Result<std::vector<Metric>> values = device.counters().value()->count(*stream, counters, limit);
    if (scaled != nullptr) *scaled = contents_of<float>(*x, *stream);
    return values;
  }

  // Returns, in words, why nothing can be counted; empty if something can.
  static std::string reason(Device& device, const std::vector<std::string>& counters = {"dram__bytes_read.sum"}) {
    const auto stream = device.create_stream().value();
    const auto counted = device.counters().value()->count(*stream, counters, kLimit);
    return counted ? "" : counted.error().to_string();
  }

 private:
  std::vector<std::string> changed_;
};

TEST_F(CudaCounters, AreCountedInPassesOfOneLaunchEach) {
  const auto device = open_device("cuda:0").value();
  std::vector<float> scaled;
  const auto values = count(*device, {"smsp__inst_executed.sum", "dram__bytes_read.sum.per_second"}, &scaled).value();
  EXPECT_THAT(values, ElementsAre(Metric{"smsp__inst_executed.sum", 1.0, "instruction"},
                                  Metric{"dram__bytes_read.sum.per_second", 4096.0, "byte/second"}));
  EXPECT_THAT(scaled, ElementsAre(3.0f, 6.0f)) << "a pass did not begin with what the commands before it made";
}

TEST_F(CudaCounters, ComeThroughTheWorker) {
  const auto device = in_worker();
  EXPECT_THAT(count(*device, {"dram__bytes_read.sum"}).value(),
              ElementsAre(Metric{"dram__bytes_read.sum", 4096.0, "byte"}));
  EXPECT_THAT(
      device->counters().value()->list().value(),
      Contains(CounterInfo{"lts__t_sector_hit_rate", CounterKind::ratio, "percent", "proportion of lookups that hit"}));
  EXPECT_THAT(reason(*device, {"dram__bytes_reed.sum"}), HasSubstr("did you mean `dram__bytes_read`?"));
}

TEST_F(CudaCounters, AreNotCountedOnAStreamOfAnotherDevice) {
  const auto here = open_device("cuda:0").value();
  const auto there = in_worker();
  const auto stream_here = here->create_stream().value();
  const auto stream_there = there->create_stream().value();
  for (const auto& [device, stream] : {std::pair(here.get(), stream_there.get()), {there.get(), stream_here.get()}}) {
    const auto counted = device->counters().value()->count(*stream, {"dram__bytes_read.sum"}, kLimit);
    EXPECT_EQ(counted.error().code(), ErrorCode::invalid_argument);
  }
}

TEST_F(CudaCounters, ThatAreNoNumberAreLeftOut) {
  const auto device = open_device("cuda:0").value();
  EXPECT_THAT(count(*device, {"lts__t_sector_hit_rate.pct"}).value(), IsEmpty());
}

TEST_F(CudaCounters, WithoutCommandsAreOnlyTried) {
  const auto device = open_device("cuda:0").value();
  const auto stream = device->create_stream().value();
  EXPECT_THAT(device->counters().value()->count(*stream, {"dram__bytes_read.sum"}, kLimit).value(), IsEmpty());
  EXPECT_THAT(reason(*device, {"dram__bytes_read.sum", "sm__througput.avg"}),
              HasSubstr("no such counter: `sm__througput.avg` (did you mean `sm__throughput`?)"));
  EXPECT_THAT(reason(*device, {"dram__bytes_read"}),
              HasSubstr("(dram__bytes_read has .sum .avg .sum.per_second .avg.pct"));
}

TEST_F(CudaCounters, SayWhyTheyCannotBeRead) {
  const auto device = open_device("cuda:0").value();
  for (const char* function : {"cuptiProfilerGetCounterAvailability", "cuptiRangeProfilerStart"}) {
    set(function, "35");
    const std::string words = count(*device, {"dram__bytes_read.sum"}).error().to_string();
    EXPECT_THAT(words, HasSubstr("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES")) << function;
    EXPECT_THAT(words, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0, or give the process CAP_SYS_ADMIN"));
    set(function, "0");
  }
  set("cuptiRangeProfilerEnable", "26");
  EXPECT_THAT(reason(*device), HasSubstr("another profiler holds the counters"));
}

TEST_F(CudaCounters, EveryFailureEndsInOneLineAndLeavesNothingBehind) {
  const auto device = open_device("cuda:0").value();
  for (const char* function :
       {"cuptiProfilerInitialize", "cuptiProfilerGetCounterAvailability", "cuptiDeviceGetChipName",
        "cuptiProfilerHostGetSupportedChips", "cuptiProfilerHostInitialize", "cuptiProfilerHostConfigAddMetrics",
        "cuptiProfilerHostGetConfigImageSize", "cuptiProfilerHostGetConfigImage", "cuptiRangeProfilerEnable",
        "cuptiRangeProfilerGetCounterDataSize", "cuptiRangeProfilerCounterDataImageInitialize",
        "cuptiRangeProfilerSetConfig", "cuptiRangeProfilerStart", "cuptiRangeProfilerPushRange",
        "cuptiRangeProfilerDecodeData", "cuptiProfilerHostEvaluateToGpuValues"}) {
    set(function, "999");
    const auto counted = count(*device, {"dram__bytes_read.sum"});
    ASSERT_FALSE(counted) << function;
    EXPECT_EQ(counted.error().code(), ErrorCode::unavailable) << function;
    EXPECT_EQ(live(), 0) << function;
    set(function, "0");
  }
  EXPECT_TRUE(count(*device, {"dram__bytes_read.sum"}));
}

TEST_F(CudaCounters, OfAChipThatCuptiDoesNotKnowAreNone) {
  set("CHIP", "GP100");
  const auto device = open_device("cuda:0").value();
  EXPECT_THAT(reason(*device), HasSubstr("CUPTI knows no counters of chip: `GP100`"));
  EXPECT_EQ(device->counters().value()->list().error().code(), ErrorCode::not_found);
}

TEST_F(CudaCounters, WithoutCuptiSayWhatToInstall) {
  setenv("WATTUNE_LIBCUPTI", "/nowhere/libcupti.so", 1);
  const auto missing = in_worker();
  EXPECT_THAT(reason(*missing), HasSubstr("CUPTI, which reads hardware counters, was not found (install CUDA's "));
  setenv("WATTUNE_LIBCUPTI", test::program("wattune-fake-libnvml.so").c_str(), 1);
  const auto old = in_worker();
  EXPECT_THAT(reason(*old), HasSubstr("CUPTI has no function cuptiProfilerInitialize (install CUPTI 12.6 or newer)"));
  setenv("WATTUNE_LIBCUPTI", kLibcupti.c_str(), 1);
}

// No pass begins after the limit, so the device is free.
TEST_F(CudaCounters, TakeNoMorePassesThanTheLimitAllows) {
  const auto device = open_device("cuda:0").value();
  const std::vector<std::string> counters{"dram__bytes_read.sum"};
  EXPECT_EQ(count(*device, counters, nullptr, "scale", Nanoseconds(-1)).error().code(), ErrorCode::timeout);
  EXPECT_TRUE(count(*device, counters));
}

// The worker takes along all that the endless kernel holds.
TEST_F(CudaCounters, OfAKernelThatFailsOrNeverEndsCostTheDevice) {
  const auto device = in_worker();
  const std::vector<std::string> counters{"dram__bytes_read.sum"};
  const Error illegal = count(*device, counters, nullptr, "illegal").error();
  EXPECT_EQ(illegal.code(), ErrorCode::device_lost);
  EXPECT_EQ(illegal.native_name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
  device->reset().value();
  EXPECT_EQ(count(*device, counters, nullptr, "hang", nanoseconds_from_ms(100)).error().code(), ErrorCode::timeout);
  device->reset().value();
  EXPECT_TRUE(count(*device, counters));
}

}  // namespace
}  // namespace wattune::backend

// CUDA devices in workers, each with a driver that the environment configures.
#include "backend/cuda_support.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CudaWorker : public ::testing::Test {
 protected:
  void SetUp() override { options.executable = test::program("wattune-worker"); }
  void TearDown() override {
    for (const std::string& name : changed) unsetenv(name.c_str());
    setenv("WATTUNE_LIBCUDA", kLibcuda.c_str(), 1);
    setenv("WATTUNE_LIBNVML", kLibnvml.c_str(), 1);
    setenv("WATTUNE_LIBNVRTC", kLibnvrtc.c_str(), 1);
  }
  DeviceInfo info() { return open_device_in_worker("cuda:0", options).value()->info(); }
  // Returns the state of the device during a kernel's second launch.
  Conditions conditions() {
    const auto device = open_device_in_worker("cuda:0", options).value();
    const auto stream = device->create_stream().value();
    const auto program = device->build(cuda_source(kKernels), {}, kLimit).value();
    const auto kernel = program->kernel("noop").value();
    const auto event = stream->launch(*kernel, {}, {}).value();
    EXPECT_TRUE(stream->finish(kLimit));
    return event->conditions();
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    changed.push_back(name);
  }
  // Returns the status of the backend that `wattune devices` would print.
  BackendStatus cuda_status() {
    const Discovery discovery = discover_in_worker(options).value();
    for (const BackendStatus& status : discovery.backends)
      if (status.backend == "cuda") return status;
    return {};
  }

  WorkerOptions options;
  std::vector<std::string> changed;
};

TEST_F(CudaWorker, ServesTheDeviceAndWhatItsKernelsTake) {
  const auto device = open_device_in_worker("cuda:0", options).value();
  EXPECT_EQ(device->info().architecture, "sm_90");
  const auto stream = device->create_stream().value();
  const auto x = buffer_with<float>(*device, *stream, std::vector<float>(4));
  const auto weights = buffer_with<float>(*device, *stream, {1, 2, 3, 4});
  const auto program = device->build(cuda_source(kKernels, "weigh"), {}, kLimit).value();
  const auto kernel = program->kernel("weigh").value();
  EXPECT_EQ(kernel->resources(256, 64).value().registers, 32u);
  EXPECT_EQ(kernel->resources(256, 64).value().spill_bytes, 8u);
  EXPECT_EQ(kernel->resources(256, 64).value().dynamic_local_bytes, 64u);
  const std::vector<LaunchArgument> arguments{x.get(), scalar(4), ConstantBuffer{"weights", weights.get()}};
  const Geometry3 geometry{.groups = {2, 1, 1}, .cluster = {2, 1, 1}, .cooperative = true};
  stream->launch(*kernel, geometry, arguments).value();
  EXPECT_THAT(contents_of<float>(*x, *stream), ElementsAre(1, 2, 3, 4));
}

TEST_F(CudaWorker, ComesBackAfterAStickyErrorAndAnEndlessKernel) {
  const auto device = open_device_in_worker("cuda:0", options).value();
  for (const auto& [kernel, code] : {std::pair("illegal", ErrorCode::device_lost), {"hang", ErrorCode::timeout}}) {
    auto stream = device->create_stream().value();
    const auto program = device->build(cuda_source(kKernels), {}, kLimit).value();
    const auto function = program->kernel(kernel).value();
    stream->launch(*function, {}, {}).value();
    EXPECT_EQ(stream->finish(nanoseconds_from_ms(200)).error().code(), code) << kernel;
    device->reset().value();
  }
  EXPECT_TRUE(device->create_buffer(4));
}

TEST_F(CudaWorker, SaysThatThereIsNoDriver) {
  set("WATTUNE_LIBCUDA", "/nowhere/libcuda.so.1");
  EXPECT_FALSE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, StartsWith("the CUDA driver cannot be loaded"));
}

TEST_F(CudaWorker, SaysThatTheDriverIsTooOld) {
  set("WATTUNE_FAKE_CUDA_VERSION", "11080");
  EXPECT_FALSE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, HasSubstr("too old: it supports CUDA 11.8, 12.4 is needed"));
}

TEST_F(CudaWorker, SaysThatThereIsNoGpu) {
  set("WATTUNE_FAKE_CUDA_INIT", "100");
  EXPECT_FALSE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, HasSubstr("CUDA_ERROR_NO_DEVICE"));
  EXPECT_THAT(cuda_status().reason, HasSubstr("nvidia-smi"));
}

TEST_F(CudaWorker, SaysThatTheCompilerIsMissingOrTooNew) {
  EXPECT_EQ(cuda_status().reason, "");
  set("WATTUNE_FAKE_NVRTC_VERSION", "13000");
  EXPECT_TRUE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, HasSubstr("NVRTC 13.0 is newer than the driver, which supports CUDA 12.8"));
  set("WATTUNE_LIBNVRTC", "/nowhere/libnvrtc.so");
  EXPECT_TRUE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, StartsWith("NVRTC, CUDA's compiler, was not found"));
}

TEST_F(CudaWorker, TellsClockAndThrottlingOfEachLaunch) {
  EXPECT_EQ(conditions(), (Conditions{.clock = Megahertz(1755), .throttled = false}));  // idle is no throttling
  for (const char* bits : {"4", "8", "32", "64", "128", "129"}) {
    set("WATTUNE_FAKE_NVML_BITS", bits);
    EXPECT_EQ(conditions().throttled, true) << bits;
  }
  set("WATTUNE_FAKE_NVML_CLOCK", "15");  // the device is lost
  EXPECT_EQ(conditions().clock, std::nullopt);
  set("WATTUNE_FAKE_NVML_REASONS", "4");  // not permitted
  EXPECT_EQ(conditions(), Conditions{});
}

TEST_F(CudaWorker, SaysWhatSensorsCanBeRead) {
  EXPECT_THAT(info().sensors, ElementsAre("clock", "throttling", "power", "energy", "temperature"));
  const auto device = open_device_in_worker("cuda:0", options).value();
  const auto readings = device->sensors().value()->read().value();
  EXPECT_EQ(readings.power, Watts(350));
  EXPECT_EQ(readings.temperature, Celsius(41));
  set("WATTUNE_FAKE_NVML_ENERGY", "3");  // not supported
  EXPECT_THAT(info().sensors, ElementsAre("clock", "throttling", "power", "temperature"));
  set("WATTUNE_FAKE_NVML_HANDLE", "6");  // not found
  EXPECT_THAT(info().sensors, ElementsAre());
}

// The library is that of an old driver, without an energy counter and with another name for the reasons.
TEST_F(CudaWorker, AFunctionThatNvmlLacksTakesOnlyItsOwnSensorAway) {
  set("WATTUNE_LIBNVML", test::program("wattune-fake-libnvml-old.so").string());
  EXPECT_EQ(cuda_status().reason, "");
  EXPECT_THAT(info().sensors, ElementsAre("clock", "throttling", "power", "temperature"));
  set("WATTUNE_FAKE_NVML_BITS", "4");
  EXPECT_EQ(conditions(), (Conditions{.clock = Megahertz(1755), .throttled = true}));
}

// A library that does not say that it is a stand-in may drive real boards, whatever variable named it.
TEST_F(CudaWorker, ClocksAreSetThroughAStandInOnly) {
  set("WATTUNE_FAKE_NVML_REAL", "1");
  const auto device = open_device_in_worker("cuda:0", options).value();
  EXPECT_TRUE(device->sensors());
  const Error error = device->clock_control().error();
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.to_string(), HasSubstr("control of them comes with its guardian"));
}

TEST_F(CudaWorker, SaysWhyThereAreNoSensors) {
  set("WATTUNE_FAKE_NVML_INIT", "18");
  const auto device = open_device_in_worker("cuda:0", options).value();
  EXPECT_THAT(device->sensors().error().to_string(), HasSubstr("NVML cannot be started"));
}

TEST_F(CudaWorker, WorksWithoutNvmlAndSaysWhatIsMissing) {
  set("WATTUNE_FAKE_NVML_INIT", "18");
  EXPECT_TRUE(cuda_status().available);
  EXPECT_EQ(
      cuda_status().reason,
      "NVML cannot be started: it belongs to another version of the driver: restart the machine; clocks and power "
      "are not read");
  EXPECT_EQ(conditions(), Conditions{});
  set("WATTUNE_LIBNVML", "/nowhere/libnvidia-ml.so.1");
  EXPECT_TRUE(cuda_status().available);
  EXPECT_THAT(cuda_status().reason, StartsWith("NVML cannot be loaded"));
  EXPECT_EQ(conditions(), Conditions{});
}

TEST_F(CudaWorker, KeepsTheBuildLogWhereTheCompilerHasACache) {
  set("WATTUNE_FAKE_NVRTC_VERSION", "12090");
  const auto device = open_device_in_worker("cuda:0", options).value();
  const auto program = device->build(cuda_source("#warning look here\n__global__ void noop() {}"), {}, kLimit).value();
  EXPECT_THAT(program->build_log(), HasSubstr("look here"));
}

// This NVRTC knows sm_80 and sm_90; the driver compiles the PTX further.
TEST_F(CudaWorker, FallsBackToPtxForADeviceNewerThanTheCompiler) {
  set("WATTUNE_FAKE_CUDA_CAPABILITY", "103");
  const auto device = open_device_in_worker("cuda:0", options).value();
  const auto program = device->build(cuda_source(kKernels), {}, kLimit).value();
  EXPECT_EQ(program->build_log(), "compiled by the driver");
}

// No driver can be stopped while it compiles, so the worker ends.
TEST_F(CudaWorker, PtxThatTheDriverCompilesWithoutEndPassesTheLimitOfLoading) {
  const auto device = open_device_in_worker("cuda:0", options).value();
  const Image endless{.code = ".version 8.4\n// WITHOUT END", .log = {}, .symbols = {}, .kind = ImageKind::ptx};
  EXPECT_EQ(device->load(endless, {}, nanoseconds_from_ms(200)).error().code(), ErrorCode::timeout);
  EXPECT_EQ(device->create_buffer(4).error().code(), ErrorCode::device_lost);
  device->reset().value();
  KernelSource ptx = cuda_source(endless.code);
  EXPECT_EQ(device->build(ptx, {}, nanoseconds_from_ms(200)).error().code(), ErrorCode::timeout);
}

TEST_F(CudaWorker, SaysWhichCodeIsNotCompiledAhead) {
  const auto device = open_device_in_worker("cuda:0", options).value();
  EXPECT_EQ(device->compile_target(cuda_source(kKernels)).value().architecture, "sm_90");
  const Error ptx = device->compile_target(cuda_source(".version 8.4")).error();
  EXPECT_EQ(ptx.code(), ErrorCode::unavailable);
  EXPECT_EQ(ptx.message(), "PTX and cubin files are loaded as they are");
}

TEST_F(CudaWorker, SaysThatTheCompilerForgotTheDevice) {
  set("WATTUNE_FAKE_CUDA_CAPABILITY", "70");
  const auto device = open_device_in_worker("cuda:0", options).value();
  const auto program = device->build(cuda_source(kKernels), {}, kLimit);
  EXPECT_EQ(program.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(program.error().to_string(), HasSubstr("NVRTC 12.4 does not compile for sm_70 (it does for sm_"));
}

}  // namespace
}  // namespace wattune::backend

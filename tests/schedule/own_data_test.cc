// Works on memory and values of an application: on OpenCL and on the stand-in for CUDA's driver.
#include "schedule/session/own_data.h"
#include "backend/support.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda_support.h"
#include "fakes/cuda/fake_cuda.h"
#include "schedule/device_machine_support.h"
#include "wattune/backend/attach.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kOwnItems = 512;

// Returns a kernel that adds a number to integers, in one launch or twice in two.
KernelSpec raising(std::size_t launches = 1) {
  KernelSpec spec;
  spec.name = "raise";
  spec.source = {.function = "raise",
                 .file = "raise.cl",
                 .text =
                     "kernel void raise(global const int* in, global int* out, int by) {\n"
                     "  out[get_global_id(0)] += in[get_global_id(0)] + by;\n}\n"};
  spec.problem_size = {{"n", kOwnItems}};
  spec.geometry.sizes[0].text = "n";
  spec.geometry.work_group[0].text = "64";
  spec.arguments = {
      {"in", VectorArgument{.type = ElementType::int32, .length = {"n"}}},
      {"out", VectorArgument{.type = ElementType::int32, .length = {"n"}, .access = ArgumentAccess::read_write}},
      {"by", ScalarArgument{.value = {"1"}}}};
  if (launches > 1) {
    LaunchStep step;
    step.arguments = {0, 1, 2};
    step.geometry = spec.geometry;
    step.repeat.text = std::to_string(launches);
    spec.steps = {step};
  }
  return spec;
}

class OwnDataOnOpencl : public testing::Test {
 protected:
  void SetUp() override {
    const auto opencl = backend::opencl_selector();
    if (!opencl) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::open_device(*opencl).value();
    in = ints(100);
    out = ints(0);
  }
  std::unique_ptr<CorunSession> session_of(const KernelSpec& spec) {
    return open(*device, std::vector<CorunKernel>{{.spec = spec}}).value();
  }
  // Returns a buffer of this number.
  std::unique_ptr<backend::Buffer> ints(int value) {
    auto buffer = device->create_buffer(kOwnItems * sizeof(int)).value();
    const std::vector<int> values(kOwnItems, value);
    const auto stream = device->create_stream().value();
    stream->write(*buffer, std::as_bytes(std::span(values))).value();
    stream->finish(kTestLimit).value();
    return buffer;
  }

  std::unique_ptr<backend::Device> device;
  std::unique_ptr<backend::Buffer> in;
  std::unique_ptr<backend::Buffer> out;
};

TEST_F(OwnDataOnOpencl, AWorkUsesWhatItIsGiven) {
  const auto session = session_of(raising());
  session->submit({.kernel = 0}, {{"in", *in}, {"out", *out}, {"by", 5}}).value().wait().value();
  EXPECT_THAT(read_ints(*device, *out), Each(105));
  session->submit({.kernel = 0}).value().wait().value();  // on the session's own
  EXPECT_THAT(read_ints(*device, *out), Each(105));
  // The session's `in` is 0, and its value is 1.
  session->submit({.kernel = 0}, {{"out", *out}}).value().wait().value();
  EXPECT_THAT(read_ints(*device, *out), Each(106));
}

TEST_F(OwnDataOnOpencl, AllLaunchesOfASequenceUseIt) {
  const auto session = session_of(raising(3));
  session->submit({.kernel = 0}, {{"in", *in}, {"out", *out}, {"by", 5}}).value().wait().value();
  EXPECT_THAT(read_ints(*device, *out), Each(315));
}

TEST_F(OwnDataOnOpencl, ArgumentsThatDoNotFitAreRefused) {
  const auto session = session_of(raising());
  const auto small = device->create_buffer(100).value();
  const auto refusal = [&](const OwnArguments& arguments) {
    return session->submit({.kernel = 0}, arguments).error().to_string();
  };
  EXPECT_THAT(refusal({{"in", *in}}), HasSubstr("argument `out` is written, and the work has no memory for it"));
  EXPECT_THAT(refusal({{"inn", *in}, {"out", *out}}), HasSubstr("no such argument: `inn` (did you mean `in`?)"));
  EXPECT_THAT(refusal({{"in", *small}, {"out", *out}}),
              HasSubstr("argument `in` has 100 bytes, and the kernel takes 2048"));
  EXPECT_THAT(refusal({{"in", 3}, {"out", *out}}), HasSubstr("argument `in` is a value"));
  EXPECT_THAT(refusal({{"by", *in}, {"out", *out}}), HasSubstr("argument `by` is memory"));
  EXPECT_THAT(refusal({{"by", 3.0F}, {"out", *out}}), HasSubstr("argument `by` is of float, and the spec has int"));
  EXPECT_THAT(refusal({{"out", nullptr}}), HasSubstr("the pointer is null"));
  int on_host = 0;
  EXPECT_THAT(refusal({{"out", &on_host}}), HasSubstr("memory of OpenCL is passed as a cl_mem"));
}

TEST_F(OwnDataOnOpencl, WorksConflictWhereOneWritesWhatBothUse) {
  const auto uses = [](const backend::Buffer& buffer, bool is_written) {
    return std::vector<MemoryUse>{{"x", backend::range_of(buffer), is_written}};
  };
  EXPECT_FALSE(conflict_of(uses(*in, true), uses(*out, true)));
  EXPECT_FALSE(conflict_of(uses(*in, false), uses(*in, false)));
  EXPECT_TRUE(conflict_of(uses(*in, false), uses(*in, true)));
  EXPECT_TRUE(conflict_of(uses(*in, true), uses(*in, false)));
}

// On a device, the memory of the application may be pointers.
class OwnDataOnStandIn : public testing::Test {
 protected:
  void SetUp() override {
    // The library and its state live as long as the process.
    cuda = reinterpret_cast<fakes::FakeCuda* (*)()>(
        dlsym(dlopen(backend::kLibcuda.c_str(), RTLD_NOW), "wattune_fake_cuda"))();
    cuda->persistent_blocks = 0;
    cuda->hangs_end = true;
    device = backend::open_cuda_in_primary_context("cuda:0").value();
    session = open(*device, {{.spec = spec_of("mark", ArgumentAccess::read_write)},
                             {.spec = spec_of("hang", ArgumentAccess::read_write)},
                             {.spec = spec_of("hang", ArgumentAccess::read_only)}})
                  .value();
    for (std::unique_ptr<backend::Buffer>& buffer : buffers) {
      buffer = device->create_buffer(kOwnItems * sizeof(int)).value();
      const auto stream = device->create_stream().value();
      stream->fill(*buffer, std::byte{0}).value();
      stream->finish(kTestLimit).value();
    }
    session->submit({.kernel = 0}).value().wait().value();  // profiles the kernels
  }
  void TearDown() override {
    cuda->hangs_end = true;
    session.reset();
    cuda->hangs_end = false;
  }
  static KernelSpec spec_of(const std::string& function, ArgumentAccess access) {
    KernelSpec spec;
    spec.name = function;
    spec.source = backend::cuda_source(mark_ptx(), function);
    spec.geometry.convention = GeometryConvention::cuda;
    spec.geometry.sizes[0].text = "60";
    spec.geometry.work_group[0].text = "64";
    spec.arguments = {{"hits", VectorArgument{.type = ElementType::int32, .length = {"60"}, .access = access}}};
    return spec;
  }
  int* memory(std::size_t buffer) const { return reinterpret_cast<int*>(buffers[buffer]->memory()); }

  fakes::FakeCuda* cuda = nullptr;
  std::unique_ptr<backend::Device> device;
  std::unique_ptr<CorunSession> session;
  std::array<std::unique_ptr<backend::Buffer>, 2> buffers;
};

// A worker would have to read counters, and here none can.
TEST_F(OwnDataOnStandIn, OpeningASessionReadsNoCounters) {
  session.reset();
  session = open(*device, {{.spec = spec_of("mark", ArgumentAccess::read_write)}}).value();
  const auto on_counters = HasSubstr("are not read from its performance counters");
  EXPECT_THAT(session->notes(), Each(Not(on_counters)));
  for (int i = 0; i < 2; ++i) session->read_use();
  EXPECT_THAT(session->notes(), testing::Contains(on_counters).Times(1));
}

TEST_F(OwnDataOnStandIn, APointerIsMemoryOfTheDevicesContext) {
  session->submit({.kernel = 0}, {{"hits", memory(0)}}).value().wait().value();
  std::vector<int> hits = read_ints(*device, *buffers[0]);
  hits.resize(60);
  EXPECT_THAT(hits, Each(1));
  int on_host = 0;
  EXPECT_THAT(session->submit({.kernel = 0}, {{"hits", &on_host}}).error().to_string(), HasSubstr("no memory at"));
}

// Kernels never end until `hangs_end` says so.
TEST_F(OwnDataOnStandIn, MemoryOfAWorkThatMayStillRunIsRefused) {
  cuda->hangs_end = false;
  const Ticket first = session->submit({.kernel = 1}, {{"hits", memory(0)}}).value();
  EXPECT_THAT(session->submit({.kernel = 0}, {{"hits", memory(0) + 30}}).error().to_string(),
              HasSubstr("argument `hits` overlaps `hits` of work " + std::to_string(first.id())));
  const Ticket second = session->submit({.kernel = 0, .after = {first.id()}}, {{"hits", memory(0)}}).value();
  const Ticket third = session->submit({.kernel = 0, .after = {second.id()}}, {{"hits", memory(0)}}).value();
  EXPECT_TRUE(session->submit({.kernel = 0}, {{"hits", memory(1)}}));
  cuda->hangs_end = true;
  third.wait().value();
  EXPECT_TRUE(session->submit({.kernel = 0}, {{"hits", memory(0)}}));
}

TEST_F(OwnDataOnStandIn, WorksThatOnlyReadShareMemory) {
  cuda->hangs_end = false;
  const Ticket first = session->submit({.kernel = 2}, {{"hits", memory(0)}}).value();
  const auto second = session->submit({.kernel = 2}, {{"hits", memory(0)}});
  EXPECT_TRUE(second) << second.error().to_string();
  EXPECT_FALSE(session->submit({.kernel = 0}, {{"hits", memory(0)}}));
  cuda->hangs_end = true;
  first.wait().value();
}

TEST(OwnData, ASimulatedGpuHasNoMemory) {
  const auto session = open_simulated({"PC"}, 2, {.device = "C2050"}).value();
  EXPECT_THAT(session->submit({.kernel = 0}, {{"x", 1}}).error().to_string(),
              HasSubstr("a simulated GPU has no memory"));
}

}  // namespace
}  // namespace wattune::schedule

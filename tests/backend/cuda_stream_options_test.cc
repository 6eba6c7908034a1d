// The options of CUDA streams, against the stand-in for the driver.
#include <dlfcn.h>

#include "backend/cuda_support.h"
#include "backend/interface/compile.h"
#include "fakes/cuda/fake_cuda.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CudaStreamOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(kStandInsChosen);
    void* const library = dlopen(kLibcuda.c_str(), RTLD_NOW | RTLD_LOCAL);
    cuda = reinterpret_cast<fakes::FakeCuda* (*)()>(dlsym(library, "wattune_fake_cuda"))();
  }

  // Launches twice in a stream with these options, because the first launch of a kernel is never held.
  Result<std::unique_ptr<Stream>> launched_in(Device& device, const StreamOptions& options) {
    WATTUNE_ASSIGN(const auto program, device.build(cuda_source(kKernels), {}, kLimit));
    WATTUNE_ASSIGN(kernel, program->kernel("noop"));
    WATTUNE_ASSIGN(auto stream, device.create_stream(options));
    for (int i = 0; i < 2; ++i) {
      WATTUNE_TRY(stream->launch(*kernel, {}, {}));
      if (!options.at_once) WATTUNE_TRY(stream->finish(kLimit));
    }
    return stream;
  }

  fakes::FakeCuda* cuda = nullptr;
  std::unique_ptr<Kernel> kernel;
};

TEST_F(CudaStreamOptions, PriorityIsTheDriversNearestLevel) {
  const auto device = open_device("cuda:0").value();
  for (const auto& [asked, given] : {std::pair{0, 0}, {3, -3}, {100, -5}, {-2, 0}}) {
    launched_in(*device, {.priority = asked}).value();
    EXPECT_EQ(cuda->priority, given) << asked;
  }
}

TEST_F(CudaStreamOptions, AStreamThatSendsAtOnceIsNeverHeld) {
  const auto device = open_device("cuda:0").value();
  const long held = cuda->held_streams;
  const long launches = cuda->launches;
  const auto stream = launched_in(*device, {.at_once = true}).value();
  EXPECT_EQ(cuda->launches, launches + 2);  // though nothing was submitted
  EXPECT_EQ(cuda->held_streams, held);
  stream->finish(kLimit).value();
  launched_in(*device, {}).value();
  EXPECT_GT(cuda->held_streams, held);
}

// Nothing else calls the driver beside it, as an application would.
TEST_F(CudaStreamOptions, AStreamInThePrimaryContextIsHeld) {
  const auto device = open_cuda_in_primary_context("cuda:0").value();
  const long held = cuda->held_streams;
  launched_in(*device, {}).value();
  EXPECT_GT(cuda->held_streams, held);
}

TEST_F(CudaStreamOptions, UnitsAreGroupsThatFollowEachOther) {
  const auto device = open_cuda_in_primary_context("cuda:0").value();
  EXPECT_EQ(device->unit_grain().value(), 8u);
  const auto units_of = [&](const UnitRange& units) {
    launched_in(*device, {.units = units}).value();
    return cuda->units;
  };
  EXPECT_THAT(units_of({0, 8}), ElementsAre(0, 8));
  EXPECT_THAT(units_of({40, 64}), ElementsAre(40, 104));
  EXPECT_THAT(units_of({96, 36}), ElementsAre(96, 132));
  EXPECT_THAT(units_of({128, 4}), ElementsAre(128, 132));  // the units that no group has
  for (const UnitRange& wrong : {UnitRange{0, 7}, {4, 8}, {128, 2}, {128, 8}, {136, 8}}) {
    const auto refused = device->create_stream({.units = wrong});
    EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument) << wrong.first << " " << wrong.count;
  }
}

TEST_F(CudaStreamOptions, OneGreenContextServesAllStreamsOfItsUnits) {
  {
    const auto device = open_cuda_in_primary_context("cuda:0").value();
    const auto first = device->create_stream({.units = {0, 16}}).value();
    const auto second = device->create_stream({.priority = 1, .units = {0, 16}}).value();
    EXPECT_EQ(cuda->green_contexts, 1);
    const auto third = device->create_stream({.units = {16, 16}}).value();
    EXPECT_EQ(cuda->green_contexts, 2);
  }
  EXPECT_EQ(cuda->live(), 0);
}

TEST_F(CudaStreamOptions, UnitsNeedThePrimaryContext) {
  const auto device = open_device("cuda:0").value();
  const long contexts = cuda->contexts;
  EXPECT_THAT(device->unit_grain().error().to_string(), HasSubstr("open_cuda_in_primary_context()"));
  EXPECT_EQ(device->create_stream({.units = {0, 8}}).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(cuda->contexts, contexts);  // asking makes no context
}

TEST_F(CudaStreamOptions, ADeviceInThePrimaryContextIsNotReset) {
  const auto device = open_cuda_in_primary_context("cuda:0").value();
  EXPECT_EQ(device->reset().error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(open_cuda_in_primary_context("cuda:7").error().code(), ErrorCode::not_found);
}

TEST_F(CudaStreamOptions, AWorkersDeviceRefusesUnits) {
  WorkerOptions options;
  options.executable = test::program("wattune-worker");
  const auto device = open_device_in_worker("cuda:0", options).value();
  EXPECT_THAT(device->create_stream({.units = {0, 8}}).error().to_string(),
              HasSubstr("streams of cuda:0 cannot have compute units of their own"));
}

TEST_F(CudaStreamOptions, CudaLaunchesBeginWithTheirFirstBlock) {
  const auto device = open_device("cuda:0").value();
  const auto stream = launched_in(*device, {}).value();
  EXPECT_THAT(stream->launch(*kernel, {.first_group = {1, 0, 0}}, {}).error().to_string(),
              HasSubstr("begin with their first work-group"));
}

TEST_F(CudaStreamOptions, KernelsDivideTheMemoryOfMultiprocessors) {
  const auto device = open_device("cuda:0").value();
  launched_in(*device, {}).value();
  kernel->prefer_local_memory(116'736).value();
  EXPECT_EQ(cuda->carveout, 50);
  kernel->prefer_local_memory(1).value();
  EXPECT_EQ(cuda->carveout, 1);  // rounded up
  kernel->prefer_local_memory(std::uint64_t{1} << 30).value();
  EXPECT_EQ(cuda->carveout, 100);
}

TEST_F(CudaStreamOptions, SourcesAreCompiledToPtxForTheArchitectureThatTheyName) {
  KernelSource source = cuda_source("extern \"C\" __global__ void scale(float* x, float factor, int n) {}", "scale");
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"-arch=sm_90a"}, {"-arch", "sm_80"}}) {
    source.options = options;
    const Image image =
        compile_ptx({.backend = "cuda", .architecture = "sm_90", .compiler = {}}, source, {}, kLimit).value();
    EXPECT_EQ(image.kind, ImageKind::ptx);
    EXPECT_EQ(image.code.find('\0'), std::string::npos);
  }
  source.text = ".version 8.0\n";
  EXPECT_EQ(compile_ptx({}, source, {}, kLimit).value().code, ".version 8.0\n");
  source.text =
      "\x7f"
      "ELF";
  EXPECT_THAT(compile_ptx({}, source, {}, kLimit).error().to_string(), HasSubstr("machine code has no PTX"));
}

}  // namespace
}  // namespace wattune::backend

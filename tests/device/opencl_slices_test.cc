// Kernels of benchmarks/ in OpenCL, cut into slices. They run from the last slice to the first, and beside slices of
// another kernel. The results are compared bit by bit with those of the whole kernel. They run on the GPU if there is
// one, else on any OpenCL device.
#include <gmock/gmock.h>

#include "backend/support.h"
#include "device/benchmarks_folder.h"
#include "schedule/device_machine_support.h"
#include "slice/interface/opencl.h"
#include "wattune/space/search_space.h"
#include "wattune/spec/spec.h"

namespace wattune::inline v0_1::schedule {
namespace {

// A benchmark with sizes at which the last group, row or tile is smaller than the others.
struct SmallBenchmark {
  const char* name;
  std::vector<NamedSize> sizes;
  bool asks = true;  // whether it uses its group's number, which the offset of a slice changes
  const char* folder = nullptr;
};
void PrintTo(const SmallBenchmark& benchmark, std::ostream* out) { *out << benchmark.name; }

using OpenclCopies = std::vector<std::shared_ptr<const LoadedKernel>>;

class OpenclSlicesOf : public testing::TestWithParam<SmallBenchmark> {
 protected:
  void SetUp() override {
    const auto opencl = backend::opencl_selector();
    if (!opencl) GTEST_SKIP() << "no OpenCL device on this machine";
    device = backend::open_device(*opencl).value();
    machine = DeviceMachine::make(*device).value();
  }

  static KernelSpec spec_of(const SmallBenchmark& benchmark) {
    const std::string folder = benchmark.folder == nullptr ? benchmark.name : benchmark.folder;
    const auto file = device_test::benchmarks_folder() / folder / (std::string(benchmark.name) + ".toml");
    KernelSpec spec = spec::load(file, spec::SourcePolicy::required, benchmark.sizes).value();
    use_language(spec, {Language::opencl}).value();
    return spec;
  }
  // Loads a kernel twice in its default configuration, each copy with buffers of its own.
  OpenclCopies load(const KernelSpec& spec) {
    const auto space = space::SearchSpace::build(spec.parameters, spec.constraints).value();
    return load_kernel(*device, spec, space.configuration(space.default_configuration()), {.copies = 2}).value();
  }
  KernelId add(const std::shared_ptr<const LoadedKernel>& kernel) {
    return machine->add(kernel, machine->traits_of(*kernel).value()).value();
  }
  // Returns the bytes of all buffers.
  std::vector<std::vector<std::byte>> contents_of(const LoadedKernel& kernel) {
    const auto stream = device->create_stream().value();
    std::vector<std::vector<std::byte>> contents;
    for (const auto& buffer : kernel.buffers)
      if (buffer != nullptr) stream->read(*buffer, contents.emplace_back(buffer->bytes())).value();
    stream->finish(kTestLimit).value();
    return contents;
  }
  void wait_for_all(std::size_t launches) {
    for (const Ended& ended : wait_for(*machine, launches))
      EXPECT_FALSE(ended.error) << (ended.error ? ended.error->to_string() : "");
  }
  void run_whole(const std::shared_ptr<const LoadedKernel>& kernel) {
    const KernelId id = add(kernel);
    machine->launch({.kernel = id, .blocks = machine->kernel(id)->blocks}).value();
    wait_for_all(1);
  }
  // Launches sevenths that begin and end within rows, the last one first. Returns how many.
  std::size_t launch_backwards(KernelId id, unsigned lane) {
    const std::uint64_t blocks = machine->kernel(id)->blocks;
    const std::uint64_t slice = blocks / 7 + 1;
    std::size_t launches = 0;
    for (std::uint64_t end = blocks; end > 0; end -= std::min(end, slice), ++launches) {
      const std::uint64_t first = end - std::min(end, slice);
      machine->launch({.kernel = id, .form = Form::slices, .first_block = first, .blocks = end - first, .lane = lane})
          .value();
    }
    return launches;
  }

  std::unique_ptr<backend::Device> device;
  std::unique_ptr<DeviceMachine> machine;
};

TEST_P(OpenclSlicesOf, TheBenchmarkGiveTheSameBitsBackwards) {
  const KernelSpec spec = spec_of(GetParam());
  EXPECT_EQ(slice::analyse_opencl(spec.source.text, "kernel.cl").value().needs_preamble, GetParam().asks);
  const OpenclCopies copies = load(spec);
  ASSERT_EQ(copies[0]->code->no_slices, "");
  const std::size_t launches = launch_backwards(add(copies[1]), 0);
  EXPECT_GE(launches, 2U);
  wait_for_all(launches);
  run_whole(copies[0]);
  EXPECT_TRUE(contents_of(*copies[1]) == contents_of(*copies[0]));
}

// The other kernel uses only global ids, which the offset alone makes right.
TEST_P(OpenclSlicesOf, TheBenchmarkGiveTheSameBitsBesideOthers) {
  const OpenclCopies copies = load(spec_of(GetParam()));
  const OpenclCopies others = load(spec_of({"streamcluster", {{"n", 10'003}}, false, "together"}));
  const KernelId id = add(copies[1]);
  const KernelId other = add(others[1]);
  const std::size_t launches = launch_backwards(id, 0) + launch_backwards(other, 1);
  wait_for_all(launches);
  run_whole(copies[0]);
  run_whole(others[0]);
  EXPECT_TRUE(contents_of(*copies[1]) == contents_of(*copies[0]));
  EXPECT_TRUE(contents_of(*others[1]) == contents_of(*others[0]));
}

const SmallBenchmark kSmallBenchmarks[] = {
    {"vector_add", {{"n", 100'003}}},
    {"transpose", {{"width", 518}, {"height", 261}}},
    {"convolution", {{"width", 256}, {"height", 128}}},
    {"gemm", {{"m", 128}, {"n", 128}, {"k", 128}}},
    {"nbody", {{"n", 1'024}}},
    {"pointer_chasing", {{"n", 4'096}, {"chains", 7'003}, {"steps", 9}}},
    {"copy", {{"n", 100'004}}},
    {"fma", {{"n", 10'003}, {"steps", 101}}},
    {"black_scholes", {{"n", 10'004}}},
    {"tea", {{"n", 10'002}}},
    {"mri_q", {{"n", 2'050}, {"samples", 256}}},
    {"spmv", {{"rows", 4'001}, {"columns", 300}}},
    {"stencil", {{"width", 70}, {"height", 33}, {"depth", 17}}},
    {"sad", {{"width", 96}, {"height", 64}, {"radius", 3}}},
    {"particle_filter", {{"particles", 10'003}, {"points", 13}}, false, "together"},
};
INSTANTIATE_TEST_SUITE_P(All, OpenclSlicesOf, testing::ValuesIn(kSmallBenchmarks),
                         [](const auto& benchmark) { return std::string(benchmark.param.name); });

}  // namespace
}  // namespace wattune::schedule

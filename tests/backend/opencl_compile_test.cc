// Compiling OpenCL C ahead of a device: images, the processes that make them, and drivers that return no binaries.
#include "backend/opencl/compiler.h"
#include "backend/support.h"
#include "programs.h"
#include "wattune/backend/compile_pool.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kScaleAmongOthers[] = R"(
typedef float number;
kernel void scale(global number* y, number factor) { y[get_global_id(0)] *= factor * STEP; }
kernel void other(global int* y, local int* scratch) { y[0] = scratch[0]; }
)";

class OpenClAhead : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_OPENCL();
    device = open_device(*opencl_selector()).value();
    stream = device->create_stream().value();
  }

  // Returns {0, 1, 2, 3}, scaled by the kernel.
  Result<std::vector<float>> scaled(Program& program, std::vector<LaunchArgument> arguments = {scalar(3.0f)}) {
    const auto kernel = program.kernel("scale").value();
    const auto y = buffer_with<float>(*device, *stream, iota(4));
    arguments.insert(arguments.begin(), y.get());
    WATTUNE_TRY(stream->launch(*kernel, {.group_size = {4, 1, 1}}, arguments));
    WATTUNE_TRY(stream->finish(kLimit));
    return contents_of<float>(*y, *stream);
  }

  const KernelSource source = source_of(kScaleAmongOthers);
  const std::vector<Macro> macros{{"STEP", "2"}};
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

TEST_F(OpenClAhead, ADeviceLoadsWhatWasCompiledForIt) {
  const CompileTarget target = device->compile_target(source).value();
  EXPECT_EQ(target.backend, "opencl");
  EXPECT_EQ(target.architecture, device->info().name);
  const Image image = compile_image(target, source, macros, kLimit).value();
  EXPECT_TRUE(image.kind == ImageKind::opencl_binary || image.kind == ImageKind::ptx);
  const auto program = device->load(image, macros, kLimit).value();
  EXPECT_EQ(scaled(*program).value(), (std::vector<float>{0, 6, 12, 18}));
}

// Binaries need not contain the parameters.
TEST_F(OpenClAhead, ALoadedKernelTellsTheSameParametersAsABuiltOne) {
  const Image image = compile_image(device->compile_target(source).value(), source, macros, kLimit).value();
  const auto loaded = device->load(image, macros, kLimit).value();
  const auto built = device->build(source, macros, kLimit).value();
  for (const char* name : {"scale", "other"}) {
    const auto there = loaded->kernel(name).value();
    const auto here = built->kernel(name).value();
    EXPECT_TRUE(std::ranges::equal(there->parameters(), here->parameters())) << name;
    EXPECT_EQ(there->argument_count(), 2u);
    EXPECT_EQ(there->max_work_group_size(), here->max_work_group_size());
  }
  EXPECT_THAT(scaled(*loaded, {scalar(3.0)}).error().message(), HasSubstr("argument 2 of kernel `scale`"));
  EXPECT_THAT(loaded->kernel("scal").error().to_string(), HasSubstr("did you mean `scale`?"));
}

TEST_F(OpenClAhead, CompileProcessesServeTheDeviceOfAWorker) {
  const WorkerOptions worker{.executable = test::program("wattune-worker"), .memory_limit_bytes = std::nullopt};
  const auto in_worker = open_device_in_worker(*opencl_selector(), worker).value();
  const CompileTarget target = in_worker->compile_target(source).value();
  CompilePool pool({.processes = 1, .worker = worker});
  PooledSource compilers = pool.add(target, source);
  const Compiled compiled = compilers.take(macros, kLimit);
  ASSERT_TRUE(compiled.image) << compiled.image.error().to_string();
  const auto program = device->load(*compiled.image, macros, kLimit).value();
  EXPECT_EQ(scaled(*program).value(), (std::vector<float>{0, 6, 12, 18}));
  EXPECT_TRUE(in_worker->load(*compiled.image, macros, kLimit));
  const Error wrong = compilers.take(std::vector<Macro>{{"STEP", "wrong words"}}, kLimit).image.error();
  EXPECT_EQ(wrong.code(), ErrorCode::compile_failed);
  EXPECT_THAT(wrong.message(), HasSubstr("wrong"));
}

TEST_F(OpenClAhead, SaysThatThereIsNoSuchDeviceToCompileOn) {
  CompileTarget target = device->compile_target(source).value();
  target.compiler += " of tomorrow";
  EXPECT_EQ(compile_image(target, source, macros, kLimit).error().code(), ErrorCode::unavailable);
}

TEST_F(OpenClAhead, ADeviceSurvivesCodeThatIsNone) {
  EXPECT_FALSE(device->load({.code = "no code at all", .log = {}, .symbols = {}}, macros, kLimit));
  const auto program = device->build(source, macros, kLimit).value();
  EXPECT_EQ(scaled(*program).value(), (std::vector<float>{0, 6, 12, 18}));
}

// Answers like the driver of a device that has no offline compiler.
cl_int no_binary(cl_program, cl_program_info what, std::size_t size, void* value, std::size_t*) {
  if (what == CL_PROGRAM_BINARY_SIZES && size == sizeof(std::size_t)) *static_cast<std::size_t*>(value) = 0;
  return CL_SUCCESS;
}
cl_int refusal(cl_program, cl_program_info, std::size_t, void*, std::size_t*) { return CL_INVALID_VALUE; }

TEST(OpenClBinary, ADriverThatHandsOutNoneIsNamedAsTheReason) {
  opencl::ClApi cl;
  for (const auto driver : {no_binary, refusal}) {
    cl.clGetProgramInfo = driver;
    const Error error = opencl::binary_of(cl, nullptr).error();
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_THAT(error.message(), StartsWith("the OpenCL driver hands out no compiled programs"));
  }
}

}  // namespace
}  // namespace wattune::backend

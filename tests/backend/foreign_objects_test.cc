// Objects that another device made are refused, by name: in this process, in workers, and across backends.
#include "backend/support.h"
#include "programs.h"

namespace wattune::inline v0_1::backend {
namespace {

using ::testing::HasSubstr;

// A device, with a stream, a buffer of 16 bytes, and a kernel with a buffer as its first argument.
struct Household {
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream = device->create_stream().value();
  std::unique_ptr<Buffer> buffer = device->create_buffer(16).value();
  std::unique_ptr<Program> program;
  std::unique_ptr<Kernel> kernel;
  std::vector<LaunchArgument> others = {};  // the arguments behind the buffer
};

Household with_kernel(Household household, const KernelSource& source) {
  household.program = household.device->build(source, {}, kLimit).value();
  household.kernel = household.program->kernel(source.function).value();
  return household;
}

Household opencl() {
  KernelSource source = source_of("kernel void f(global float* x) { x[0] = 1.0f; }");
  source.function = "f";
  return with_kernel({.device = open_device(*opencl_selector()).value()}, source);
}

Household host() {
  KernelSource source = source_of("void f(float* x) { x[0] = 1.0f; }");
  source.language = Language::cpp;
  source.function = "f";
  source.calls = {{"f", {{"x", "float*"}}}};
  return with_kernel({.device = open_device("host:0").value()}, source);
}

Household worker() {
  WorkerOptions options;
  options.executable = test::program("wattune-fake-worker");
  KernelSource source = source_of("scale");
  source.function = "scale";
  Household household{.device = open_device_in_worker("fake:0", options).value()};
  household.others = {scalar(2.0f)};
  return with_kernel(std::move(household), source);
}

// Returns the errors of all calls of a stream that take these objects.
std::vector<Error> refusals(Household& home, Buffer& buffer, Kernel& kernel) {
  std::vector<std::byte> bytes(16);
  std::vector<LaunchArgument> foreign_buffer{&buffer};
  std::vector<LaunchArgument> own_buffer{home.buffer.get()};
  foreign_buffer.insert(foreign_buffer.end(), home.others.begin(), home.others.end());
  own_buffer.insert(own_buffer.end(), home.others.begin(), home.others.end());
  Stream& stream = *home.stream;
  return {stream.write(buffer, bytes).error(),
          stream.read(buffer, bytes).error(),
          stream.copy(buffer, *home.buffer).error(),
          stream.copy(*home.buffer, buffer).error(),
          stream.fill(buffer, std::byte{0}).error(),
          stream.check_guards(buffer, kLimit).error(),
          stream.launch(*home.kernel, {}, foreign_buffer).error(),
          stream.launch(kernel, {}, own_buffer).error()};
}

void expect_refused(Household& home, Household& stranger, const std::string& reason) {
  for (const Error& error : refusals(home, *stranger.buffer, *stranger.kernel)) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.to_string(), HasSubstr(reason));
  }
  // The refused calls left nothing behind.
  std::vector<LaunchArgument> arguments{home.buffer.get()};
  arguments.insert(arguments.end(), home.others.begin(), home.others.end());
  EXPECT_TRUE(home.stream->launch(*home.kernel, {}, arguments));
  EXPECT_TRUE(home.stream->finish(kLimit));
}

TEST(ForeignObjects, OfAnotherOpeningAreRefused) {
  Household workers[] = {worker(), worker()};
  expect_refused(workers[0], workers[1], "where it was opened apart");
  Household hosts[] = {host(), host()};
  expect_refused(hosts[0], hosts[1], "was made by host:0 before its reset(), or where it was opened apart");
}

TEST(ForeignObjects, OfAnotherBackendAreRefused) {
  Household home = host();
  Household stranger = worker();
  expect_refused(home, stranger, "was made by device fake:0, and is used with host:0");
  expect_refused(stranger, home, "was made by device host:0, and is used with fake:0");
}

TEST(ForeignObjects, AreRefusedByOpenCl) {
  SKIP_WITHOUT_OPENCL();
  Household home = opencl();
  Household again = opencl();
  Household stranger = worker();
  expect_refused(home, again, "opened apart");
  expect_refused(home, stranger, "was made by device fake:0");
}

TEST(ForeignObjects, OfTheTimeBeforeAResetAreRefused) {
  Household home = host();
  home.device->reset().value();
  const auto stream = home.device->create_stream().value();
  const Error refused = stream->fill(*home.buffer, std::byte{0}).error();
  EXPECT_EQ(refused.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refused.to_string(), HasSubstr("before its reset()"));
  // The old stream is no foreign object, but gone.
  EXPECT_EQ(home.stream->fill(*home.buffer, std::byte{0}).error().code(), ErrorCode::device_lost);
}

TEST(ForeignObjects, AreNamedByTheirPlaceInALaunch) {
  Household homes[] = {host(), host()};
  const std::vector<LaunchArgument> arguments{homes[1].buffer.get()};
  EXPECT_THAT(homes[0].stream->launch(*homes[0].kernel, {}, arguments).error().to_string(),
              HasSubstr("the buffer of argument 1 of kernel `f`"));
}

}  // namespace
}  // namespace wattune::backend

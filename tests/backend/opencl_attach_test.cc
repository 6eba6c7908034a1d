// A device attached to an application's OpenCL context, and its kernels between the application's own.
#include <thread>

#include "backend/opencl/cl_api.h"
#include "backend/support.h"
#include "wait.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::backend {
namespace {

using opencl::ClApi;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ClApi& cl() { return *opencl::cl_api().value(); }

constexpr char kScale[] = "kernel void scale(global float* x, float by) { x[get_global_id(0)] *= by; }";
constexpr char kRaise[] = "kernel void raise(global float* x) { x[get_global_id(0)] += 1.0f; }";
constexpr std::size_t kElements = 256;
const Geometry3 kGeometry{.groups = {kElements / 64, 1, 1}, .group_size = {64, 1, 1}};

// Returns the reference count of a context, a queue or a memory object.
template <typename Get, typename Object>
cl_uint references(Get get, Object object, cl_uint what) {
  cl_uint count = 0;
  EXPECT_EQ(get(object, what, sizeof count, &count, nullptr), CL_SUCCESS);
  return count;
}

class OpenClAttach : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_OPENCL();
    cl_platform_id platform = nullptr;
    ASSERT_EQ(cl().clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    ASSERT_EQ(cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr), CL_SUCCESS);
    context = cl().clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
    memory = cl().clCreateBuffer(context, CL_MEM_READ_WRITE, kElements * sizeof(float), nullptr, nullptr);
    set_all(0.0f);
    make_kernel();
  }
  void TearDown() override {
    if (context == nullptr) return;
    cl().clReleaseKernel(raise);
    cl().clReleaseProgram(program);
    cl().clReleaseMemObject(memory);
    cl().clReleaseCommandQueue(queue);
    cl().clReleaseContext(context);
  }

  cl_command_queue make_queue(cl_command_queue_properties properties, cl_context where = nullptr) const {
    return cl().clCreateCommandQueue(where != nullptr ? where : context, id, properties, nullptr);
  }

  void make_kernel() {
    const char* text = kRaise;
    program = cl().clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    ASSERT_EQ(cl().clBuildProgram(program, 1, &id, "", nullptr, nullptr), CL_SUCCESS);
    raise = cl().clCreateKernel(program, "raise", nullptr);
    ASSERT_EQ(cl().clSetKernelArg(raise, 0, sizeof(cl_mem), &memory), CL_SUCCESS);
  }

  void set_all(float value) const {
    const std::vector<float> values(kElements, value);
    ASSERT_EQ(cl().clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, kElements * sizeof(float), values.data(), 0, nullptr,
                                        nullptr),
              CL_SUCCESS);
  }
  std::vector<float> all() const {
    std::vector<float> values(kElements);
    EXPECT_EQ(cl().clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, kElements * sizeof(float), values.data(), 0, nullptr,
                                       nullptr),
              CL_SUCCESS);
    return values;
  }
  void run_its_own() const {
    ASSERT_EQ(cl().clEnqueueNDRangeKernel(queue, raise, 1, nullptr, &kElements, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
  }

  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem memory = nullptr;
  cl_program program = nullptr;
  cl_kernel raise = nullptr;
};

// The kernels make x to (x + 1) * 2, ten times: 0 becomes 2046.
TEST_F(OpenClAttach, RunsItsKernelsBetweenTheApplications) {
  {
    const auto device = attach_opencl(context, id).value();
    EXPECT_EQ(device->info().backend, "opencl");
    const auto stream = adopt_stream(*device, queue).value();
    const auto x = adopt_buffer(*device, memory).value();
    EXPECT_EQ(x->bytes(), kElements * sizeof(float));
    const auto built = device->build(source_of(kScale), {}, kLimit).value();
    const auto kernel = built->kernel("scale").value();
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f)};
    std::unique_ptr<Event> event;
    for (int i = 0; i < 10; ++i) {
      run_its_own();
      event = stream->launch(*kernel, kGeometry, arguments).value();
    }
    EXPECT_THAT(all(), Each(2046.0f));  // the application itself waits
    stream->finish(kLimit).value();
    EXPECT_GT(event->duration().value().value(), 0.0);
    EXPECT_THAT(stream->check_guards(*x, kLimit).value(), ElementsAre(0u, 0u));
    EXPECT_EQ(device->reset().error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(contents_of<float>(*x, *stream).back(), 2046.0f);
  }
  run_its_own();
  EXPECT_THAT(all(), Each(2047.0f));
}

TEST_F(OpenClAttach, ReleasesExactlyWhatItTook) {
  const auto counts = [&] {
    return std::array{references(cl().clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT),
                      references(cl().clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT),
                      references(cl().clGetMemObjectInfo, memory, CL_MEM_REFERENCE_COUNT)};
  };
  const auto before = counts();
  for (int i = 0; i < 3; ++i) {
    const auto device = attach_opencl(context, id).value();
    const auto stream = adopt_stream(*device, queue).value();
    const auto x = adopt_buffer(*device, memory).value();
    const auto own = device->create_buffer(x->bytes()).value();
    stream->copy(*x, *own).value();
    stream->finish(kLimit).value();
  }
  EXPECT_EQ(counts(), before);
}

TEST_F(OpenClAttach, TellsNoTimesOfAQueueThatKeepsNone) {
  const cl_command_queue plain = make_queue(0);
  {
    const auto device = attach_opencl(context, id).value();
    const auto stream = adopt_stream(*device, plain).value();
    const auto x = adopt_buffer(*device, memory).value();
    const auto built = device->build(source_of(kScale), {}, kLimit).value();
    const auto kernel = built->kernel("scale").value();
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f)};
    const auto event = stream->launch(*kernel, kGeometry, arguments).value();
    stream->finish(kLimit).value();
    EXPECT_EQ(event->duration().error().code(), ErrorCode::unavailable);
    EXPECT_THAT(event->duration().error().to_string(), HasSubstr("CL_QUEUE_PROFILING_ENABLE"));
  }
  cl().clReleaseCommandQueue(plain);
}

TEST_F(OpenClAttach, RefusesWhatIsNotOfItsContext) {
  const auto device = attach_opencl(context, id).value();
  const cl_context other = cl().clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
  const cl_command_queue elsewhere = make_queue(0, other);
  const cl_mem stranger = cl().clCreateBuffer(other, CL_MEM_READ_WRITE, 4, nullptr, nullptr);
  const cl_command_queue unordered = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  EXPECT_EQ(adopt_stream(*device, elsewhere).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(adopt_buffer(*device, stranger).error().code(), ErrorCode::invalid_argument);
  if (unordered != nullptr) {
    EXPECT_THAT(adopt_stream(*device, unordered).error().to_string(), HasSubstr("in any order"));
    cl().clReleaseCommandQueue(unordered);
  }
  EXPECT_EQ(attach_opencl(nullptr, id).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(attach_opencl(context, nullptr).error().code(), ErrorCode::invalid_argument);
  const auto opened = open_device(*opencl_selector()).value();
  EXPECT_EQ(adopt_buffer(*opened, memory).error().code(), ErrorCode::invalid_argument);
  cl().clReleaseMemObject(stranger);
  cl().clReleaseCommandQueue(elsewhere);
  cl().clReleaseContext(other);
}

TEST_F(OpenClAttach, OnlyDevicesOfOpenClAdoptItsQueues) {
  const auto host = open_device("host:0");
  if (!host) GTEST_SKIP() << host.error().to_string();
  EXPECT_THAT(adopt_stream(**host, queue).error().to_string(), HasSubstr("host:0 is no OpenCL device"));
  EXPECT_EQ(adopt_buffer(**host, memory).error().code(), ErrorCode::invalid_argument);
}

TEST_F(OpenClAttach, IsOfNoUseAfterItsDevice) {
  auto device = attach_opencl(context, id).value();
  const auto stream = adopt_stream(*device, queue).value();
  device.reset();
  const Error gone = stream->finish(kLimit).error();
  EXPECT_EQ(gone.code(), ErrorCode::device_lost);
  EXPECT_THAT(gone.to_string(), HasSubstr("only the application can make another context"));
}

// A kernel object keeps its arguments, so each thread must set all of its own before it launches.
TEST_F(OpenClAttach, ThreadsShareAKernel) {
  const auto device = attach_opencl(context, id).value();
  const auto built = device->build(source_of(kScale), {}, kLimit).value();
  const auto kernel = built->kernel("scale").value();
  const auto work = [&] {
    const auto stream = device->create_stream().value();
    const auto x = buffer_with<float>(*device, *stream, std::vector<float>(kElements, 1.0f));
    const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f)};
    const auto launch = stream->prepare(*kernel, kGeometry, arguments).value();
    for (int i = 0; i < 100; ++i) launch->send().value();
    for (int i = 0; i < 90; ++i) {
      const std::vector<LaunchArgument> back{x.get(), scalar(0.5f)};
      stream->launch(*kernel, kGeometry, back).value();
    }
    EXPECT_THAT(contents_of<float>(*x, *stream), Each(1024.0f));
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(OpenClAttach, APreparedLaunchTakesOtherMemoryAndScalars) {
  const auto device = attach_opencl(context, id).value();
  const auto stream = adopt_stream(*device, queue).value();
  const auto x = adopt_buffer(*device, memory).value();
  const cl_mem other = cl().clCreateBuffer(context, CL_MEM_READ_WRITE, kElements * sizeof(float), nullptr, nullptr);
  const float one = 1.0f;
  cl().clEnqueueFillBuffer(queue, other, &one, sizeof one, 0, kElements * sizeof(float), 0, nullptr, nullptr);
  set_all(1.0f);
  const auto built = device->build(source_of(kScale), {}, kLimit).value();
  const auto kernel = built->kernel("scale").value();
  const std::vector<LaunchArgument> arguments{x.get(), scalar(2.0f)};
  const auto launch = stream->prepare(*kernel, kGeometry, arguments).value();
  const auto second = stream->prepare(*kernel, kGeometry, arguments).value();
  launch->set_memory(0, reinterpret_cast<std::uintptr_t>(other)).value();
  const float three = 3.0f;
  launch->set_scalar(1, std::as_bytes(std::span(&three, 1))).value();
  launch->send().value();
  second->send().value();  // it has arguments of its own
  const auto event = launch->send_timed().value();
  stream->finish(kLimit).value();
  EXPECT_GT(event->duration().value().value(), 0.0);
  EXPECT_THAT(all(), Each(2.0f));
  std::vector<float> values(kElements);
  cl().clEnqueueReadBuffer(queue, other, CL_TRUE, 0, kElements * sizeof(float), values.data(), 0, nullptr, nullptr);
  EXPECT_THAT(values, Each(9.0f));  // 1 * 3 * 3
  const double wide = 3.0;
  EXPECT_EQ(launch->set_scalar(1, std::as_bytes(std::span(&wide, 1))).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(launch->set_memory(7, x->memory()).error().code(), ErrorCode::unavailable);
  cl().clReleaseMemObject(other);
}

TEST_F(OpenClAttach, FinishWaitsForLaunchesThatWereSentUntimed) {
  const auto device = attach_opencl(context, id).value();
  const auto stream = adopt_stream(*device, queue).value();
  const auto x = adopt_buffer(*device, memory).value();
  const auto built =
      device
          ->build(source_of("kernel void wait(global float* x) { float y = 1.0f; for (int i = 0; i < 3000000; ++i)"
                            " y = y * 0.999f + x[1]; x[get_global_id(0)] = y + 1.0f; }"),
                  {}, kLimit)
          .value();
  const auto kernel = built->kernel("wait").value();
  const auto launch = stream->prepare(*kernel, {}, std::array<LaunchArgument, 1>{x.get()}).value();
  launch->send().value();
  EXPECT_EQ(stream->state().value(), StreamState::busy);
  stream->finish(kLimit).value();
  ASSERT_TRUE(test::wait_until([&] { return stream->state().value() == StreamState::idle; }));
  float first = 0.0f;
  cl().clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof first, &first, 0, nullptr, nullptr);
  EXPECT_GE(first, 1.0f);
}

}  // namespace
}  // namespace wattune::backend

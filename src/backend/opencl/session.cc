#include "backend/opencl/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/device/attached.h"
#include "backend/device/guard_zone.h"
#include "backend/interface/polling.h"
#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

namespace {

// The least bytes of a guard zone: large enough for the usual overrun of a tile, small enough to read back at every
// check.
constexpr std::size_t kMinGuardBytes = 16384;

std::vector<std::byte> make_guard(const ClApi& cl, cl_device_id device) {
  cl_uint alignment_bits = 0;
  cl.clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits, nullptr);
  const std::size_t alignment = std::max<std::size_t>(1, alignment_bits / 8);
  return guard_pattern((kMinGuardBytes + alignment - 1) / alignment * alignment);
}

}  // namespace

Result<std::shared_ptr<Session>> Session::open_for_compiling(const ClDevice& device) {
  WATTUNE_ASSIGN(const ClApi* cl, cl_api());
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int code = CL_SUCCESS;
  const cl_context context = cl->clCreateContext(properties, 1, &device.id, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) return cl_error(code, fmt::format("making a context on {}", device.info.selector));
  return std::shared_ptr<Session>(new Session(cl, device, context, false));
}

Result<std::shared_ptr<Session>> Session::open(const ClDevice& device) {
  WATTUNE_ASSIGN(std::shared_ptr<Session> session, open_for_compiling(device));
  WATTUNE_TRY(session->prepare());
  return session;
}

Result<std::shared_ptr<Session>> Session::attach(const ClDevice& device, cl_context context) {
  WATTUNE_ASSIGN(const ClApi* cl, cl_api());
  if (const cl_int code = cl->clRetainContext(context); code != CL_SUCCESS)
    return cl_error(code, "attaching to a context");
  std::shared_ptr<Session> session(new Session(cl, device, context, true));
  WATTUNE_TRY(session->prepare());
  return session;
}

Result<void> Session::prepare() {
  cl_int code = CL_SUCCESS;
  service_queue_ = cl_->clCreateCommandQueue(context_, device_.id, 0, &code);
  if (code != CL_SUCCESS) return cl_error(code, fmt::format("making a command queue on {}", info().selector));
  guard_ = make_guard(*cl_, device_.id);
  return {};
}

Session::~Session() {
  if (!releasable()) return;
  if (service_queue_ != nullptr) cl_->clReleaseCommandQueue(service_queue_);
  cl_->clReleaseContext(context_);
}

Result<void> Session::check() const {
  if (state_ == State::in_use) return {};
  return gone(info(), attached_);
}

void Session::close() {
  State in_use = State::in_use;
  state_.compare_exchange_strong(in_use, State::closed);
}

Result<void> Session::wait(cl_event event, bool launch, TimeLeft& left) {
  const TimeLeft before = left;
  const bool may_compile = launch && left.compiling > Nanoseconds();
  const Polling polling;
  Nanoseconds compiled;
  for (;;) {
    cl_int status = CL_QUEUED;
    const cl_int code = cl_->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (code != CL_SUCCESS) return cl_error(code, "waiting for the device");
    const Nanoseconds elapsed = polling.elapsed();
    if (may_compile && status > CL_RUNNING) compiled = elapsed;
    left = {before.compiling - compiled, before.running - (elapsed - compiled)};
    if (status <= CL_COMPLETE) return {};
    if (left.compiling < Nanoseconds() || left.running < Nanoseconds()) {
      if (!attached_) state_ = State::abandoned;
      return left.running < Nanoseconds() ? took_too_long(launch, before.running) : compiled_too_long(before.compiling);
    }
    polling.pause();
  }
}

Nanoseconds Session::moment(cl_ulong reported) {
  cl_ulong beginning = 0;
  if (beginning_.compare_exchange_strong(beginning, reported)) beginning = reported;
  return Nanoseconds(static_cast<double>(static_cast<std::int64_t>(reported - beginning)));
}

Error Session::failure(cl_int code, std::string_view doing) {
  Error error = cl_error(code, doing);
  if (error.code() != ErrorCode::device_lost && works()) return error;
  close();
  return Error(ErrorCode::device_lost, fmt::format("{} failed and broke the context", doing))
      .native(code, std::string(cl_name(code)));
}

// Tests whether the context still works, by using a small buffer.
bool Session::works() {
  const cl_uint written = 0x600d;
  cl_uint read = 0;
  cl_int code = CL_SUCCESS;
  const cl_mem memory = cl_->clCreateBuffer(context_, CL_MEM_READ_WRITE, sizeof written, nullptr, &code);
  if (code != CL_SUCCESS) return false;
  cl_->clEnqueueWriteBuffer(service_queue_, memory, CL_TRUE, 0, sizeof written, &written, 0, nullptr, nullptr);
  cl_->clEnqueueReadBuffer(service_queue_, memory, CL_TRUE, 0, sizeof read, &read, 0, nullptr, nullptr);
  cl_->clReleaseMemObject(memory);
  return read == written;
}

}  // namespace wattune::backend::opencl

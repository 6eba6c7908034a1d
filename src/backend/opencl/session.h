// Session: one life of an OpenCL device, from opening or reset() until it is reset, lost, or destroyed.
//
// Every object made from a device keeps its Session alive, so that objects may be destroyed in any order and after a
// reset. reset() closes the old Session, whose objects then answer device_lost. A Session in which a kernel runs
// without end is abandoned: its handles are leaked, because releasing them would wait for that kernel.
//
// The context may be an application's, which an attached Session shares and never abandons. Any number of threads may
// use a Session.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "backend/device/handle.h"
#include "backend/opencl/discovery.h"
#include "wattune/backend/launch.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend::opencl {

// The time that commands may still take: to run, and to be compiled by the driver at a launch (PoCL).
struct TimeLeft {
  Nanoseconds compiling;
  Nanoseconds running;
};

class Session : public DeviceLife {
 public:
  static Result<std::shared_ptr<Session>> open(const ClDevice& device);
  // Attaches to a context of the application that has this device.
  static Result<std::shared_ptr<Session>> attach(const ClDevice& device, cl_context context);
  // Opens a session for a compile process. It has only a context, without launches and memory.
  static Result<std::shared_ptr<Session>> open_for_compiling(const ClDevice& device);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override;

  const ClApi& cl() const { return *cl_; }
  cl_context context() const { return context_; }
  cl_device_id device() const { return device_.id; }
  // Returns the queue for small transfers of the session itself.
  cl_command_queue service_queue() const { return service_queue_; }
  const DeviceInfo& info() const override { return device_.info; }
  bool attached() const { return attached_; }
  // True if the driver compiles a kernel at its first launch, and the command's status shows when compiling ends and
  // running begins. Other drivers, NVIDIA's among them, may never report CL_RUNNING.
  bool compiles_at_launch() const { return info().platform == "Portable Computing Language"; }
  // Returns the contents of guard zones: bytes without a repeating pattern, so that no kernel writes them by chance.
  std::span<const std::byte> guard() const { return guard_; }

  // Checks that the session is in use. Fails with device_lost otherwise.
  Result<void> check() const;
  void close();
  bool releasable() const { return state_ != State::abandoned; }

  // Waits until the command of the event has ended, even by a failure, and subtracts the time from `left`. `launch`
  // tells whether the command is a launch. On timeout the session is abandoned, unless the context is an application's.
  Result<void> wait(cl_event event, bool launch, TimeLeft& left);
  // Returns a moment that the device reported, counted from the session's first one, because a moment of the device's
  // own clock has more digits than a double.
  Nanoseconds moment(cl_ulong reported);
  // Returns the error of a failed command. Tests whether the context still works; if not, the session is closed and the
  // error becomes device_lost.
  Error failure(cl_int code, std::string_view doing);

 private:
  enum class State { in_use, closed, abandoned };

  // Takes over a reference to the context.
  Session(const ClApi* cl, ClDevice device, cl_context context, bool attached)
      : cl_(cl), device_(std::move(device)), context_(context), attached_(attached) {}
  Result<void> prepare();
  bool works();

  const ClApi* cl_;
  ClDevice device_;
  cl_context context_;
  const bool attached_;
  cl_command_queue service_queue_ = nullptr;
  std::vector<std::byte> guard_;
  std::atomic<cl_ulong> beginning_ = 0;  // the first moment that the device reported; 0 before any
  std::atomic<State> state_ = State::in_use;
};

inline void release(const Session& session, cl_command_queue queue) { session.cl().clReleaseCommandQueue(queue); }
inline void release(const Session& session, cl_event event) { session.cl().clReleaseEvent(event); }
inline void release(const Session& session, cl_kernel kernel) { session.cl().clReleaseKernel(kernel); }
inline void release(const Session& session, cl_mem memory) { session.cl().clReleaseMemObject(memory); }
inline void release(const Session& session, cl_sampler sampler) { session.cl().clReleaseSampler(sampler); }
inline void release(const Session& session, cl_program program) { session.cl().clReleaseProgram(program); }

// Owns one reference to an OpenCL object.
template <typename T>
using Handle = backend::Handle<Session, T>;

}  // namespace wattune::backend::opencl

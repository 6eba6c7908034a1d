// Session: one life of a CUDA device, which is a context, from opening or reset() until it is reset, lost or destroyed.
//
// Every object made from a device keeps its Session alive, as in opencl/session.h. A Session in which a kernel runs
// without end is abandoned: its handles are leaked, because releasing them would wait for that kernel.
//
// The context may be an application's. A Session that is attached to it neither makes nor destroys nor abandons the
// context. Any number of threads may use a Session, except for end(). A driver call is made while the result of enter()
// lives, so that the thread's current context is restored afterwards. Launches into a stream are an exception: they go
// to the stream's own context.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/current_context.h"
#include "backend/cuda/discovery.h"
#include "backend/device/handle.h"
#include "backend/interface/nvml_sensors.h"
#include "wattune/backend/launch.h"
#include "wattune/core/units.h"

namespace wattune::inline v0_1::backend::cuda {

class Session : public DeviceLife {
 public:
  static Result<std::shared_ptr<Session>> open(const CuDevice& device);
  // Attaches to a context of the application on this device.
  static Result<std::shared_ptr<Session>> attach(const CuDevice& device, CUcontext context);
  // Opens the device's primary context, which the session retains.
  static Result<std::shared_ptr<Session>> open_primary(const CuDevice& device);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override;

  const CuApi& cu() const { return *cu_; }
  const CuDevice& device() const { return device_; }
  const DeviceInfo& info() const override { return device_.info; }
  CUcontext context() const { return context_; }
  bool attached() const { return attached_; }
  // Tells whether an application's threads may call the driver at the same time as the session.
  bool beside_application() const { return attached_ && !retains_primary_; }
  // Tells whether the session's context is the device's primary one, which the runtime API uses.
  bool is_in_primary_context() const;
  // Returns the stream for small transfers of the session itself. It does not wait for the user's streams.
  CUstream service_stream() const { return service_stream_; }
  const nvml::NvmlSensors& sensors() const { return sensors_; }
  // Returns the contents of guard zones: bytes without a repeating pattern, so that no kernel writes them by chance.
  std::span<const std::byte> guard() const { return guard_; }

  // Checks that the session is in use. Fails with device_lost otherwise.
  Result<void> check() const {
    if (state_ == State::in_use) return {};
    return gone();
  }
  // Checks the session and makes its context current for this thread as long as the result lives.
  Result<CurrentContext> enter() {
    WATTUNE_TRY(check());
    CurrentContext current(*cu_, context_);
    if (current.code() == CUDA_SUCCESS) return current;
    return cannot_enter(current.code());
  }
  void close();
  // Releases the session's own objects and its context with all that is in it, unless a kernel there never ends.
  void end();
  bool releasable() const { return state_ != State::abandoned && context_ != nullptr; }

  // Marks that work did not end in time: no object of this session can be released any more. Does nothing to an
  // application's context, because the application continues to use it.
  void abandon() {
    if (!attached_) state_ = State::abandoned;
  }
  // Returns the error of a failed call. An error that breaks the context closes the session.
  Error failure(CUresult code, std::string_view doing);

  // Returns the mutex that must be held while a function's attributes are read and then increased.
  std::mutex& allowing() { return allowing_; }

 private:
  enum class State { in_use, closed, abandoned };

  Session(const CuApi* cu, CuDevice device, CUcontext attached)
      : cu_(cu),
        device_(std::move(device)),
        sensors_(device_.pci_bus_id),
        context_(attached),
        attached_(attached != nullptr) {}

  Result<void> make_context();
  Result<void> make_service_stream();
  Error gone() const;
  Error cannot_enter(CUresult code);

  const CuApi* cu_;
  CuDevice device_;
  nvml::NvmlSensors sensors_;
  CUcontext context_;
  const bool attached_;
  bool retains_primary_ = false;
  CUstream service_stream_ = nullptr;
  std::vector<std::byte> guard_;
  std::atomic<State> state_ = State::in_use;
  std::mutex allowing_;
};

template <typename T>
void release(const Session& session, CUresult (*destroy)(T), T object) {
  const CurrentContext current(session.cu(), session.context());
  if (current.code() == CUDA_SUCCESS) destroy(object);
}

inline void release(const Session& session, CUdeviceptr memory) { release(session, session.cu().cuMemFree, memory); }
inline void release(const Session& session, std::uint32_t* host_memory) {
  release<void*>(session, session.cu().cuMemFreeHost, host_memory);
}
inline void release(const Session& session, CUarray array) { release(session, session.cu().cuArrayDestroy, array); }
inline void release(const Session& session, CUtexObject texture) {
  release(session, session.cu().cuTexObjectDestroy, texture);
}
inline void release(const Session& session, CUsurfObject surface) {
  release(session, session.cu().cuSurfObjectDestroy, surface);
}
inline void release(const Session& session, CUmodule module) { release(session, session.cu().cuModuleUnload, module); }
inline void release(const Session& session, CUstream stream) { release(session, session.cu().cuStreamDestroy, stream); }
inline void release(const Session& session, CUgreenCtx context) {
  release(session, session.cu().cuGreenCtxDestroy, context);
}
inline void release(const Session& session, CUgraph graph) { release(session, session.cu().cuGraphDestroy, graph); }
inline void release(const Session& session, CUgraphExec executable) {
  release(session, session.cu().cuGraphExecDestroy, executable);
}
inline void release(const Session& session, CUevent event) { release(session, session.cu().cuEventDestroy, event); }

// Owns one object of the driver.
template <typename T>
using Handle = backend::Handle<Session, T>;

}  // namespace wattune::backend::cuda

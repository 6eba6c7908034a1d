// Session: one life of a CUDA device, from opening or reset() until it is reset, lost, or destroyed: a context.
//
// Every object made from a device keeps its Session alive, as in opencl/session.h. A Session in which a kernel runs
// without end is abandoned: its handles are leaked, because releasing them would wait for that kernel. The context is
// made current for the calling thread by every check(), so that several devices may live in one process.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/discovery.h"
#include "backend/cuda/sensors.h"
#include "backend/handle.h"
#include "wattune/core/units.h"

namespace wattune::backend::cuda {

class Session {
 public:
  static Result<std::shared_ptr<Session>> open(const CuDevice& device);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const CuApi& cu() const { return *cu_; }
  const CuDevice& device() const { return device_; }
  const DeviceInfo& info() const { return device_.info; }
  CUcontext context() const { return context_; }
  const NvmlSensors& sensors() const { return sensors_; }
  // What guard zones hold: bytes without a repeating pattern, so that no kernel writes them by chance.
  std::span<const std::byte> guard() const { return guard_; }

  // device_lost unless the session is in use.
  Result<void> check() const;
  void close() {
    if (state_ == State::in_use) state_ = State::closed;
  }
  // Destroys the context with everything in it, unless a kernel runs in it without end.
  void end();
  // Makes the context current, if its objects can still be released.
  bool releasable() const;

  // A kernel did not end: nothing of this session can be released any more.
  void abandon() { state_ = State::abandoned; }
  // The error of a failed call; one that breaks the context closes the session.
  Error failure(CUresult code, std::string_view doing);

 private:
  enum class State { in_use, closed, abandoned };

  Session(const CuApi* cu, CuDevice device) : cu_(cu), device_(std::move(device)), sensors_(device_.pci_bus_id) {}

  const CuApi* cu_;
  CuDevice device_;
  NvmlSensors sensors_;
  CUcontext context_ = nullptr;
  std::vector<std::byte> guard_;
  State state_ = State::in_use;
};

inline void release(const Session& session, CUdeviceptr memory) { session.cu().cuMemFree(memory); }
inline void release(const Session& session, std::uint32_t* host_memory) { session.cu().cuMemFreeHost(host_memory); }
inline void release(const Session& session, CUarray array) { session.cu().cuArrayDestroy(array); }
inline void release(const Session& session, CUtexObject texture) { session.cu().cuTexObjectDestroy(texture); }
inline void release(const Session& session, CUsurfObject surface) { session.cu().cuSurfObjectDestroy(surface); }
inline void release(const Session& session, CUmodule module) { session.cu().cuModuleUnload(module); }
inline void release(const Session& session, CUstream stream) { session.cu().cuStreamDestroy(stream); }
inline void release(const Session& session, CUevent event) { session.cu().cuEventDestroy(event); }

// Owns one object of the driver.
template <typename T>
using Handle = backend::Handle<Session, T>;

}  // namespace wattune::backend::cuda

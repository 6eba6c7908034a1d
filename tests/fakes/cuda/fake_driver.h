// The common parts of the stand-in for libcuda.so.1: its objects, the current context, and the counts of living
// objects. Calls of several threads run one after another.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/cu_api.h"
#include "fakes/cuda/fake_cuda.h"
#include "fakes/cuda/fake_image.h"

using namespace wattune::backend::cuda;
using namespace wattune::fakes;

// A launch in a graph, with copies of its parameters.
struct CUgraphNode_st {
  CUlaunchConfig config{};
  CUfunction function = nullptr;
  std::vector<std::vector<char>> values;
  std::vector<void*> parameters;  // their addresses, for callers that ask
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::pair<const CUgraphNode_st*, CUgraphNode_st>> nodes;  // with the nodes that they were made from
};
struct CUfunc_st {
  CUmodule module;
  FakeFunction description;
  bool loaded = false;
  bool launched = false;
  int carveout = -1;
};
struct CUmod_st {
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, std::vector<char>> constants;
};
struct CUstream_st {
  double time_ms = 0.0;  // when its last command ends
  bool hung = false;
  bool busy = false;  // reports once that it is not ready
  std::uint32_t* word = nullptr;
  std::unique_ptr<CUgraph_st> capture;  // collects its commands as nodes
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id captured_by;
  bool capture_ended = false;  // by a call that is not allowed during a capture
  std::uint32_t awaited = 0;
  int priority = 0;
  std::array<unsigned, 2> units{};           // its own, from the first to before the second; 0, 0 for all
  const std::uint32_t* stop_word = nullptr;  // that a persistent kernel waits for

  bool held() const { return word != nullptr && std::atomic_ref(*word).load() < awaited; }
};
struct CUevent_st {
  double time_ms = 0.0;
  CUstream stream = nullptr;  // that will reach it
  bool hung = false;
  const std::uint32_t* stop_word = nullptr;
};
struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR description{};
  std::vector<char> pixels;
};
// The memory behind a texture or a surface.
struct FakeObject {
  char* pixels = nullptr;
  CUDA_TEXTURE_DESC description{};
};
struct CUctx_st {
  CUdevice device = 0;
  CUresult broken = CUDA_SUCCESS;
  double now_ms = 0.0;  // of the host
  std::size_t bytes = 0;
  std::size_t private_bytes = 0;  // for which memory is reserved
  std::map<CUdeviceptr, std::unique_ptr<char[]>> allocations;
  std::map<CUdeviceptr, std::size_t> sizes;
  std::map<CUdeviceptr, std::uint64_t> numbers;  // of allocations; no number is used twice
  std::set<CUmodule> modules;
  std::set<CUstream> streams;
  std::array<CUstream_st, 3> default_streams;  // in the order of their handles: null, legacy, per thread
  std::set<CUevent> events;
  std::set<CUarray> arrays;
  std::set<FakeObject*> objects;
  std::set<CUgreenCtx> green_contexts;
};
struct CUgreenCtx_st {
  std::array<unsigned, 2> units{};
};

namespace wattune::fakes {

// The lock that each call holds.
extern std::recursive_mutex entry;

inline constexpr std::size_t kMemoryBytes = std::size_t{64} << 20;
extern FakeCuda state;

// Ends the process: the real driver would not tolerate such a call either.
[[noreturn]] void misused(const char* what);

// The device that WATTUNE_FAKE_CUDA_LOST removes, and whether it is gone.

inline constexpr CUdevice kFragileDevice = 1;
bool is_lost(CUdevice device);

// Returns the calling thread's current context; without one the driver is misused.
CUctx_st& context();
bool has_context();
// Returns the context of a stream; for default streams it is the current one. nullptr if there is none.
CUctx_st* context_of(CUstream handle);
// A context that is current for a call.
class Entered {
 public:
  explicit Entered(CUctx_st& context);
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered();
};
// Returns a stream of the current context, or one of its default streams; any other is a misuse.
CUstream_st& stream_of(CUstream handle);
CUmodule make_module(const std::string& image);

// Returns the error that every call on a context gives once it is broken.
#define WATTUNE_UNLESS_BROKEN()               \
  const std::lock_guard one_at_a_time(entry); \
  if (context().broken != CUDA_SUCCESS) return context().broken

template <typename T>
void take(std::set<T*>& owned, T* object, long& live) {
  const std::lock_guard one_at_a_time(entry);
  if (owned.erase(object) == 0) misused("an object was released twice or in another context");
  delete object;
  --live;
}

template <typename T>
T* made(std::set<T*>& owned, T* object, long& live) {
  owned.insert(object);
  ++live;
  ++state.made;
  return object;
}

// Ends a capture if the call is not allowed during one. In the global mode this holds for calls of any thread, in the
// thread-local mode for calls of the thread itself, unless the calling thread's mode is relaxed. Returns whether it
// ended one.
bool ends_a_capture();
#define WATTUNE_UNLESS_CAPTURING() \
  if (ends_a_capture()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
// Copies a launch's parameters.
std::vector<std::vector<char>> values_of(CUfunction function, void** parameters);

// Tells whether a stream, or an event in it, never ends.
inline bool hangs(const auto& object) {
  const bool waits = object.stop_word != nullptr && std::atomic_ref(*const_cast<std::uint32_t*>(object.stop_word)) == 0;
  return waits || (object.hung && !state.hangs_end);
}

// Runs the kernel mark or one of its twins; returns false if it is none of these.
bool run_mark(const std::string& function, const CUlaunchConfig& config, CUstream_st& stream, void** parameters);

// Tells whether contexts use the host's clock, so that kernels take their time in it.
bool on_host_time();
// Updates the time of contexts from that clock if they use it.
void look_at_clock();
// Advances the host to this time, or waits for it on the host's own clock.
void host_reaches(double time_ms);

// Lets the stream begin its next command no sooner than now. A held stream gets all commands before it begins.
inline void catch_up(CUstream_st& stream) {
  look_at_clock();
  if (!stream.held()) stream.time_ms = std::max(stream.time_ms, context().now_ms);
}

// Copies in a stream, unless the copy would wait for a kernel that never ends.
void transfer(CUstream stream, void* to, const void* from, std::size_t bytes);

}  // namespace wattune::fakes

// The functions are declared as Wattune calls them, so that no definition can differ.
extern "C" {
#define WATTUNE_DECLARE(function, symbol, parameters) CUresult symbol parameters;
WATTUNE_CU_FUNCTIONS(WATTUNE_DECLARE)
WATTUNE_CU_GREEN_FUNCTIONS(WATTUNE_DECLARE)
#undef WATTUNE_DECLARE
}

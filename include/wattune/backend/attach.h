// Devices in an application's own CUDA or OpenCL context. Tuned kernels run between the application's kernels, in its
// streams and on its memory.
//
// The application owns context, streams and memory, and keeps them longer than all that is made from them here.
// Destroying a device destroys only the objects that it made. An attached device refuses reset(). After an error that
// breaks the context, every call on the device returns device_lost. A timeout breaks nothing: the next finish() waits
// for the same commands again. Destroying an object that a kernel uses waits for that kernel.
//
// Any number of threads may use an attached device, its programs, kernels and buffers. One thread at a time uses a
// stream, its prepared launches and its events. Every call leaves the calling thread's current CUDA context as it was.
// Restoring it costs two driver calls, or nothing measurable if the device's context is current already, as in most
// applications (docs/results/overhead.md).
//
//   auto device = attach_cuda();
//   auto stream = adopt_stream(**device, application_stream);
//   auto x = adopt_buffer(**device, application_pointer, bytes);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"
#include "wattune/core/export.h"

// The handle types of NVIDIA's and Khronos' headers, declared as there, so that handles are passed without casts:
// CUcontext, CUstream and cudaStream_t; cl_context, cl_device_id, cl_command_queue and cl_mem.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp)
struct CUctx_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUstream_st;
struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp)

namespace wattune::inline v0_1::backend {

// Attaches to a context of the driver API, or to the primary context, which the runtime API uses. nullptr stands for
// the calling thread's current context. Fails with invalid_argument if no context is current or the given one is not
// alive, with unavailable without a driver.
WATTUNE_EXPORT Result<std::unique_ptr<Device>> attach_cuda(CUctx_st* context = nullptr);

// Opens a device of this process ("cuda:0") in its primary context, which the runtime API uses too. Only streams of the
// primary context can have compute units of their own (StreamOptions::units). The device counts as attached, so it does
// not recover from an error that breaks the context. Fails with not_found or unavailable.
WATTUNE_EXPORT Result<std::unique_ptr<Device>> open_cuda_in_primary_context(const std::string& selector);

// Attaches to a device of an OpenCL context. Fails with invalid_argument if the context has no such device, with
// unavailable if there is no OpenCL loader or driver.
WATTUNE_EXPORT Result<std::unique_ptr<Device>> attach_opencl(_cl_context* context, _cl_device_id* device);

// Adopts a stream of the application. Each call on the stream hands its command to the driver at once, behind the
// commands that the application sent before. The device's clocks are not sampled while the stream's commands run. Reads
// and writes of ordinary host memory may block in the driver as the application's own would. finish() also waits for
// the application's commands. Hardware counters cannot be counted on an adopted stream. Fails with invalid_argument if
// the stream is of another context, or if `device` is of another backend or in another process.
//
// With CUDA the default streams are accepted too: nullptr (the legacy one), CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
// wait_for() fails with invalid_argument for a launch that one of the device's own streams still holds back behind a
// transfer.
WATTUNE_EXPORT Result<std::unique_ptr<Stream>> adopt_stream(Device& device, CUstream_st* stream);
// Adopts an in-order command queue. Errors are those of adopting a CUDA stream. The events of the queue give no times
// (unavailable) without CL_QUEUE_PROFILING_ENABLE.
WATTUNE_EXPORT Result<std::unique_ptr<Stream>> adopt_stream(Device& device, _cl_command_queue* queue);

// Adopts memory of the application. It has no guard zones, so check_guards() finds no changed byte. Errors are those of
// adopt_stream().
//
// CUDA: `address` is a CUdeviceptr, or a pointer of the runtime API as a number, to any memory that kernels can reach.
WATTUNE_EXPORT Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, std::uint64_t address, std::size_t bytes);
// Adopts an OpenCL buffer or sub-buffer. Errors are those of adopt_stream(); images are refused.
WATTUNE_EXPORT Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, _cl_mem* memory);

// Returns how many bytes lie between this address and the end of its allocation (CUDA). Counting stops at `enough`
// bytes. Adjacent pieces that were mapped one by one, such as PyTorch's expandable segments, count as one allocation.
// Fails with not_found if the driver knows no allocation there. (OpenCL needs no such call: an adopted buffer knows its
// size.)
WATTUNE_EXPORT Result<std::size_t> memory_bytes(Device& device, std::uint64_t address, std::size_t enough);

// A function that distinguishes memory of the application from a later allocation at the same address or with the same
// handle. Its result is the driver's number of the allocation (CUDA) or the size of the buffer (OpenCL). It is 0 if the
// driver knows no such memory, and kUnknownMark if the driver gives no answer, as in a broken context. Any thread may
// call it, whatever context is current. It is cheap enough to be called at each launch. memory_mark() returns nullptr
// for devices that have no such memory.
using MemoryMark = std::uint64_t (*)(std::uint64_t memory);
inline constexpr std::uint64_t kUnknownMark = ~std::uint64_t{0};
WATTUNE_EXPORT MemoryMark memory_mark(const Device& device);

// Reserves, in the CUDA context, the private memory of kernels with this many private bytes per thread. Without this
// call, the first launch of such a kernel reserves it. This call and such a launch both wait for the device. The memory
// stays reserved. On other backends the call does nothing. Fails with errors of the driver.
WATTUNE_EXPORT Result<void> make_room_for_private_memory(Device& device, std::size_t bytes);

// A launch in a graph that an application captured.
struct WATTUNE_EXPORT GraphLaunch {
  CUgraphNode_st* node = nullptr;
  const void* function = nullptr;  // the address that function_of() returns for its kernel
  std::array<std::size_t, 3> groups{};
  std::array<std::size_t, 3> group_size{};
  std::vector<std::vector<std::byte>> arguments;  // the bytes of each parameter
};
// Returns all kernel launches of a CUDA graph. Fails with unavailable if the device is of another backend.
WATTUNE_EXPORT Result<std::vector<GraphLaunch>> launches_in(Device& device, CUgraph_st* graph);
// Returns an address that identifies the kernel in graphs; nullptr if its backend has no graphs.
WATTUNE_EXPORT const void* function_of(const Kernel& kernel);
// Puts a prepared launch, with the arguments set so far, into an executable graph. The launch replaces `node`, a node
// of the graph from which the executable graph was made. Fails with invalid_argument if `by` is no launch of CUDA, or
// is cooperative, or has clusters or constants: a node of a graph cannot become such a launch.
WATTUNE_EXPORT Result<void> replace_launch(CUgraphExec_st* executable, CUgraphNode_st* node, PreparedLaunch& by);

// Keeps the program's code loaded as long as its CUDA context lives, because a graph that the application captured may
// run it. On other backends the call does nothing.
WATTUNE_EXPORT void keep_loaded(Program& program);

// A scope for a thread that loads code beside an application. Within it, calls of this thread neither wait for captures
// of graphs by other threads nor invalidate them (CUDA's relaxed capture mode). Without CUDA it does nothing.
class WATTUNE_EXPORT RelaxedCapture {
 public:
  RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  std::optional<int> previous_;  // the thread's mode before, to restore
};

}  // namespace wattune::backend

// Devices in an application's own CUDA or OpenCL context: tuned kernels run between the application's, in its streams
// and on its memory.
//
// The application owns context, streams and memory, and keeps them longer than what is made from them here. A device
// that is destroyed takes along what it made and nothing else. It refuses reset(); after an error that breaks the
// context every call returns device_lost. A timeout breaks nothing: what was sent may be waited for again, and to
// destroy what a kernel uses waits for that kernel.
//
// Any number of threads may use an attached device, its programs, kernels and buffers; a stream, with what was prepared
// in it and its events, is used by one thread at a time. The calling thread's current CUDA context is the same after
// every call as before. That costs nothing that can be measured where it is the device's own already, as it is in most
// applications, else two calls of the driver (docs/results/overhead.md).
//
//   auto device = attach_cuda();
//   auto stream = adopt_stream(**device, application_stream);
//   auto x = adopt_buffer(**device, application_pointer, bytes);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

// As NVIDIA's and Khronos' headers declare them, so that handles are passed without casts: CUcontext, CUstream and
// cudaStream_t; cl_context, cl_device_id, cl_command_queue and cl_mem.
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

namespace wattune::backend {

// A context of the driver API, or the primary one, which the runtime API uses; nullptr: the one that is current for
// this thread. invalid_argument: none is, or it is no context that lives; unavailable: no driver.
Result<std::unique_ptr<Device>> attach_cuda(CUctx_st* context = nullptr);

// A device of this process ("cuda:0") in its primary context, which it shares with the runtime API: only streams there
// can have units of their own (StreamOptions::units). Attached, so that an error that breaks the context is for good.
// not_found, unavailable.
Result<std::unique_ptr<Device>> open_cuda_in_primary_context(const std::string& selector);

// invalid_argument: the context has no such device; unavailable: no loader, no driver.
Result<std::unique_ptr<Device>> attach_opencl(_cl_context* context, _cl_device_id* device);

// A stream of the application. What it is given goes to the driver in the call itself, behind what the application sent
// before; it is never held back, and no clocks are read beside it. Reads and writes of ordinary host memory may wait in
// the driver as the application's own would. finish() waits for what the application sent too. It counts no hardware
// counters. Errors: invalid_argument, when it is of another context, or `device` is not of this backend and process.
//
// CUDA: also the default streams, nullptr (of the legacy kind), CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. wait_for()
// refuses a launch that one of the device's own streams keeps behind a transfer, with invalid_argument.
Result<std::unique_ptr<Stream>> adopt_stream(Device& device, CUstream_st* stream);
// A queue that runs its commands in order. Times in one without CL_QUEUE_PROFILING_ENABLE are unavailable.
Result<std::unique_ptr<Stream>> adopt_stream(Device& device, _cl_command_queue* queue);

// Memory of the application. It has no guard zones: check_guards() finds no byte changed. Errors as above.
//
// CUDA: a CUdeviceptr, or a pointer of the runtime API as a number, to whatever kernels can reach.
Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, std::uint64_t address, std::size_t bytes);
// A buffer, or a part of one; no image.
Result<std::unique_ptr<Buffer>> adopt_buffer(Device& device, _cl_mem* memory);

// CUDA: how many bytes lie from this address to the end of what was allocated there, counted no further than `enough`.
// Memory that was mapped in pieces, as PyTorch's expandable segments are, counts together. not_found: the driver knows
// of none. (OpenCL: an adopted buffer knows its size.)
Result<std::size_t> memory_bytes(Device& device, std::uint64_t address, std::size_t enough);

// Tells memory of the application from what is allocated later at its address or with its handle: CUDA by the driver's
// number of the allocation, OpenCL by the size of the buffer. 0: the driver knows of none. kUnknownMark: it does not
// tell, as in a broken context. Any thread, whatever context is current; cheap enough for each launch. nullptr: of
// devices that have no such memory.
using MemoryMark = std::uint64_t (*)(std::uint64_t memory);
inline constexpr std::uint64_t kUnknownMark = ~std::uint64_t{0};
MemoryMark memory_mark(const Device& device);

// CUDA: makes the room that kernels with so many bytes of private memory to a thread need in their context, which else
// the first launch of one does: either way it waits for the device. Room stays. Elsewhere it does nothing.
Result<void> make_room_for_private_memory(Device& device, std::size_t bytes);

// A launch in a graph that an application captured.
struct GraphLaunch {
  CUgraphNode_st* node = nullptr;
  const void* function = nullptr;  // as function_of()
  std::array<std::size_t, 3> groups{};
  std::array<std::size_t, 3> group_size{};
  std::vector<std::vector<std::byte>> arguments;  // the bytes of each parameter
};
// CUDA: all launches in a graph. unavailable: the device is of another backend.
Result<std::vector<GraphLaunch>> launches_in(Device& device, CUgraph_st* graph);
// What tells kernels apart in graphs; nullptr where there are none.
const void* function_of(const Kernel& kernel);
// Puts a launch, with what was set of its arguments, into an executable graph in the place of one of the graph that it
// was made from. invalid_argument: no launch of CUDA; a cooperative one, or with clusters or constants, which none in a
// graph can become.
Result<void> replace_launch(CUgraphExec_st* executable, CUgraphNode_st* node, PreparedLaunch& by);

// CUDA: the program's code stays loaded as long as the context lives, as a graph that the application captured may run
// it. Elsewhere it does nothing.
void keep_loaded(Program& program);

// For a thread that loads code beside an application: while this lives, calls of the thread neither wait for nor
// invalidate what other threads capture into graphs (CUDA's relaxed capture mode). Does nothing where there is no CUDA.
class RelaxedCapture {
 public:
  RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture();

 private:
  int previous_ = -1;  // the thread's mode before; -1: there is nothing to restore
};

}  // namespace wattune::backend

// CallStream and CallArgument are the arguments with which an application calls a tunable kernel: its own stream and
// its own memory.
//
// Both are plain values that refer to what the application owns; they allocate nothing. Any thread may use them.
//
//   scale(stream, x, n);   // CUDA: cudaStream_t, float* from cudaMalloc or PyTorch's data_ptr(), int
//   scale(queue, x, n);    // OpenCL: cl_command_queue, cl_mem, cl_int
#pragma once

#include "wattune/backend/attach.h"
#include "wattune/backend/own_argument.h"
#include "wattune/core/export.h"

namespace wattune::inline v0_1::dynamic {

class WATTUNE_EXPORT CallStream {
 public:
  enum class Kind { cuda, opencl, ours };

  CallStream(CUstream_st* stream) : handle_(stream), kind_(Kind::cuda) {}
  CallStream(_cl_command_queue* queue) : handle_(queue), kind_(Kind::opencl) {}
  // Takes a stream that a device of this library made. Such a stream holds commands back until it is submitted or
  // finished.
  CallStream(backend::Stream& stream) : handle_(&stream), kind_(Kind::ours) {}

  Kind kind() const { return kind_; }
  void* handle() const { return handle_; }

  bool operator==(const CallStream&) const = default;

 private:
  void* handle_;
  Kind kind_;
};

// An argument of a call. Arguments have the kernel's order.
using CallArgument = backend::OwnArgument;

}  // namespace wattune::dynamic

// OpenClMemory: a buffer or an image, as memory that a stream copies and a kernel gets. Each call enqueues one command
// and returns its event.
#pragma once

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

class OpenClMemory : public Buffer {
 public:
  using Buffer::Buffer;

  // Returns the memory object that the kernel gets.
  virtual cl_mem contents() const = 0;
  // Returns the memory object that copies use; offset() is the first byte in it.
  virtual cl_mem moved() const { return contents(); }
  virtual std::size_t offset() const { return 0; }

  virtual cl_int write(cl_command_queue queue, const void* data, cl_event* event) const = 0;
  virtual cl_int read(cl_command_queue queue, void* data, cl_event* event) const = 0;
  // Copies to memory of the same kind and size.
  virtual cl_int copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const = 0;
  // Sets every byte.
  virtual cl_int fill(cl_command_queue queue, std::byte value, cl_event* event) = 0;
};

}  // namespace wattune::backend::opencl

// A part of a buffer. It is not a sub-buffer, whose offset would have to be aligned: commands get the part's offset
// instead.
#pragma once

#include "backend/opencl/buffer.h"

namespace wattune::inline v0_1::backend::opencl {

class OpenClPart : public OpenClMemory {
 public:
  OpenClPart(const OpenClBuffer& whole, std::size_t offset, std::size_t bytes)
      : OpenClMemory(*whole.life()), whole_(whole), offset_(offset), bytes_(bytes) {}

  std::size_t bytes() const override { return bytes_; }
  cl_mem contents() const override { return nullptr; }
  cl_mem moved() const override { return whole_.contents(); }
  std::size_t offset() const override { return offset_; }
  cl_int write(cl_command_queue queue, const void* data, cl_event* event) const override;
  cl_int read(cl_command_queue queue, void* data, cl_event* event) const override;
  cl_int copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const override;
  cl_int fill(cl_command_queue queue, std::byte value, cl_event* event) override;

 private:
  const OpenClBuffer& whole_;
  std::size_t offset_;
  std::size_t bytes_;
};

}  // namespace wattune::backend::opencl

#include "backend/opencl/part.h"

namespace wattune::inline v0_1::backend::opencl {

cl_int OpenClPart::write(cl_command_queue queue, const void* data, cl_event* event) const {
  return whole_.cl().clEnqueueWriteBuffer(queue, moved(), CL_FALSE, offset_, bytes_, data, 0, nullptr, event);
}

cl_int OpenClPart::read(cl_command_queue queue, void* data, cl_event* event) const {
  return whole_.cl().clEnqueueReadBuffer(queue, moved(), CL_FALSE, offset_, bytes_, data, 0, nullptr, event);
}

cl_int OpenClPart::copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const {
  return whole_.cl().clEnqueueCopyBuffer(queue, moved(), to.moved(), offset_, to.offset(), bytes_, 0, nullptr, event);
}

cl_int OpenClPart::fill(cl_command_queue queue, std::byte value, cl_event* event) {
  return whole_.cl().clEnqueueFillBuffer(queue, moved(), &value, sizeof value, offset_, bytes_, 0, nullptr, event);
}

}  // namespace wattune::backend::opencl

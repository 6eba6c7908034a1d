#include "backend/opencl/buffer.h"

#include <fmt/format.h>

#include "backend/opencl/cl_error.h"

namespace wattune::inline v0_1::backend::opencl {

Result<std::unique_ptr<Buffer>> OpenClBuffer::make(const std::shared_ptr<Session>& session, std::size_t bytes) {
  const ClApi& cl = session->cl();
  const std::span<const std::byte> guard = session->guard();
  const std::string doing = fmt::format("allocating {} bytes", bytes);
  const std::size_t most = session->info().max_allocation_bytes.value_or(0);
  if (bytes > most - std::min(2 * guard.size(), most))
    return Error(ErrorCode::invalid_argument,
                 fmt::format("a buffer of {} bytes is larger than the device allows ({})", bytes, most));

  const std::size_t visible = std::max<std::size_t>(1, bytes);  // OpenCL has no empty buffers
  cl_int code = CL_SUCCESS;
  Handle<cl_mem> allocation(
      session, cl.clCreateBuffer(session->context(), CL_MEM_READ_WRITE, visible + 2 * guard.size(), nullptr, &code));
  if (code != CL_SUCCESS) return cl_error(code, doing);
  const cl_buffer_region region{guard.size(), visible};
  Handle<cl_mem> contents(
      session, cl.clCreateSubBuffer(allocation.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  if (code != CL_SUCCESS) return cl_error(code, doing);

  std::unique_ptr<OpenClBuffer> buffer(
      new OpenClBuffer(std::move(allocation), std::move(contents), bytes, guard.size() + visible));
  for (const std::size_t offset : buffer->guard_offsets()) {
    code = cl.clEnqueueWriteBuffer(session->service_queue(), buffer->allocation(), CL_TRUE, offset, guard.size(),
                                   guard.data(), 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return session->failure(code, doing);
  }
  return std::unique_ptr<Buffer>(std::move(buffer));
}

Result<std::unique_ptr<Buffer>> OpenClBuffer::adopt(const std::shared_ptr<Session>& session, cl_mem memory) {
  const ClApi& cl = session->cl();
  cl_context context = nullptr;
  cl_mem_object_type type = 0;
  std::size_t bytes = 0;
  cl_int code = cl.clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof(cl_context), &context, nullptr);
  if (code == CL_SUCCESS) code = cl.clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof type, &type, nullptr);
  if (code == CL_SUCCESS) code = cl.clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  if (code != CL_SUCCESS || context != session->context() || type != CL_MEM_OBJECT_BUFFER)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the memory is no buffer of the context on {} that was attached to",
                             session->info().selector))
        .native(code, std::string(cl_name(code)));
  cl.clRetainMemObject(memory);
  return std::unique_ptr<Buffer>(new OpenClBuffer({}, Handle<cl_mem>(session, memory), bytes, bytes));
}

cl_int OpenClBuffer::write(cl_command_queue queue, const void* data, cl_event* event) const {
  return cl().clEnqueueWriteBuffer(queue, contents(), CL_FALSE, 0, bytes_, data, 0, nullptr, event);
}

cl_int OpenClBuffer::read(cl_command_queue queue, void* data, cl_event* event) const {
  return cl().clEnqueueReadBuffer(queue, contents(), CL_FALSE, 0, bytes_, data, 0, nullptr, event);
}

cl_int OpenClBuffer::copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const {
  return cl().clEnqueueCopyBuffer(queue, contents(), to.moved(), 0, to.offset(), bytes_, 0, nullptr, event);
}

cl_int OpenClBuffer::fill(cl_command_queue queue, std::byte value, cl_event* event) {
  return cl().clEnqueueFillBuffer(queue, contents(), &value, sizeof value, 0, bytes_, 0, nullptr, event);
}

}  // namespace wattune::backend::opencl

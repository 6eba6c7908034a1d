// Pixels in an OpenCL image object.
#pragma once

#include <vector>

#include "backend/opencl/memory.h"

namespace wattune::inline v0_1::backend::opencl {

class OpenClPixelBuffer : public OpenClMemory {
 public:
  // Makes an image. Fails with unavailable, and a reason, if the device has no such image.
  static Result<std::unique_ptr<Buffer>> make(const std::shared_ptr<Session>& session, const PixelLayout& layout);

  std::size_t bytes() const override { return bytes_of(layout_); }
  bool has_pixels() const override { return true; }
  cl_mem contents() const override { return image_.get(); }
  cl_int write(cl_command_queue queue, const void* data, cl_event* event) const override;
  cl_int read(cl_command_queue queue, void* data, cl_event* event) const override;
  cl_int copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const override;
  cl_int fill(cl_command_queue queue, std::byte value, cl_event* event) override;

 private:
  OpenClPixelBuffer(Handle<cl_mem> linear, Handle<cl_mem> image, const PixelLayout& layout)
      : OpenClMemory(*image.session()), linear_(std::move(linear)), image_(std::move(image)), layout_(layout) {}

  const ClApi& cl() const { return image_.session()->cl(); }

  Handle<cl_mem> linear_;  // the memory of an image1d_buffer
  Handle<cl_mem> image_;
  PixelLayout layout_;
  std::vector<std::byte> filling_;  // source of fill(), which the device reads until the command has ended
};

// Makes a sampler by clCreateSampler. Returns null on failure, with the error's code in `code`.
cl_sampler make_sampler(const Session& session, const Sampling& sampling, cl_int& code);

}  // namespace wattune::backend::opencl

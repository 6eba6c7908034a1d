// Device memory between guard zones.
//
// One allocation holds a guard zone, the contents and another guard zone. The kernel gets the contents as a sub-buffer,
// so that small overruns hit a guard zone and are found, instead of hitting memory of the driver.
#pragma once

#include "backend/opencl/memory.h"

namespace wattune::inline v0_1::backend::opencl {

class OpenClBuffer : public OpenClMemory {
 public:
  static Result<std::unique_ptr<Buffer>> make(const std::shared_ptr<Session>& session, std::size_t bytes);
  // Adopts memory of the application, without guard zones. Fails with invalid_argument if the memory is no buffer of
  // the session's context.
  static Result<std::unique_ptr<Buffer>> adopt(const std::shared_ptr<Session>& session, cl_mem memory);

  std::size_t bytes() const override { return bytes_; }
  std::uint64_t memory() const override { return reinterpret_cast<std::uintptr_t>(contents()); }
  cl_mem contents() const override { return contents_.get(); }
  cl_int write(cl_command_queue queue, const void* data, cl_event* event) const override;
  cl_int read(cl_command_queue queue, void* data, cl_event* event) const override;
  cl_int copy(cl_command_queue queue, const OpenClMemory& to, cl_event* event) const override;
  cl_int fill(cl_command_queue queue, std::byte value, cl_event* event) override;
  bool has_guards() const { return allocation_.get() != nullptr; }
  // Returns the whole allocation; guard_offsets() returns where its guard zones begin.
  cl_mem allocation() const { return allocation_.get(); }
  std::array<std::size_t, 2> guard_offsets() const { return {0, end_}; }
  const ClApi& cl() const { return contents_.session()->cl(); }

 private:
  OpenClBuffer(Handle<cl_mem> allocation, Handle<cl_mem> contents, std::size_t bytes, std::size_t end)
      : OpenClMemory(*contents.session()),
        allocation_(std::move(allocation)),
        contents_(std::move(contents)),
        bytes_(bytes),
        end_(end) {}

  Handle<cl_mem> allocation_;  // the whole allocation; empty without guard zones
  Handle<cl_mem> contents_;
  std::size_t bytes_;
  std::size_t end_;  // offset in the allocation at which the contents end
};

}  // namespace wattune::backend::opencl

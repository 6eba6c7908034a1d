// Programs of an OpenCL device and their kernels.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/opencl/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::opencl {

class OpenClKernel : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> make(Handle<cl_kernel> kernel, std::string name,
                                              std::vector<KernelParameter> parameters);

  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return parameters_.size(); }
  std::span<const KernelParameter> parameters() const override { return parameters_; }
  std::size_t max_work_group_size() const override { return max_work_group_size_; }
  Result<KernelResources> resources(std::size_t group_size, std::size_t local_bytes) const override;
  // Makes another kernel object of the same function, with arguments of its own.
  Result<std::unique_ptr<OpenClKernel>> made_anew() const;
  cl_kernel get() const { return kernel_.get(); }
  // Returns the mutex that must be held from setting the first argument until the launch is enqueued, because OpenCL
  // stores arguments in the kernel object.
  std::mutex& launching() const { return launching_; }
  // Returns the bytes of local memory of one work-group: the kernel's own, and those of the arguments that were set
  // last.
  std::uint64_t local_memory_bytes() const;

 private:
  OpenClKernel(Handle<cl_kernel> kernel, std::string name, std::vector<KernelParameter> parameters)
      : Kernel(*kernel.session()),
        kernel_(std::move(kernel)),
        name_(std::move(name)),
        parameters_(std::move(parameters)) {}

  Handle<cl_kernel> kernel_;
  std::string name_;
  std::vector<KernelParameter> parameters_;
  std::size_t max_work_group_size_ = 0;
  mutable std::mutex launching_;
};

// The next two functions make programs as build_source() and build_binary() of compiler.h do, with their errors.

Result<std::unique_ptr<Program>> build_program(const std::shared_ptr<Session>& session, const KernelSource& source,
                                               std::span<const Macro> macros, Nanoseconds limit);
Result<std::unique_ptr<Program>> load_program(const std::shared_ptr<Session>& session, const Image& image,
                                              Nanoseconds limit);

}  // namespace wattune::backend::opencl

// Modules and functions of a CUDA device.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::backend::cuda {

// A loaded module. Kernels keep it, since their functions end with it.
class Module {
 public:
  Module(Handle<CUmodule> module, std::size_t its_bytes) : handle(std::move(module)), binary_bytes(its_bytes) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module() {
    if (is_kept) handle.leave();
  }

  Handle<CUmodule> handle;
  const std::size_t binary_bytes;
  std::atomic<bool> is_kept = false;  // by backend::keep_loaded()
};

class CudaKernel : public Kernel {
 public:
  // `told`: what the compiler said that it takes. `parameters`: what symbol or source say of them. What the driver says
  // goes before both.
  static Result<std::unique_ptr<Kernel>> make(std::shared_ptr<Module> module, CUfunction function, std::string name,
                                              const KernelResources& told, std::vector<KernelParameter> parameters);

  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return parameters_.size(); }
  std::span<const KernelParameter> parameters() const override { return parameters_; }
  std::size_t max_work_group_size() const override { return max_work_group_size_; }
  Result<KernelResources> resources(std::size_t group_size, std::size_t local_bytes) const override;

  Result<void> prefer_local_memory(std::uint64_t bytes_per_unit) override;

  CUfunction get() const { return function_; }
  CUmodule module() const { return module_->handle.get(); }
  // Shared memory that the kernel declares itself.
  std::size_t static_local_bytes() const { return static_local_bytes_; }
  // Lets a launch have this much dynamic shared memory, which beyond 48 KiB needs permission.
  Result<void> allow_local_memory(std::size_t bytes) const;
  bool was_launched() const { return was_launched_; }
  void set_launched() { was_launched_ = true; }

 private:
  CudaKernel(std::shared_ptr<Module> module, CUfunction function, std::string name, const KernelResources& told)
      : Kernel(*module->handle.session()),
        module_(std::move(module)),
        function_(function),
        name_(std::move(name)),
        told_(told) {}

  Session& session() const { return *module_->handle.session(); }
  Result<std::size_t> attribute(CUfunction_attribute which) const;
  Result<std::vector<std::size_t>> parameter_bytes() const;

  std::shared_ptr<Module> module_;
  CUfunction function_;
  std::string name_;
  KernelResources told_;
  std::vector<KernelParameter> parameters_;
  std::size_t max_work_group_size_ = 0;
  std::size_t static_local_bytes_ = 0;
  std::atomic<bool> was_launched_ = false;
  std::atomic<int> preferred_percent_ = -1;  // of shared memory, as it was asked for last; -1: never
};

// backend::keep_loaded() of a program that may be another backend's.
void keep_loaded(Program& program);

// compile_failed with the log, when the driver compiles PTX; as Session::failure().
Result<std::unique_ptr<Program>> load_program(const std::shared_ptr<Session>& session, Image image,
                                              std::span<const Macro> macros);

}  // namespace wattune::backend::cuda

// Loaded programs of a CUDA device, and their kernels.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/session.h"
#include "wattune/backend/device.h"

namespace wattune::inline v0_1::backend::cuda {

// A loaded module. Kernels keep their module loaded, because its functions are valid no longer than the module.
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
  std::atomic<bool> is_kept = false;  // true after backend::keep_loaded()
};

class CudaKernel : public Kernel {
 public:
  // Makes a kernel. `told` has the resources that the compiler reported. `parameters` has the parameters that the
  // symbol or the source declares. The driver's own answers override both.
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
  // Returns the bytes of shared memory that the kernel itself declares.
  std::size_t static_local_bytes() const { return static_local_bytes_; }
  // Permits launches with this much dynamic shared memory. Without this call, 48 KiB are permitted.
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
  std::atomic<int> preferred_percent_ = -1;  // percentage of shared memory requested last; -1 before a request
};

// Implements backend::keep_loaded(). The program may belong to another backend.
void keep_loaded(Program& program);

// Loads a program. Fails with compile_failed and the log if the driver compiles PTX and refuses it. Other errors are
// those of Session::failure().
Result<std::unique_ptr<Program>> load_program(const std::shared_ptr<Session>& session, Image image,
                                              std::span<const Macro> macros);

}  // namespace wattune::backend::cuda

#include "backend/cuda/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/cuda_error.h"
#include "backend/cuda/function_name.h"
#include "backend/cuda/signature.h"
#include "backend/cuda/source_text.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// A buffer for the messages of the driver's compiler while it loads PTX.
class LoadLog {
 public:
  CUresult load(const CuApi& cu, const std::string& code, CUmodule& module) {
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {info_.data(), reinterpret_cast<void*>(info_.size() - 1), error_.data(),
                      reinterpret_cast<void*>(error_.size() - 1)};
    return cu.cuModuleLoadDataEx(&module, code.c_str(), 4, options, values);
  }
  std::string info() const { return info_.substr(0, info_.find('\0')); }
  std::string error() const { return error_.substr(0, error_.find('\0')); }

 private:
  std::string info_ = std::string(8192, '\0');
  std::string error_ = std::string(8192, '\0');
};

std::string joined(std::string log, const std::string& more) {
  if (!log.empty() && !more.empty()) log += '\n';
  return log + more;
}

class CudaProgram : public Program {
 public:
  CudaProgram(std::shared_ptr<Module> module, Image image, std::vector<Macro> macros)
      : Program(*module->handle.session()),
        module_(std::move(module)),
        log_(std::move(image.log)),
        symbols_(std::move(image.symbols)),
        resources_(std::move(image.resources)),
        parameters_(std::move(image.parameters)),
        macros_(std::move(macros)) {}

  const std::string& build_log() const override { return log_; }
  void keep_loaded() { module_->is_kept = true; }

  // Finds a kernel. `name` is a symbol, a function as C++ spells it, or an instance of a template. Arguments of the
  // template may be tuning parameters.
  Result<std::unique_ptr<Kernel>> kernel(const std::string& name) override {
    WATTUNE_ASSIGN(const CurrentContext current, session().enter());
    WATTUNE_ASSIGN(const std::vector<Function> functions, list_functions());
    std::vector<std::string> symbols;
    for (const Function& function : functions) symbols.push_back(function.symbol);
    std::string wanted = with_values(name, macros_);
    if (const auto told = symbols_.find(wanted); told != symbols_.end()) wanted = told->second;
    WATTUNE_ASSIGN(const std::size_t found, find_function(wanted, symbols));
    const auto told = resources_.find(symbols[found]);
    return CudaKernel::make(module_, functions[found].handle, name,
                            told == resources_.end() ? KernelResources{} : told->second,
                            parameters_of(symbols[found], parameters_));
  }

 private:
  struct Function {
    CUfunction handle = nullptr;
    std::string symbol;
  };

  Session& session() const { return *module_->handle.session(); }

  Result<std::vector<Function>> list_functions() const {
    const CuApi& cu = session().cu();
    unsigned count = 0;
    CUresult code = cu.cuModuleGetFunctionCount(&count, module_->handle.get());
    std::vector<CUfunction> handles(count);
    if (code == CUDA_SUCCESS && count > 0)
      code = cu.cuModuleEnumerateFunctions(handles.data(), count, module_->handle.get());
    std::vector<Function> functions;
    for (const CUfunction handle : handles) {
      const char* symbol = nullptr;
      if (code == CUDA_SUCCESS) code = cu.cuFuncGetName(&symbol, handle);
      if (code == CUDA_SUCCESS) functions.push_back({handle, symbol});
    }
    if (code != CUDA_SUCCESS) return session().failure(code, "listing the kernels of a module");
    return functions;
  }

  std::shared_ptr<Module> module_;
  std::string log_;
  std::map<std::string, std::string> symbols_;
  std::map<std::string, KernelResources> resources_;
  std::map<std::string, std::vector<KernelParameter>> parameters_;
  std::vector<Macro> macros_;
};

}  // namespace

Result<std::unique_ptr<Kernel>> CudaKernel::make(std::shared_ptr<Module> module, CUfunction function, std::string name,
                                                 const KernelResources& told, std::vector<KernelParameter> parameters) {
  std::unique_ptr<CudaKernel> kernel(new CudaKernel(std::move(module), function, std::move(name), told));
  // The driver loads functions lazily, and reports nothing about a function before it is loaded.
  Session& session = kernel->session();
  if (const CUresult code = session.cu().cuFuncLoad(function); code != CUDA_SUCCESS)
    return session.failure(code, fmt::format("loading kernel `{}`", kernel->name_));
  WATTUNE_ASSIGN(const std::vector<std::size_t> bytes, kernel->parameter_bytes());
  kernel->parameters_ = with_sizes(std::move(parameters), bytes);
  WATTUNE_ASSIGN(kernel->max_work_group_size_, kernel->attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  WATTUNE_ASSIGN(kernel->static_local_bytes_, kernel->attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Result<std::size_t> CudaKernel::attribute(CUfunction_attribute which) const {
  int value = 0;
  const CUresult code = session().cu().cuFuncGetAttribute(&value, which, function_);
  if (code != CUDA_SUCCESS) return session().failure(code, fmt::format("asking for the limits of kernel `{}`", name_));
  return static_cast<std::size_t>(std::max(0, value));
}

// Returns the bytes of each parameter. The driver answers for every index up to the last parameter.
Result<std::vector<std::size_t>> CudaKernel::parameter_bytes() const {
  std::vector<std::size_t> all;
  for (;;) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const CUresult code = session().cu().cuFuncGetParamInfo(function_, all.size(), &offset, &bytes);
    if (code == CUDA_ERROR_INVALID_VALUE) return all;
    if (code != CUDA_SUCCESS)
      return session().failure(code, fmt::format("asking for the parameters of kernel `{}`", name_));
    all.push_back(bytes);
  }
}

// Allows more dynamic shared memory. The allowed size is never reduced, because a prepared launch or another thread may
// need it.
Result<void> CudaKernel::allow_local_memory(std::size_t bytes) const {
  if (bytes + static_local_bytes_ <= session().device().plain_local_bytes) return {};
  const std::lock_guard lock(session().allowing());
  WATTUNE_ASSIGN(const std::size_t allowed, attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  if (bytes <= allowed) return {};
  const CUresult code = session().cu().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                          static_cast<int>(bytes));
  if (code == CUDA_SUCCESS) return {};
  return session().failure(code, fmt::format("allowing kernel `{}` {} bytes of dynamic shared memory", name_, bytes));
}

Result<void> CudaKernel::prefer_local_memory(std::uint64_t bytes_per_unit) {
  const std::uint64_t most = std::max<std::uint64_t>(1, session().device().unit_local_bytes);
  const auto percent = static_cast<int>(std::min<std::uint64_t>(100, (100 * bytes_per_unit + most - 1) / most));
  if (preferred_percent_ == percent) return {};
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  const CUresult code =
      session().cu().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
  if (code == CUDA_SUCCESS) preferred_percent_ = percent;
  if (code == CUDA_SUCCESS) return {};
  return session().failure(code, fmt::format("dividing the memory of multiprocessors for kernel `{}`", name_));
}

Result<KernelResources> CudaKernel::resources(std::size_t group_size, std::size_t local_bytes) const {
  WATTUNE_ASSIGN(const CurrentContext current, session().enter());
  KernelResources resources = told_;
  WATTUNE_ASSIGN(const std::size_t registers, attribute(CU_FUNC_ATTRIBUTE_NUM_REGS));
  WATTUNE_ASSIGN(resources.private_bytes, attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  resources.registers = static_cast<unsigned>(registers);
  resources.static_local_bytes = static_local_bytes_;
  resources.dynamic_local_bytes = local_bytes;
  resources.binary_bytes = module_->binary_bytes;
  if (local_bytes + static_local_bytes_ > session().info().local_memory_bytes.value_or(0)) return resources;
  WATTUNE_TRY(allow_local_memory(local_bytes));
  int groups = 0;
  const CUresult code = session().cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &groups, function_, static_cast<int>(group_size), local_bytes);
  if (code != CUDA_SUCCESS) return session().failure(code, fmt::format("computing the occupancy of `{}`", name_));
  const unsigned most = session().device().max_threads_per_unit;
  if (most > 0) resources.occupancy = groups * static_cast<double>(group_size) / most;
  return resources;
}

void keep_loaded(Program& program) {
  if (auto* const own = dynamic_cast<CudaProgram*>(&program)) own->keep_loaded();
}

Result<std::unique_ptr<Program>> load_program(const std::shared_ptr<Session>& session, Image image,
                                              std::span<const Macro> macros) {
  WATTUNE_ASSIGN(const CurrentContext current, session->enter());
  LoadLog loading;
  CUmodule loaded = nullptr;
  const CUresult code = loading.load(session->cu(), image.code, loaded);
  if (code != CUDA_SUCCESS) {
    Error error = session->failure(code, "loading the compiled kernel");
    if (loading.error().empty()) return error;
    return Error(error.code(), joined(image.log, loading.error()))
        .native(error.native_code(), error.native_name())
        .hint(error.advice());
  }
  image.log = joined(std::move(image.log), loading.info());
  auto module = std::make_shared<Module>(Handle<CUmodule>(session, loaded), image.code.size());
  return std::unique_ptr<Program>(std::make_unique<CudaProgram>(std::move(module), std::move(image),
                                                                std::vector<Macro>(macros.begin(), macros.end())));
}

}  // namespace wattune::backend::cuda

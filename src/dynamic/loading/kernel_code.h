// KernelCode: the programs of a kernel's configurations. Processes of a pool compile them in advance. Without a pool,
// load() compiles them. Any thread may call the functions.
//
// Configurations and keys with identical compiled code share one program. The program is loaded once and stays loaded
// as long as it is in use.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "wattune/backend/compile_pool.h"
#include "wattune/backend/device.h"
#include "wattune/core/configuration.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::inline v0_1::dynamic {

class KernelCode {
 public:
  using Macros = std::vector<backend::Macro>;

  // Makes the code of a kernel. `pool` must outlive the result. If `pool` is nullptr, or if Device::compile_target()
  // fails with unavailable, load() compiles. Fails with the other errors of Device::compile_target().
  static Result<std::unique_ptr<KernelCode>> make(const KernelSpec& spec, backend::Device& device,
                                                  backend::CompilePool* pool, Nanoseconds limit);

  // Returns the macros of a configuration. `spec` holds the parameters of one key, which may differ from those of other
  // keys.
  static Macros macros_of(const KernelSpec& spec, const Configuration& configuration);

  // Announces the code that this owner will probably load, the next first. It replaces the owner's earlier
  // announcement. Code of the latest owner is compiled first, because other owners may not be called any more. If
  // `urgently` is true, the owner has nothing to run before the code is loaded, so it is compiled before all other
  // code.
  void expect(const void* owner, std::vector<Macros> macros, bool urgently = false);
  // True if load() need not wait for a compiler. Another owner may have taken the compiled image of announced code and
  // hold no program of it any more; then the code is compiled again.
  bool is_ready(const Macros& macros);
  // True if load() neither compiles nor loads, because another configuration or key runs the same code.
  bool is_loaded(const Macros& macros) const { return loaded(macros) != nullptr; }
  // Loads a program. Waits for the compiler if the program is not compiled yet. Fails with compile_failed and the log,
  // timeout, launch_failed or device_lost.
  Result<std::shared_ptr<backend::Program>> load(const Macros& macros);
  // Begins to compile the generic configuration, which comes before all code that is only to be tried.
  void expect_generic(Macros macros);
  // True if generic() need not wait for a compiler, as is_ready().
  bool is_generic_ready();
  // Returns the program of the generic configuration and keeps it. Its macros are those given to expect_generic() or,
  // without these, those of the first call.
  Result<std::shared_ptr<backend::Program>> generic(const Macros& macros);

 private:
  struct Expected {
    const void* owner;
    std::vector<Macros> macros;
    bool urgently;
  };

  KernelCode(KernelSource source, backend::Device& device, Nanoseconds limit)
      : source_(std::move(source)), device_(device), limit_(limit) {}
  std::vector<Macros> expected(bool urgently) const;
  std::optional<Macros> generic_macros() const;
  std::shared_ptr<backend::Program> loaded(const Macros& macros) const;
  Result<backend::Image> compile(const Macros& macros);
  Result<std::unique_ptr<backend::Program>> load_anew(const Macros& macros);

  const KernelSource source_;
  backend::Device& device_;
  const Nanoseconds limit_;
  std::optional<backend::PooledSource> pooled_;
  mutable std::mutex mutex_;       // guards the members below
  std::deque<Expected> expected_;  // announcements, that of the latest owner first
  std::map<Macros, std::weak_ptr<backend::Program>> programs_;
  std::optional<Macros> generic_macros_;  // the macros given to expect_generic()
  std::mutex loading_generic_;            // guards the next member
  std::shared_ptr<backend::Program> generic_;
};

// Makes the pool's processes load the compiler for sources of this kind, so that the first variant need not wait for
// that. The job ends with the returned object. Returns nullptr if there is nothing to load, or if compilers would
// compete with kernels for the same processors.
std::unique_ptr<backend::PooledSource> warm_up(backend::CompilePool& pool, backend::Device& device,
                                               const KernelSource& like, Nanoseconds limit);

}  // namespace wattune::dynamic

// KernelCode: the programs of a kernel's configurations. Processes of a pool compile them ahead; without a pool, load()
// compiles. Any thread may call.
//
// Configurations and keys with identical compiled code share one program. It is loaded once and stays loaded as long as
// somebody holds it.
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

  // Makes the code of a kernel. `pool` must outlive it; load() compiles if it is nullptr. Fails as
  // Device::compile_target() does, except with unavailable: then load() compiles as well.
  static Result<std::unique_ptr<KernelCode>> make(const KernelSpec& spec, backend::Device& device,
                                                  backend::CompilePool* pool, Nanoseconds limit);

  // Returns the macros of a configuration of the spec, with its parameters as they are at some key.
  static Macros macros_of(const KernelSpec& spec, const Configuration& configuration);

  // Tells what this owner will probably load, the next one first, in place of what it told before. The latest owner
  // comes first, as others may be gone. With `urgently` the owner has nothing to run until then, so this is compiled
  // before all else.
  void expect(const void* owner, std::vector<Macros> macros, bool urgently = false);
  // True if load() waits for no compiler.
  bool is_ready(const Macros& macros) const;
  // True if load() neither compiles nor loads, because another configuration or key runs the same code.
  bool is_loaded(const Macros& macros) const { return loaded(macros) != nullptr; }
  // Loads a program; waits for the compiler if need be. Fails with compile_failed and the log, timeout, launch_failed
  // or device_lost.
  Result<std::shared_ptr<backend::Program>> load(const Macros& macros);
  // Begins to compile the generic configuration, before all code that is only to be tried.
  void expect_generic(Macros macros);
  // True if generic() waits for no compiler.
  bool is_generic_ready() const;
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
  std::deque<Expected> expected_;  // the latest owner first
  std::map<Macros, std::weak_ptr<backend::Program>> programs_;
  std::optional<Macros> generic_macros_;  // as expected_
  std::mutex loading_generic_;            // guards the next member
  std::shared_ptr<backend::Program> generic_;
};

// Has the pool's processes load the compiler for sources of this kind, so that the first variant need not wait for
// that. Lasts as long as the returned object. nullptr if there is nothing to load, or if compiling would take the
// device's own processors from its kernels.
std::unique_ptr<backend::PooledSource> warm_up(backend::CompilePool& pool, backend::Device& device,
                                               const KernelSource& like, Nanoseconds limit);

}  // namespace wattune::dynamic

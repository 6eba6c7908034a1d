// KernelCode: the programs of a kernel's configurations: compiled ahead by processes of a pool, or by whoever loads
// them where there is none. Any thread.
//
// Configurations that differ in nothing that is compiled share a program, and so do keys: it is loaded once as long as
// somebody has it.
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

namespace wattune::dynamic {

class KernelCode {
 public:
  using Macros = std::vector<backend::Macro>;

  // `pool`, which outlives it: nullptr: load() compiles. Errors of Device::compile_target() but unavailable, with
  // which load() compiles too.
  static Result<std::unique_ptr<KernelCode>> make(const KernelSpec& spec, backend::Device& device,
                                                  backend::CompilePool* pool, Nanoseconds limit);

  // The macros of a configuration of the spec, with its parameters as they are at some key.
  static Macros macros_of(const KernelSpec& spec, const Configuration& configuration);

  // What this owner will probably load, the next first, in the place of what it said before. Who said so last goes
  // first, as others may have gone. `urgently`: it has nothing to run until then, so that this is compiled before all
  // else.
  void expect(const void* owner, std::vector<Macros> macros, bool urgently = false);
  // Whether load() waits for no compiler.
  bool is_ready(const Macros& macros) const;
  // Whether load() neither compiles nor loads: another configuration or another key runs the same code.
  bool is_loaded(const Macros& macros) const { return loaded(macros) != nullptr; }
  // compile_failed with the log, timeout, launch_failed, device_lost. Waits for the compiler if need be.
  Result<std::shared_ptr<backend::Program>> load(const Macros& macros);
  // What serves every key is compiled from here on, before all that is only to be tried.
  void expect_generic(Macros macros);
  // Whether generic() waits for no compiler.
  bool is_generic_ready() const;
  // The program of what serves every key: with the macros that were expected, or else those that are named first. Kept.
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
  mutable std::mutex mutex_;       // guards what follows
  std::deque<Expected> expected_;  // who said so last first
  std::map<Macros, std::weak_ptr<backend::Program>> programs_;
  std::optional<Macros> generic_macros_;  // as expected_
  std::mutex loading_generic_;            // guards the next
  std::shared_ptr<backend::Program> generic_;
};

// Has the pool's processes load the compiler of such a source, so that the first variant does not wait for that, while
// this exists. nullptr: there is nothing to load, or the device's own processors would be taken from its kernels.
std::unique_ptr<backend::PooledSource> warm_up(backend::CompilePool& pool, backend::Device& device,
                                               const KernelSource& like, Nanoseconds limit);

}  // namespace wattune::dynamic

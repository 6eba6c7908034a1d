// KeyLoader: compiles and loads the configurations of one key. All requests of an instance to the compilers and to the
// loader go through its KeyLoader, which is their owner.
//
// Any thread may call the functions. Only expect() and expected() need the instance's mutex, which guards the list of
// announced configurations.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "dynamic/calls/surroundings.h"

namespace wattune::inline v0_1::dynamic {

class KeyLoader {
 public:
  // Takes the kernel, which must outlive this object.
  explicit KeyLoader(const KeyedKernel& kernel) : kernel_(kernel) {}
  KeyLoader(const KeyLoader&) = delete;
  KeyLoader& operator=(const KeyLoader&) = delete;

  // Returns the loaded configuration. Compiles and loads it if needed, and blocks meanwhile.
  Result<std::shared_ptr<Variant>> load(const Configuration& configuration) const {
    return variants().make(kernel_.problem, configuration);
  }
  // True if load() need not wait for a compiler.
  bool is_ready(const Configuration& configuration) const {
    return variants().is_ready(*kernel_.problem, configuration);
  }
  // True if load() need neither compile nor load code, because the same code is loaded for another key.
  bool is_loaded(const Configuration& configuration) const {
    return variants().is_loaded(*kernel_.problem, configuration);
  }

  // Requests that code is loaded in a gap, that is, while the device is idle. Makes this object the owner of the
  // request.
  void request(LoadRequest request) {
    request.owner = this;
    kernel_.around.loader.request(std::move(request));
  }
  // Makes all waiting requests of this key urgent.
  void hurry() { kernel_.around.loader.hurry(this); }
  void retire(std::shared_ptr<Variant> variant) { kernel_.around.loader.retire(std::move(variant)); }

  // Announces to the compilers the configurations that will probably be loaded, in place of the earlier announcement.
  // If `urgently` is true, the key has nothing to run until one of them is loaded.
  void expect(std::vector<Configuration> configurations, bool urgently = false);
  const std::vector<Configuration>& expected() const { return expected_; }
  // Drops all requests and announcements, and waits for a request that is running. The caller must not hold a lock that
  // a request takes.
  void end();

 private:
  VariantSource& variants() const { return *kernel_.parts.variants; }

  const KeyedKernel& kernel_;
  std::vector<Configuration> expected_;
  bool is_urgent_ = false;
};

}  // namespace wattune::dynamic

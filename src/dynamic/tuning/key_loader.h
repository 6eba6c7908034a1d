// KeyLoader: compiles and loads the configurations of one key. All of an instance's requests to the compilers and to
// the loader go through it, under one owner.
//
// Any thread may call. Only expect() and expected() need the instance's mutex, which guards the list of announced
// configurations.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "dynamic/calls/surroundings.h"

namespace wattune::inline v0_1::dynamic {

class KeyLoader {
 public:
  // Takes the kernel, which outlives it.
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
  // True if load() need not load code either, because the same code is loaded for another key.
  bool is_loaded(const Configuration& configuration) const {
    return variants().is_loaded(*kernel_.problem, configuration);
  }

  // Requests a load in a gap. The owner of the request is set here.
  void request(LoadRequest request) {
    request.owner = this;
    kernel_.around.loader.request(std::move(request));
  }
  // Makes all requests that wait urgent.
  void hurry() { kernel_.around.loader.hurry(this); }
  void retire(std::shared_ptr<Variant> variant) { kernel_.around.loader.retire(std::move(variant)); }

  // Announces to the compilers what will probably be loaded, in place of the earlier announcement. With `urgently` the
  // key has nothing to run until then.
  void expect(std::vector<Configuration> configurations, bool urgently = false);
  const std::vector<Configuration>& expected() const { return expected_; }
  // Drops all requests and announcements, and waits for a request that is running. The caller must hold no lock that a
  // request takes.
  void end();

 private:
  VariantSource& variants() const { return *kernel_.parts.variants; }

  const KeyedKernel& kernel_;
  std::vector<Configuration> expected_;
  bool is_urgent_ = false;
};

}  // namespace wattune::dynamic

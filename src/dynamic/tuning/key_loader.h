// KeyLoader: has the configurations of one key compiled and loaded. All that an instance asks of the compilers and of
// the loader goes through it, in one owner's name.
//
// Any thread may call. Only expect() and expected() need the instance's mutex, which guards what the compilers were
// told.
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

  // Returns the loaded configuration. Blocks: it compiles and loads what is not there.
  Result<std::shared_ptr<Variant>> load(const Configuration& configuration) const {
    return variants().make(kernel_.problem, configuration);
  }
  // True if load() waits for no compiler.
  bool is_ready(const Configuration& configuration) const {
    return variants().is_ready(*kernel_.problem, configuration);
  }
  // True if load() does not load anything either, because the same code is loaded for another key.
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

  // Tells the compilers what will probably be loaded, in place of what they were told before. With `urgently` there is
  // nothing to run until then.
  void expect(std::vector<Configuration> configurations, bool urgently = false);
  const std::vector<Configuration>& expected() const { return expected_; }
  // Drops all requests and expectations, and waits for a request that is running. The caller must hold no lock that a
  // request takes.
  void end();

 private:
  VariantSource& variants() const { return *kernel_.parts.variants; }

  const KeyedKernel& kernel_;
  std::vector<Configuration> expected_;
};

}  // namespace wattune::dynamic

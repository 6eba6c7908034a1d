// TunedComposition: the TunableComposition that a Tuner makes. A composition is tuned like a kernel, but its variants
// run a function.
#pragma once

#include <memory>

#include "dynamic/calls/tuned_kernel.h"
#include "wattune/dynamic/composition.h"

namespace wattune::inline v0_1::dynamic {

class TunedComposition : public TunableComposition {
 public:
  explicit TunedComposition(std::unique_ptr<TunedKernel> kernel) : kernel_(std::move(kernel)) {}

  Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                    const CallOptions& options) override {
    return kernel_->call(stream, arguments, options);
  }
  void set_mode(Mode mode) override { kernel_->set_mode(mode); }
  void retune(const Key& key) override { kernel_->retune(key); }
  Result<void> preload(std::span<const NamedSize> sizes) override { return kernel_->preload(sizes); }
  Result<void> expect(std::span<const NamedSize> sizes, std::optional<std::uint64_t> calls) override {
    return kernel_->expect(sizes, calls);
  }
  std::optional<Configuration> best(const Key& key) const override { return kernel_->best(key); }
  KernelReport report() const override { return kernel_->report(); }

 private:
  const std::unique_ptr<TunedKernel> kernel_;
};

}  // namespace wattune::dynamic

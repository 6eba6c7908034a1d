// The variants of a composition: the programs of its kernels in one configuration, run by its function. An Instance
// chooses, compiles, loads, times and compares them like all variants.
#pragma once

#include <memory>
#include <vector>

#include "dynamic/calls/variant_source.h"
#include "dynamic/composition/composition.h"

namespace wattune::inline v0_1::dynamic {

class CompositionVariants : public VariantSource {
 public:
  // Takes the code of the kernels, in the composition's order. The streams must outlive this object.
  CompositionVariants(std::shared_ptr<Composition> composition, std::vector<std::unique_ptr<KernelCode>> code,
                      Streams& streams)
      : composition_(std::move(composition)), code_(std::move(code)), streams_(streams) {}

  void expect(const void* owner, const Problem& problem, std::span<const Configuration> configurations,
              bool urgently) override;
  bool is_ready(const Problem& problem, const Configuration& configuration) const override;
  bool is_loaded(const Problem& problem, const Configuration& configuration) const override;
  void forget(const Lane& lane) override { composition_->forget(lane); }
  // Makes a variant. Every kernel must compile in every configuration, since it is unknown which kernels the function
  // will launch.
  Result<std::shared_ptr<Variant>> make(std::shared_ptr<const Problem> problem,
                                        const Configuration& configuration) override;
  void expect_generic(const Problem& problem, const Configuration& configuration) override;
  bool is_generic_ready() const override;
  Result<std::shared_ptr<Variant>> make_generic(std::shared_ptr<const Problem> problem,
                                                const Configuration& configuration) override;

 private:
  using Load = Result<std::shared_ptr<backend::Program>> (KernelCode::*)(const KernelCode::Macros& macros);

  Result<std::shared_ptr<Variant>> make_with(Load load, std::shared_ptr<const Problem> problem,
                                             const Configuration& configuration);

  const std::shared_ptr<Composition> composition_;
  const std::vector<std::unique_ptr<KernelCode>> code_;
  Streams& streams_;
};

}  // namespace wattune::dynamic

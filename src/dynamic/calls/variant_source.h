// VariantSource: the source of an instance's variants. It makes variants from the code of one kernel (KernelVariants),
// or from the code of several kernels and the application's function (CompositionVariants). Any thread may use it.
#pragma once

#include <memory>
#include <span>

#include "dynamic/calls/variant.h"
#include "dynamic/loading/kernel_code.h"

namespace wattune::inline v0_1::dynamic {

class VariantSource {
 public:
  virtual ~VariantSource() = default;
  // Announces the configurations of the problem for which this owner will probably make variants, the next first. It
  // replaces the owner's earlier announcement. If `urgently` is true, the owner has nothing to run until one of them is
  // made.
  virtual void expect(const void* owner, const Problem& problem, std::span<const Configuration> configurations,
                      bool urgently = false) = 0;
  // True if make() need not wait for a compiler.
  virtual bool is_ready(const Problem& problem, const Configuration& configuration) const = 0;
  // True if make() need neither wait for a compiler nor load code.
  virtual bool is_loaded(const Problem& problem, const Configuration& configuration) const = 0;
  // Releases what is kept for a stream that is about to be destroyed.
  virtual void forget(const Lane& /*lane*/) {}
  // Makes a variant. Errors are those of KernelCode::load() and make_variant().
  virtual Result<std::shared_ptr<Variant>> make(std::shared_ptr<const Problem> problem,
                                                const Configuration& configuration) = 0;
  // The next functions do the same as KernelCode::expect_generic() and KernelCode::is_generic_ready().

  virtual void expect_generic(const Problem& problem, const Configuration& configuration) = 0;
  virtual bool is_generic_ready() const = 0;
  // Makes a variant with the programs of KernelCode::generic().
  virtual Result<std::shared_ptr<Variant>> make_generic(std::shared_ptr<const Problem> problem,
                                                        const Configuration& configuration) = 0;
};

class KernelVariants : public VariantSource {
 public:
  // Takes the code. The device and the streams must outlive this object.
  KernelVariants(std::unique_ptr<KernelCode> code, backend::Device& device, Streams& streams)
      : code_(std::move(code)), device_(device), streams_(streams) {}

  void expect(const void* owner, const Problem& problem, std::span<const Configuration> configurations,
              bool urgently) override {
    std::vector<KernelCode::Macros> macros;
    for (const Configuration& each : configurations) macros.push_back(KernelCode::macros_of(problem.spec, each));
    code_->expect(owner, std::move(macros), urgently);
  }
  bool is_ready(const Problem& problem, const Configuration& configuration) const override {
    return code_->is_ready(KernelCode::macros_of(problem.spec, configuration));
  }
  bool is_loaded(const Problem& problem, const Configuration& configuration) const override {
    return code_->is_loaded(KernelCode::macros_of(problem.spec, configuration));
  }
  Result<std::shared_ptr<Variant>> make(std::shared_ptr<const Problem> problem,
                                        const Configuration& configuration) override {
    WATTUNE_ASSIGN(std::shared_ptr<backend::Program> program,
                   code_->load(KernelCode::macros_of(problem->spec, configuration)));
    return make_variant(std::move(problem), configuration, std::move(program), device_, streams_);
  }
  void expect_generic(const Problem& problem, const Configuration& configuration) override {
    code_->expect_generic(KernelCode::macros_of(problem.spec, configuration));
  }
  bool is_generic_ready() const override { return code_->is_generic_ready(); }
  Result<std::shared_ptr<Variant>> make_generic(std::shared_ptr<const Problem> problem,
                                                const Configuration& configuration) override {
    WATTUNE_ASSIGN(std::shared_ptr<backend::Program> program,
                   code_->generic(KernelCode::macros_of(problem->spec, configuration)));
    return make_variant(std::move(problem), configuration, std::move(program), device_, streams_);
  }

 private:
  const std::unique_ptr<KernelCode> code_;
  backend::Device& device_;
  Streams& streams_;
};

}  // namespace wattune::dynamic

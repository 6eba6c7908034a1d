#include "dynamic/composition/composition_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "dynamic/composition/composition_context.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

struct Marks {
  MarkedSpan all;
  std::vector<MarkedSpan> transfers;
};

class CompositionVariant : public Variant {
 public:
  CompositionVariant(std::shared_ptr<Composition> composition, std::shared_ptr<const Problem> problem,
                     const Configuration& configuration, Programs programs, std::unique_ptr<CompositionFit> first,
                     Streams& streams)
      : composition_(std::move(composition)),
        problem_(std::move(problem)),
        configuration_(configuration),
        programs_(std::move(programs)),
        streams_(streams),
        first_(std::move(first)) {}

  const Configuration& configuration() const override { return configuration_; }
  std::size_t private_bytes() const override { return first_->private_bytes(); }
  bool was_launched() const override { return was_launched_.load(std::memory_order_relaxed); }

  void keep_loaded() override {
    for (const auto& program : programs_) backend::keep_loaded(*program);
  }

  Result<void> check_memory(std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(CompositionFit* const fit, fit_for(arguments));
    return fit->check_memory(arguments);
  }

  Result<void> send(const CallStream& stream, std::span<const CallArgument> arguments) override {
    return run(stream, arguments, nullptr);
  }

  Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) override {
    Marks marks;
    WATTUNE_TRY(run(stream, arguments, &marks));
    return TimedCall(std::move(marks.all), std::move(marks.transfers));
  }

 private:
  // Runs the composition's function. Afterwards stream 0 waits for the other streams, even after an error. Memory stays
  // in the workspace.
  Result<void> run(const CallStream& stream, std::span<const CallArgument> arguments, Marks* marks) {
    WATTUNE_ASSIGN(CompositionFit* const fit, fit_for(arguments));
    WATTUNE_TRY(fit->check_memory(arguments));
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    WATTUNE_ASSIGN(Workspace* const workspace, composition_->workspace(stream));
    const std::lock_guard sending(lane->sending);
    if (workspace->is_held_here()) return calls_itself();
    const Workspace::Hold hold(*workspace);
    const backend::RelaxedCapture relaxed;
    was_launched_.store(true, std::memory_order_relaxed);
    workspace->begin();
    if (marks != nullptr) {
      WATTUNE_ASSIGN(marks->all.before, workspace->mark(*lane));
    }
    const bool leaves_out = marks != nullptr && !composition_->description().times_transfers;
    CompositionContext context(*composition_, *fit, *workspace, configuration_, arguments,
                               leaves_out ? &marks->transfers : nullptr);
    Result<void> ran = call_function(context);
    Result<void> joined = workspace->join();
    if (!ran) return changed_something(context) ? spoilt(ran.error()) : ran;
    WATTUNE_TRY(std::move(joined));
    if (context.launches() == 0) return nothing_launched();
    if (marks != nullptr) {
      WATTUNE_ASSIGN(marks->all.after, workspace->mark(*lane));
    }
    return {};
  }

  Result<void> call_function(CompositionContext& context) const {
    try {
      return composition_->description().run(context);
    } catch (const std::exception& thrown) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the function of composition `{}` threw: {}", composition_->spec().name, thrown.what()));
    } catch (...) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the function of composition `{}` threw", composition_->spec().name));
    }
  }

  // True if the call has changed its inputs, so that a second run would not start from the same inputs.
  bool changed_something(const CompositionContext& context) const {
    if (context.launches() == 0) return false;
    for (const Argument& argument : composition_->spec().arguments)
      if (const auto* vector = std::get_if<VectorArgument>(&argument.kind);
          vector != nullptr && vector->access == ArgumentAccess::read_write)
        return true;
    return false;
  }

  Error spoilt(const Error& error) const {
    return Error(error.code() == ErrorCode::device_lost ? ErrorCode::device_lost : ErrorCode::cancelled,
                 fmt::format("composition `{}` failed with {} after it had launched kernels, and has arguments that it "
                             "reads and writes: {}",
                             composition_->spec().name, configuration_.to_string(), error.message()))
        .hint("write its outputs anew before it is called again");
  }

  Error calls_itself() const {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the function of composition `{}` calls its own composition", composition_->spec().name));
  }

  Error nothing_launched() const {
    return Error(ErrorCode::invalid_argument, fmt::format("composition `{}` launched nothing with {}",
                                                          composition_->spec().name, configuration_.to_string()));
  }

  Result<CompositionFit*> fit_for(std::span<const CallArgument> arguments) {
    if (!problem_->has_other_sizes) return first_.get();
    CallSizes sizes;
    WATTUNE_TRY(composition_->signature().read_sizes(arguments, {}, sizes));
    const std::lock_guard lock(adding_);
    for (const auto& [known, fit] : others_)
      if (known == sizes) return fit.get();
    WATTUNE_ASSIGN(auto problem, Problem::make(problem_->spec, composition_->signature().named(sizes), problem_->key,
                                               problem_.get()));
    WATTUNE_ASSIGN(std::unique_ptr<CompositionFit> fit,
                   CompositionFit::make(composition_, std::move(problem), configuration_, programs_));
    return others_.emplace_back(sizes, std::move(fit)).second.get();
  }

  const std::shared_ptr<Composition> composition_;
  const std::shared_ptr<const Problem> problem_;
  const Configuration configuration_;
  const Programs programs_;
  Streams& streams_;
  const std::unique_ptr<CompositionFit> first_;  // the fit for the problem's own sizes
  std::mutex adding_;                            // guards the next member
  std::vector<std::pair<CallSizes, std::unique_ptr<CompositionFit>>> others_;
  std::atomic<bool> was_launched_ = false;
};

}  // namespace

void CompositionVariants::expect(const void* owner, const Problem& problem,
                                 std::span<const Configuration> configurations, bool urgently) {
  std::vector<KernelCode::Macros> macros;
  for (const Configuration& each : configurations) macros.push_back(KernelCode::macros_of(problem.spec, each));
  for (const std::unique_ptr<KernelCode>& code : code_) code->expect(owner, macros, urgently);
}

bool CompositionVariants::is_ready(const Problem& problem, const Configuration& configuration) const {
  const KernelCode::Macros macros = KernelCode::macros_of(problem.spec, configuration);
  return std::ranges::all_of(code_, [&](const auto& code) { return code->is_ready(macros); });
}

bool CompositionVariants::is_loaded(const Problem& problem, const Configuration& configuration) const {
  const KernelCode::Macros macros = KernelCode::macros_of(problem.spec, configuration);
  return std::ranges::all_of(code_, [&](const auto& code) { return code->is_loaded(macros); });
}

Result<std::shared_ptr<Variant>> CompositionVariants::make(std::shared_ptr<const Problem> problem,
                                                           const Configuration& configuration) {
  return make_with(&KernelCode::load, std::move(problem), configuration);
}

void CompositionVariants::expect_generic(const Problem& problem, const Configuration& configuration) {
  for (const std::unique_ptr<KernelCode>& code : code_)
    code->expect_generic(KernelCode::macros_of(problem.spec, configuration));
}

bool CompositionVariants::is_generic_ready() const {
  return std::ranges::all_of(code_, [](const auto& code) { return code->is_generic_ready(); });
}

Result<std::shared_ptr<Variant>> CompositionVariants::make_generic(std::shared_ptr<const Problem> problem,
                                                                   const Configuration& configuration) {
  return make_with(&KernelCode::generic, std::move(problem), configuration);
}

Result<std::shared_ptr<Variant>> CompositionVariants::make_with(Load load, std::shared_ptr<const Problem> problem,
                                                                const Configuration& configuration) {
  const KernelCode::Macros macros = KernelCode::macros_of(problem->spec, configuration);
  Programs programs;
  for (const std::unique_ptr<KernelCode>& code : code_) {
    WATTUNE_ASSIGN(std::shared_ptr<backend::Program> program, ((*code).*load)(macros));
    programs.push_back(std::move(program));
  }
  WATTUNE_ASSIGN(std::unique_ptr<CompositionFit> fit,
                 CompositionFit::make(composition_, problem, configuration, programs));
  return std::shared_ptr<Variant>(std::make_shared<CompositionVariant>(composition_, std::move(problem), configuration,
                                                                       std::move(programs), std::move(fit), streams_));
}

}  // namespace wattune::dynamic

#include "dynamic/calls/variant.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "dynamic/calls/fit.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

class LoadedVariant : public Variant {
 public:
  static Result<std::shared_ptr<Variant>> make(std::shared_ptr<const Problem> problem,
                                               const Configuration& configuration,
                                               std::shared_ptr<backend::Program> program, backend::Device& device,
                                               Streams& streams) {
    WATTUNE_ASSIGN(Signature signature, Signature::make(problem->spec));
    const std::shared_ptr<LoadedVariant> variant(new LoadedVariant(
        std::move(problem), configuration, std::move(program), std::move(signature), device, streams));
    WATTUNE_ASSIGN(variant->first_, variant->fit_to(variant->problem_, CallSizes()));
    return std::shared_ptr<Variant>(variant);
  }

  const Configuration& configuration() const override { return configuration_; }
  std::size_t private_bytes() const override { return first_->private_bytes(); }
  std::size_t launches() const override { return first_->launches(); }
  bool was_launched() const override { return was_launched_.load(std::memory_order_relaxed); }

  void keep_loaded() override { backend::keep_loaded(*program_); }

  Result<void> check_memory(std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(Fit* const fit, fit_for(arguments));
    return fit->check_memory(arguments);
  }

  Result<void> send(const CallStream& stream, std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(Fit* const fit, fit_for(arguments));
    WATTUNE_TRY(fit->check_memory(arguments));
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    const std::lock_guard lock(lane->sending);
    note_launched();
    return fit->send(*lane, arguments);
  }

  LaidOut laid_out(Lane& lane, std::span<const CallArgument> arguments) override {
    const Result<Fit*> fit = fit_for(arguments);
    const Result<Layout*> layout = fit ? (*fit)->layout_in(lane, arguments) : fit.error();
    return layout ? LaidOut{*fit, *layout} : LaidOut();
  }

  std::vector<CallArgument> call_in(const backend::GraphLaunch& launch) const override {
    return problem_->has_other_sizes ? std::vector<CallArgument>() : first_->call_in(launch);
  }
  Result<void> replace(const CallStream& stream, std::span<const CallArgument> arguments,
                       const backend::GraphLaunch& launch, CUgraphExec_st* executable) override {
    WATTUNE_TRY(first_->check_memory(arguments));
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    const std::lock_guard lock(lane->sending);
    return first_->replace(*lane, arguments, launch, executable);
  }

  // Sends a timed call. Events may be created while another thread captures a graph.
  Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(Fit* const fit, fit_for(arguments));
    WATTUNE_TRY(fit->check_memory(arguments));
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    const std::lock_guard lock(lane->sending);
    const backend::RelaxedCapture relaxed;
    note_launched();
    WATTUNE_ASSIGN(std::vector<std::unique_ptr<backend::Event>> events, fit->send_timed(*lane, arguments));
    return TimedCall(std::move(events));
  }

 private:
  LoadedVariant(std::shared_ptr<const Problem> problem, Configuration configuration,
                std::shared_ptr<backend::Program> program, Signature signature, backend::Device& device,
                Streams& streams)
      : problem_(std::move(problem)),
        configuration_(std::move(configuration)),
        program_(std::move(program)),
        signature_(std::move(signature)),
        device_(device),
        streams_(streams) {}

  // Records the first launch. The flag is written only once, because other threads read it at each call.
  void note_launched() {
    if (!was_launched()) was_launched_.store(true, std::memory_order_relaxed);
  }

  Result<std::unique_ptr<Fit>> fit_to(std::shared_ptr<const Problem> problem, const CallSizes& sizes) const {
    return Fit::make(std::move(problem), sizes, signature_, configuration_, *program_, device_);
  }

  Result<Fit*> fit_for(std::span<const CallArgument> arguments) {
    if (!problem_->has_other_sizes) return first_.get();
    CallSizes sizes;
    WATTUNE_TRY(signature_.read_sizes(arguments, {}, sizes));
    const auto is_it = [&](const Fit& fit) { return fit.sizes() == sizes; };
    if (Fit* const known = others_.find(sizes.hash(), is_it)) return known;
    const std::lock_guard lock(adding_);
    if (Fit* const known = others_.find(sizes.hash(), is_it)) return known;
    WATTUNE_ASSIGN(const auto problem,
                   Problem::make(problem_->spec, signature_.named(sizes), problem_->key, problem_.get()));
    WATTUNE_ASSIGN(std::unique_ptr<Fit> fit, fit_to(problem, sizes));
    return &others_.add(sizes.hash(), std::move(fit));
  }

  const std::shared_ptr<const Problem> problem_;
  const Configuration configuration_;
  const std::shared_ptr<backend::Program> program_;
  const Signature signature_;
  backend::Device& device_;
  Streams& streams_;
  std::unique_ptr<Fit> first_;  // the fit for the problem's own sizes
  std::mutex adding_;
  LastingTable<Fit, 64> others_;
  std::atomic<bool> was_launched_ = false;
};

}  // namespace

Result<void> Variant::replace(const CallStream&, std::span<const CallArgument>, const backend::GraphLaunch&,
                              CUgraphExec_st*) {
  return Error(ErrorCode::unavailable, "a composition is not one launch, which a graph could have in another's place");
}

Result<bool> MarkedSpan::ready() const {
  WATTUNE_ASSIGN(const bool begun, before->ready());
  if (!begun) return false;
  return after->ready();
}

Result<Nanoseconds> MarkedSpan::duration() const {
  WATTUNE_ASSIGN(const Nanoseconds begin, before->end());
  WATTUNE_ASSIGN(const Nanoseconds end, after->start());
  return std::max(Nanoseconds(), end - begin);
}

Result<bool> TimedCall::ready() const {
  // Without relaxed capture, querying the event would end the capture of another thread.
  const backend::RelaxedCapture relaxed;
  if (all_) return all_->ready();  // this span ends after all others
  for (const std::unique_ptr<backend::Event>& event : events_) {
    WATTUNE_ASSIGN(const bool ready, event->ready());
    if (!ready) return false;
  }
  return true;
}

Result<Nanoseconds> TimedCall::duration() const {
  Nanoseconds sum;
  if (all_) {
    WATTUNE_ASSIGN(sum, all_->duration());
  }
  for (const std::unique_ptr<backend::Event>& event : events_) {
    WATTUNE_ASSIGN(const Nanoseconds one, event->duration());
    sum += one;
  }
  for (const MarkedSpan& each : left_out_) {
    WATTUNE_ASSIGN(const Nanoseconds one, each.duration());
    sum = std::max(Nanoseconds(), sum - one);
  }
  return sum;
}

Result<std::shared_ptr<Variant>> make_variant(std::shared_ptr<const Problem> problem,
                                              const Configuration& configuration,
                                              std::shared_ptr<backend::Program> program, backend::Device& device,
                                              Streams& streams) {
  return LoadedVariant::make(std::move(problem), configuration, std::move(program), device, streams);
}

}  // namespace wattune::dynamic

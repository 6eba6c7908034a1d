#include "dynamic/variant.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "dynamic/layout.h"
#include "dynamic/memory_check.h"
#include "wattune/backend/attach.h"

namespace wattune::dynamic {

namespace {

class LoadedVariant : public Variant {
 public:
  LoadedVariant(std::shared_ptr<const Problem> problem, Configuration configuration,
                std::shared_ptr<backend::Program> program, LaunchParts parts, std::size_t private_bytes,
                backend::Device& device, Streams& streams)
      : problem_(std::move(problem)),
        configuration_(std::move(configuration)),
        program_(std::move(program)),
        parts_(std::move(parts)),
        memory_(problem_->spec, parts_.signature, parts_.launch.arguments),
        private_bytes_(private_bytes),
        device_(device),
        streams_(streams) {}

  const Configuration& configuration() const override { return configuration_; }
  std::size_t private_bytes() const override { return private_bytes_; }
  bool was_launched() const override { return was_launched_.load(std::memory_order_relaxed); }
  bool was_captured() const override { return was_captured_.load(std::memory_order_relaxed); }
  std::shared_ptr<backend::Program> program() const override { return program_; }

  Result<void> check_memory(std::span<const CallArgument> arguments) override {
    return memory_.check(arguments, device_);
  }

  Result<void> send(const CallStream& stream, std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    const std::lock_guard lock(lane->sending);
    if (lane->stream->is_capturing()) was_captured_.store(true, std::memory_order_relaxed);
    WATTUNE_ASSIGN(Layout* const layout, layout_in(*lane, arguments));
    note_launched();
    return layout->send(arguments);
  }

  // Events may be made while another thread captures.
  Result<TimedCall> send_timed(const CallStream& stream, std::span<const CallArgument> arguments) override {
    WATTUNE_ASSIGN(Lane* const lane, streams_.find(stream));
    const std::lock_guard lock(lane->sending);
    const backend::RelaxedCapture relaxed;
    WATTUNE_ASSIGN(Layout* const layout, layout_in(*lane, arguments));
    note_launched();
    std::vector<std::unique_ptr<backend::Event>> events;
    WATTUNE_TRY(layout->send(arguments, &events));
    return TimedCall(std::move(events));
  }

 private:
  // Written once: other threads read it at each call.
  void note_launched() {
    if (!was_launched()) was_launched_.store(true, std::memory_order_relaxed);
  }

  // The lane is locked, so that no other thread adds a layout for it.
  Result<Layout*> layout_in(Lane& lane, std::span<const CallArgument> arguments) {
    const std::size_t hash = reinterpret_cast<std::uintptr_t>(&lane) / alignof(std::max_align_t) / 8;
    Layout* const known =
        layouts_.find(hash, [&](const Layout& layout) { return &layout.lane() == &lane && layout.suits(arguments); });
    if (known != nullptr) return known;
    WATTUNE_ASSIGN(std::unique_ptr<Layout> made, Layout::make(lane, parts_, device_, arguments));
    const std::lock_guard lock(adding_);
    return &layouts_.add(hash, std::move(made));
  }

  const std::shared_ptr<const Problem> problem_;
  const Configuration configuration_;
  const std::shared_ptr<backend::Program> program_;
  const LaunchParts parts_;
  MemoryCheck memory_;
  const std::size_t private_bytes_;
  backend::Device& device_;
  Streams& streams_;
  std::mutex adding_;
  LastingTable<Layout, 16> layouts_;
  std::atomic<bool> was_launched_ = false;
  std::atomic<bool> was_captured_ = false;
};

}  // namespace

Result<bool> TimedCall::ready() const {
  const backend::RelaxedCapture relaxed;  // else asking would end the capture of another thread
  for (const std::unique_ptr<backend::Event>& event : events_) {
    WATTUNE_ASSIGN(const bool ready, event->ready());
    if (!ready) return false;
  }
  return true;
}

Result<Nanoseconds> TimedCall::duration() const {
  Nanoseconds sum;
  for (const std::unique_ptr<backend::Event>& event : events_) {
    WATTUNE_ASSIGN(const Nanoseconds one, event->duration());
    sum += one;
  }
  return sum;
}

Result<std::shared_ptr<Variant>> make_variant(std::shared_ptr<const Problem> problem,
                                              const Configuration& configuration,
                                              std::shared_ptr<backend::Program> program, backend::Device& device,
                                              Streams& streams) {
  WATTUNE_ASSIGN(tune::Launch launch, problem->plan.evaluate(configuration));
  if (const std::string beyond = tune::limit_exceeded(launch, device.info()); !beyond.empty())
    return Error(ErrorCode::launch_failed, fmt::format("configuration {} needs {}", configuration.to_string(), beyond));
  WATTUNE_ASSIGN(Signature signature, Signature::make(problem->spec));
  LaunchParts parts{problem->spec.arguments, std::move(signature), std::move(launch), {}};
  std::size_t private_bytes = 0;
  for (const tune::PlannedStep& step : parts.launch.steps) {
    std::unique_ptr<backend::Kernel>& kernel = parts.kernels[step.function];
    if (kernel == nullptr) {
      WATTUNE_ASSIGN(kernel, program->kernel(step.function));
    }
    WATTUNE_ASSIGN(const KernelResources resources,
                   kernel->resources(tune::group_items(step), tune::local_bytes(parts.launch, step)));
    private_bytes = std::max<std::size_t>(private_bytes, resources.private_bytes.value_or(0));
  }
  return std::shared_ptr<Variant>(std::make_shared<LoadedVariant>(std::move(problem), configuration, std::move(program),
                                                                  std::move(parts), private_bytes, device, streams));
}

void keep_for_ever(std::shared_ptr<Variant> variant) {
  if (!variant || !variant->was_captured()) return;
  static std::mutex adding;
  static auto* const kept = new std::vector<std::shared_ptr<Variant>>;  // never destroyed: drivers end before
  const std::lock_guard lock(adding);
  kept->push_back(std::move(variant));
}

}  // namespace wattune::dynamic

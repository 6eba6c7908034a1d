#include "dynamic/calls/tuned_kernel.h"

#include <fmt/format.h>

#include <exception>

#include "dynamic/tuning/tune_now.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Adds a hint to the error of a broken context. The hint tells what the loss of the context means for the application,
// because drivers do not tell it.
Result<void> with_meaning(Result<void> sent) {
  if (sent || sent.error().code() != ErrorCode::device_lost || !sent.error().advice().empty()) return sent;
  return std::move(sent).error().hint(
      "the context is broken, and what it held is lost: only the application can make another and attach to that");
}

// Returns the rule, with limits that it does not set taken from `otherwise`.
search::StopRule with_defaults(search::StopRule rule, const search::StopRule& otherwise) {
  const auto complete = [&](auto member) {
    if (!(rule.*member)) rule.*member = otherwise.*member;
  };
  complete(&search::StopRule::evaluations);
  complete(&search::StopRule::time);
  complete(&search::StopRule::target);
  complete(&search::StopRule::fraction);
  complete(&search::StopRule::no_improvement);
  return rule;
}

}  // namespace

TunedKernel::TunedKernel(KernelParts parts, Signature signature, Surroundings& around, const Attachment& attachment,
                         std::function<void(TunedKernel*)> gone)
    : parts_(std::move(parts)),
      signature_(std::move(signature)),
      around_(around),
      attachment_(attachment),
      gone_(std::move(gone)),
      mode_(parts_.options.policy.mode) {}

// Destroys the kernel. In a forked process, the instances are not destroyed, since they would wait for threads and
// processes that do not exist there.
TunedKernel::~TunedKernel() {
  if (attachment_.is_forked()) {
    for (auto& [key, instance] : instances_) static_cast<void>(instance.release());
    static_cast<void>(parts_.variants.release());
  } else {
    gone_(this);
  }
}

Result<void> TunedKernel::call(const CallStream& stream, std::span<const CallArgument> arguments,
                               const CallOptions& options) {
  WATTUNE_TRY(attachment_.check());
  WATTUNE_TRY(signature_.check(arguments));
  const Call call{stream, arguments, options.mode.value_or(mode())};
  if (Shortcut* const last = options.sizes.empty() ? shortcut_in(stream) : nullptr) {
    std::unique_lock lock(last->lane().sending);
    if (last->is_for(arguments, signature_)) {
      Instance& instance = last->instance();
      Variant* const steady = begin(instance, call);
      if (steady != last->variant()) {
        lock.unlock();
        return send(instance, steady, call);
      }
      Result<void> sent = last->send(arguments);
      lock.unlock();
      return sent ? sent : failed(instance, *steady, call, std::move(sent).error());
    }
  }
  CallSizes sizes;
  WATTUNE_TRY(signature_.read_sizes(arguments, options.sizes, sizes));
  WATTUNE_ASSIGN(Instance* const instance, instance_of(sizes));
  Variant* const steady = begin(*instance, call);
  WATTUNE_TRY(send(*instance, steady, call));
  if (steady != nullptr && options.sizes.empty()) shorten(call, sizes, *instance, *steady);
  return {};
}

// Counts a call. Returns the best known variant if the call is steady, and nullptr otherwise.
Variant* TunedKernel::begin(Instance& instance, const Call& call) {
  CallPath& path = instance.path();
  const std::uint64_t number = path.count();
  if (around_.tuning.load(std::memory_order_relaxed) > 0) around_.loader.note_launch(call.stream, path.expected());
  return path.steady(call.mode, number);
}

Result<void> TunedKernel::send(Instance& instance, Variant* steady, const Call& call) {
  if (steady == nullptr) return with_meaning(instance.call(call));
  Result<void> sent = steady->send(call.stream, call.arguments);
  return sent ? sent : failed(instance, *steady, call, std::move(sent).error());
}

Result<void> TunedKernel::failed(Instance& instance, const Variant& steady, const Call& call, Error error) {
  if (error.code() != ErrorCode::launch_failed) return with_meaning(std::move(error));
  return with_meaning(instance.call_again(call, steady, std::move(error)));
}

Shortcut* TunedKernel::shortcut_in(const CallStream& stream) const {
  return shortcuts_.find(Streams::place_of(stream), [&](const Shortcut& each) { return each.lane().name == stream; });
}

// Makes a shortcut for calls like this one. Makes none for a stream object of this library, since another object may
// later have its address.
void TunedKernel::shorten(const Call& call, const CallSizes& sizes, Instance& instance, Variant& steady) {
  if (call.stream.kind() == CallStream::Kind::ours || !Shortcut::has_no_buffers(call.arguments)) return;
  Lane* const lane = around_.streams.find_opened(call.stream);
  if (lane == nullptr) return;
  const std::lock_guard sending(lane->sending);
  const LaidOut laid_out = steady.laid_out(*lane, call.arguments);
  if (laid_out.layout == nullptr) return;
  Shortcut* shortcut = shortcut_in(call.stream);
  if (shortcut == nullptr) {
    const std::lock_guard adding(mutex_);
    shortcut = &shortcuts_.add(Streams::place_of(call.stream), std::make_unique<Shortcut>(*lane));
  }
  shortcut->lead(sizes, instance, steady, laid_out);
}

Result<Instance*> TunedKernel::instance_of(const CallSizes& sizes) {
  const auto is_it = [&](const Known& known) { return known.sizes == sizes; };
  const std::size_t hash = sizes.hash();
  if (const Known* const known = known_.find(hash, is_it)) return known->instance;
  const std::lock_guard lock(mutex_);
  if (const Known* const known = known_.find(hash, is_it)) return known->instance;
  WATTUNE_ASSIGN(Instance* const instance, instance_at(signature_.named(sizes)));
  return known_.add(hash, std::make_unique<Known>(Known{sizes, instance})).instance;
}

Result<Key> TunedKernel::key_at(const std::vector<NamedSize>& sizes) const {
  if (!parts_.options.key) return key_of(sizes);
  const std::string kernel = parts_.spec.name;
  try {
    return parts_.options.key(sizes);
  } catch (const std::exception& thrown) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the key function of kernel `{}` threw: {}", kernel, thrown.what()));
  } catch (...) {
    return Error(ErrorCode::invalid_argument, fmt::format("the key function of kernel `{}` threw", kernel));
  }
}

Result<Instance*> TunedKernel::instance_at(const std::vector<NamedSize>& sizes) {
  WATTUNE_ASSIGN(Key key, key_at(sizes));
  std::unique_ptr<Instance>& instance = instances_[to_string(key)];
  if (instance != nullptr) return instance.get();
  Result<std::shared_ptr<const Problem>> problem =
      Problem::make(parts_.spec, sizes, std::move(key), first_.get(), parts_.options.key != nullptr);
  if (!problem) return std::move(problem).error();
  if (first_ == nullptr) first_ = *problem;
  instance = std::make_unique<Instance>(*std::move(problem), parts_, around_);
  around_.stall_budget.begin(around_.now());
  return instance.get();
}

Result<KeySearch> TunedKernel::plan_now(const Problem& problem, const std::optional<Configuration>& best,
                                        const search::StopRule& stop) const {
  TuningPolicy policy = parts_.options.policy;
  policy.stop = with_defaults(stop, policy.stop);
  policy.safety = Safety::screened;  // so that no call runs a candidate
  return plan_key_search(problem, policy, best ? std::vector{*best} : std::vector<Configuration>());
}

Result<tune::TuningResult> TunedKernel::tune_now(const CallStream& stream, std::span<const CallArgument> arguments,
                                                 const CallOptions& options, const search::StopRule& stop) {
  WATTUNE_TRY(attachment_.check());
  WATTUNE_TRY(signature_.check(arguments));
  CallSizes sizes;
  WATTUNE_TRY(signature_.read_sizes(arguments, options.sizes, sizes));
  WATTUNE_ASSIGN(Instance* const instance, instance_of(sizes));
  WATTUNE_ASSIGN(Lane* const lane, around_.streams.find(stream));
  const backend::RelaxedCapture relaxed;
  if (lane->stream->is_capturing())
    return Error(ErrorCode::unavailable, "a stream that is captured is not finished, so nothing is tuned now");
  WATTUNE_ASSIGN(const auto problem, Problem::make(parts_.spec, signature_.named(sizes), instance->key()));
  WATTUNE_ASSIGN(const KeySearch search, plan_now(*problem, instance->best(), stop));
  std::unique_ptr<backend::Device> apart;
  if (parts_.options.policy.safety == Safety::screened) {
    WATTUNE_ASSIGN(apart, parts_.open_apart());
  }
  backend::Device& on = apart ? *apart : around_.device;
  WATTUNE_ASSIGN(tune::TuningResult result,
                 dynamic::tune_now({*problem, signature_, arguments, around_.device, *lane, on}, search));
  if (!result.best) return result;
  const Observation& best = result.best->observation;
  if (best.verified || parts_.options.policy.adopt_unverified)
    WATTUNE_TRY(instance->adopt(*result.best));
  else
    around_.note(fmt::format("kernel `{}`, {}: {} is not used, as it is not verified: {}", parts_.spec.name,
                             to_string(instance->key()), result.best->configuration.to_string(), best.message));
  return result;
}

Instance* TunedKernel::known_at(const Key& key) const {
  const auto found = instances_.find(to_string(key));
  return found == instances_.end() ? nullptr : found->second.get();
}

void TunedKernel::retune(const Key& key) {
  const std::lock_guard lock(mutex_);
  for (const auto& [words, instance] : instances_)
    if (instance != nullptr && (key.empty() || instance->key() == key)) instance->retune();
}

Result<void> TunedKernel::preload(std::span<const NamedSize> sizes) {
  WATTUNE_TRY(attachment_.check());
  CallSizes all;
  WATTUNE_TRY(signature_.read_sizes({}, sizes, all));
  WATTUNE_ASSIGN(Instance* const instance, instance_of(all));
  return instance->preload();
}

Result<void> TunedKernel::expect(std::span<const NamedSize> sizes, std::optional<std::uint64_t> calls) {
  WATTUNE_TRY(attachment_.check());
  CallSizes all;
  WATTUNE_TRY(signature_.read_sizes({}, sizes, all));
  WATTUNE_ASSIGN(Instance* const instance, instance_of(all));
  instance->expect(calls, mode() != Mode::best);
  const std::lock_guard lock(mutex_);
  if (std::ranges::count(expected_, instance) == 0) expected_.push_back(instance);
  return {};
}

// Requests the candidates of expected keys. It is called when the application announces a gap. Does nothing while
// another thread holds the lock to make a key.
void TunedKernel::want_ahead() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  std::erase_if(expected_, [](Instance* instance) { return !instance->want_ahead(); });
}

Result<std::size_t> TunedKernel::update_graph(const CallStream& stream, CUgraphExec_st* executable, CUgraph_st* graph) {
  WATTUNE_TRY(attachment_.check());
  WATTUNE_ASSIGN(const std::vector<backend::GraphLaunch> launches, backend::launches_in(around_.device, graph));
  std::size_t replaced = 0;
  for (const backend::GraphLaunch& launch : launches) {
    WATTUNE_ASSIGN(const bool mine, replace(stream, launch, executable));
    if (mine) ++replaced;
  }
  return replaced;
}

Result<bool> TunedKernel::replace(const CallStream& stream, const backend::GraphLaunch& launch,
                                  CUgraphExec_st* executable) {
  std::vector<const Known*> all;
  known_.for_each([&](const Known& known) { all.push_back(&known); });
  for (const Known* const known : all) {
    const auto agrees = [&](std::span<const CallArgument> arguments) {
      return signature_.agrees(arguments, known->sizes);
    };
    WATTUNE_ASSIGN(const bool mine, known->instance->replace(stream, launch, executable, agrees));
    if (mine) return true;
  }
  return false;
}

std::optional<Configuration> TunedKernel::best(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const Instance* const instance = known_at(key);
  return instance == nullptr ? std::nullopt : instance->best();
}

KernelReport TunedKernel::report() const {
  KernelReport report;
  report.kernel = parts_.spec.name;
  const std::lock_guard lock(mutex_);
  for (const auto& [words, instance] : instances_)
    if (instance != nullptr) instance->report(report);
  return report;
}

}  // namespace wattune::dynamic

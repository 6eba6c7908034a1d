// TunedKernel: the TunableKernel that a Tuner makes. It finds the instance that runs a call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dynamic/calls/attachment.h"
#include "dynamic/calls/instance.h"
#include "dynamic/calls/lasting_table.h"
#include "dynamic/calls/shortcut.h"
#include "dynamic/calls/signature.h"
#include "dynamic/tuning/key_search.h"
#include "wattune/dynamic/tunable_kernel.h"

namespace wattune::inline v0_1::dynamic {

class TunedKernel : public TunableKernel {
 public:
  // Takes the parts of the kernel. The destructor calls `gone` with this kernel.
  TunedKernel(KernelParts parts, Signature signature, Surroundings& around, const Attachment& attachment,
              std::function<void(TunedKernel*)> gone);
  TunedKernel(const TunedKernel&) = delete;
  TunedKernel& operator=(const TunedKernel&) = delete;
  ~TunedKernel() override;

  Result<void> call(const CallStream& stream, std::span<const CallArgument> arguments,
                    const CallOptions& options) override;
  Result<tune::TuningResult> tune_now(const CallStream& stream, std::span<const CallArgument> arguments,
                                      const CallOptions& options, const search::StopRule& stop) override;
  void set_mode(Mode mode) override { mode_.store(mode, std::memory_order_relaxed); }
  Mode mode() const override { return mode_.load(std::memory_order_relaxed); }
  void retune(const Key& key) override;
  Result<void> preload(std::span<const NamedSize> sizes) override;
  Result<void> expect(std::span<const NamedSize> sizes, std::optional<std::uint64_t> calls) override;
  Result<std::size_t> update_graph(const CallStream& stream, CUgraphExec_st* executable, CUgraph_st* graph) override;
  std::optional<Configuration> best(const Key& key) const override;
  KernelReport report() const override;
  // Requests the candidates that tuning found for keys which are expected and not called yet. If a key is called, its
  // calls request its candidates.
  void want_ahead();
  // Releases memory and launches that are kept for a stream that is about to be destroyed.
  void forget(const Lane& lane) { parts_.variants->forget(lane); }

 private:
  // The sizes of calls, with the instance for the key of these sizes.
  struct Known {
    CallSizes sizes;
    Instance* instance;
  };

  Shortcut* shortcut_in(const CallStream& stream) const;
  void shorten(const Call& call, const CallSizes& sizes, Instance& instance, Variant& steady);
  Variant* begin(Instance& instance, const Call& call);
  static Result<void> send(Instance& instance, Variant* steady, const Call& call);
  static Result<void> failed(Instance& instance, const Variant& steady, const Call& call, Error error);
  Result<Instance*> instance_of(const CallSizes& sizes);
  Result<Instance*> instance_at(const std::vector<NamedSize>& sizes);
  Result<KeySearch> plan_now(const Problem& problem, const std::optional<Configuration>& best,
                             const search::StopRule& stop) const;
  Result<bool> replace(const CallStream& stream, const backend::GraphLaunch& launch, CUgraphExec_st* executable);
  Result<Key> key_at(const std::vector<NamedSize>& sizes) const;
  Instance* known_at(const Key& key) const;

  KernelParts parts_;
  const Signature signature_;
  Surroundings& around_;
  const Attachment& attachment_;
  const std::function<void(TunedKernel*)> gone_;
  std::atomic<Mode> mode_;
  LastingTable<Known, 4096> known_;
  LastingTable<Shortcut, 16> shortcuts_;
  mutable std::mutex mutex_;  // guards the members below, and additions to both tables
  std::map<std::string, std::unique_ptr<Instance>> instances_;  // instances, by the texts of their keys
  std::shared_ptr<const Problem> first_;                        // problem of the first key, whose space all share
  std::vector<Instance*> expected_;                             // instances of keys that had no call at the last check
};

}  // namespace wattune::dynamic

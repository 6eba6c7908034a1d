#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>

#include "simulate/gpu/engine.h"
#include "simulate/gpu/fluid_rates.h"

namespace wattune::inline v0_1::simulate {

namespace {

// Blocks end together if their ends differ by less than one of these: a time in ns, or a relative rounding error. The
// rounding error is larger for late moments and for much progress.
constexpr double kSameMoment = 1e-6;
constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();

struct FluidBlock {
  double end = 0.0;  // end of the block, measured by the progress of its group
  std::size_t slot = 0;

  bool operator>(const FluidBlock& other) const { return end > other.end; }
};

// The blocks of one kernel on one SM, which progress at the same rate.
struct FluidGroup {
  KernelId kernel = 0;
  double progress = 0.0;    // work done by each block of the group since the group began
  double rate = 0.0;        // work of each block per ns
  double since = 0.0;       // moment in ns to which `progress` refers
  double dram_bytes = 0.0;  // DRAM bytes per instruction, with the cache hits beside the other kernels
  std::priority_queue<FluidBlock, std::vector<FluidBlock>, std::greater<>> blocks = {};

  double next_end() const { return since + (blocks.top().end - progress) / rate; }
};

// The rates on SMs that have the same residents.
struct FluidKind {
  FluidSm sm;
  std::vector<double> rates;  // for each load, work of each of its blocks per ns
};

class FluidEngine final : public Engine {
 public:
  explicit FluidEngine(const GpuModel& gpu) : gpu_(gpu), clocks_{gpu.clock}, sms_(gpu.sms), kinds_of_sms_(gpu.sms) {}

  void add_kernel(const SimulatedKernel& kernel) override {
    kernels_.push_back(kernel);
    counters_.instructions_of.push_back(0.0);
  }

  void set_clocks(const GpuClocks& clocks) override {
    if (clocks == clocks_) return;
    clocks_ = clocks;
    kinds_.clear();
    std::ranges::fill(kinds_of_sms_, nullptr);
    settled_ = false;
  }

  void start(const BlockStart& block) override {
    FluidGroup& group = group_of(block.sm, block.kernel);
    pass(group, now_);
    const double solo = kernels_[block.kernel].instructions * cycles_alone(block.kernel) * 1e3 / clocks_.core.value();
    group.blocks.push({group.progress + block.work + block.overhead / solo, block.slot});
    kinds_of_sms_[block.sm] = nullptr;
    settled_ = false;
  }

  double advance(double limit, std::vector<std::size_t>& ended) override {
    if (!settled_) settle();
    const double next = next_end();
    now_ = std::min(limit, next);
    if (next > limit) return now_;
    for (unsigned sm = 0; sm < sms_.size(); ++sm) end_blocks(sm, ended);
    return now_;
  }

  GpuCounters counters() override {
    for (auto& sm : sms_)
      for (FluidGroup& group : sm) pass(group, now_);
    return counters_;
  }

 private:
  using Sm = std::vector<FluidGroup>;
  using Kinds = std::map<std::vector<ResidentBlocks>, FluidKind>;

  FluidGroup& group_of(unsigned sm, KernelId kernel) {
    const auto found = std::ranges::find(sms_[sm], kernel, &FluidGroup::kernel);
    if (found != sms_[sm].end()) return *found;
    return sms_[sm].emplace_back(FluidGroup{.kernel = kernel, .since = now_});
  }

  double cycles_alone(KernelId kernel) const {
    const ResidentBlocks one{kernel, 1};
    return fluid_sm(gpu_, clocks_.core, kernels_, {&one, 1}).loads.front().cycles;
  }

  void pass(FluidGroup& group, double moment) {
    const double done = group.rate * (moment - group.since);
    const SimulatedKernel& kernel = kernels_[group.kernel];
    const double instructions = done * static_cast<double>(group.blocks.size()) * kernel.instructions_per_block();
    counters_.instructions += instructions;
    counters_.instructions_of[group.kernel] += instructions;
    counters_.l2_bytes += instructions * kernel.l2_bytes();
    counters_.dram_bytes += instructions * group.dram_bytes;
    group.progress += done;
    group.since = moment;
  }

  Kinds::value_type& kind_of(const Sm& sm) {
    std::vector<ResidentBlocks> residents;
    for (const FluidGroup& group : sm) residents.push_back({group.kernel, static_cast<unsigned>(group.blocks.size())});
    std::ranges::sort(residents);
    const auto [entry, is_new] = kinds_.try_emplace(residents);
    if (is_new) entry->second.sm = fluid_sm(gpu_, clocks_.core, kernels_, residents);
    return *entry;
  }

  // Computes all rates anew.
  void settle() {
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
      if (!sms_[sm].empty() && kinds_of_sms_[sm] == nullptr) kinds_of_sms_[sm] = &kind_of(sms_[sm]);
    solve(present_kinds());
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
      for (FluidGroup& group : sms_[sm]) set_rate(group, kinds_of_sms_[sm]->second);
    settled_ = true;
  }

  // Returns the kinds of SMs that are present, each with its number of SMs. The kinds are sorted by residents. Sums
  // over the result do not depend on which SM has which kind. In a long run, many more kinds have occurred than are
  // present.
  std::vector<Kinds::value_type*> present_kinds() const {
    std::vector<Kinds::value_type*> present;
    for (Kinds::value_type* const kind : kinds_of_sms_)
      if (kind != nullptr) kind->second.sm.count = 0;
    for (Kinds::value_type* const kind : kinds_of_sms_)
      if (kind != nullptr && kind->second.sm.count++ == 0) present.push_back(kind);
    std::ranges::sort(
        present, {}, [](const Kinds::value_type* kind) -> const auto& { return kind->first; });
    return present;
  }

  void solve(const std::vector<Kinds::value_type*>& present) {
    std::vector<FluidSm> sms;
    for (const Kinds::value_type* const kind : present) sms.push_back(kind->second.sm);
    const FluidLimits limits = limits_of(gpu_, clocks_);
    delays_ = settled_delays(limits, sms, delays_);
    for (Kinds::value_type* const entry : present) {
      FluidKind& kind = entry->second;
      kind.rates = local_rates(limits, kind.sm, delays_);
      for (std::size_t i = 0; i < kind.rates.size(); ++i)
        kind.rates[i] *= clocks_.core.value() * 1e-3 / kernels_[kind.sm.loads[i].kernel].instructions;
    }
  }

  void set_rate(FluidGroup& group, const FluidKind& kind) {
    pass(group, now_);
    const auto load = std::ranges::find(kind.sm.loads, group.kernel, &FluidLoad::kernel);
    group.rate = kind.rates[static_cast<std::size_t>(load - kind.sm.loads.begin())];
    group.dram_bytes = load->dram_bytes;
  }

  double next_end() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Sm& sm : sms_)
      for (const FluidGroup& group : sm) next = std::min(next, group.next_end());
    return next;
  }

  double same_moment() const { return std::max(kSameMoment, kRounding * now_); }

  void end_blocks(unsigned sm, std::vector<std::size_t>& ended) {
    for (FluidGroup& group : sms_[sm]) {
      if (group.next_end() > now_ + same_moment()) continue;
      pass(group, now_);
      const double close = same_moment() * group.rate + kRounding * group.progress;
      while (!group.blocks.empty() && group.blocks.top().end <= group.progress + close) {
        ended.push_back(group.blocks.top().slot);
        group.blocks.pop();
      }
      kinds_of_sms_[sm] = nullptr;
      settled_ = false;
    }
    std::erase_if(sms_[sm], [](const FluidGroup& group) { return group.blocks.empty(); });
  }

  GpuModel gpu_;
  GpuClocks clocks_;
  std::vector<SimulatedKernel> kernels_;
  std::vector<Sm> sms_;
  Kinds kinds_;
  std::vector<Kinds::value_type*> kinds_of_sms_;  // nullptr for SMs whose residents have changed or that have none
  FluidDelays delays_;
  double now_ = 0.0;
  bool settled_ = true;
  GpuCounters counters_;
};

}  // namespace

std::unique_ptr<Engine> make_fluid_engine(const GpuModel& gpu) { return std::make_unique<FluidEngine>(gpu); }

}  // namespace wattune::simulate

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "simulate/draw.h"
#include "simulate/gpu/engine.h"
#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr KernelId kNobody = std::numeric_limits<KernelId>::max();
constexpr double kWhole = 1.0 - 1e-9;  // a sum of parts above this counts as 1, despite rounding

// A resource that serves requests one after the other, in the order in which they come.
struct Server {
  double free = 0.0;

  // Returns the moment at which the server begins a request, which takes `time`.
  double begin(double moment, double time) {
    const double begins = std::max(moment, free);
    free = begins + time;
    return begins;
  }
  double end(double moment, double time) { return begin(moment, time) + time; }
};

struct Scheduler {
  Server issue;
  unsigned warps = 0;
};

struct WarpSm {
  std::vector<Scheduler> schedulers;
  std::array<Server, kPipes> pipes = {};
  Server l1;
  double in_flight = 0.0;  // number of requests in flight
  unsigned warps = 0;
  std::vector<unsigned> warps_of_kernel = {};
};

struct Warp {
  KernelId kernel = 0;
  std::size_t slot = 0;
  unsigned sm = 0;
  unsigned scheduler = 0;
  std::uint64_t left = 0;  // instructions that remain
  double credit = 0.0;     // accesses since the warp last waited, as a share of memory_parallelism
  unsigned sent = 0;       // accesses of the present instruction that have not reached L2
  double answer = 0.0;     // moment at which its latest access so far is answered
  double in_flight = 0.0;  // number of requests since the warp last waited
  bool waits = false;
};

enum class WarpEventKind { issue, coalesced, scattered };  // issue: the warp continues; others: L2 access

struct WarpEvent {
  double time = 0.0;
  std::uint64_t order = 0;
  std::size_t warp = 0;
  WarpEventKind kind = WarpEventKind::issue;

  bool operator>(const WarpEvent& other) const { return time != other.time ? time > other.time : order > other.order; }
};

class WarpEngine final : public Engine {
 public:
  WarpEngine(const GpuModel& gpu, std::uint64_t seed)
      : gpu_(gpu),
        cycle_(1e3 / gpu.clock.value()),
        dram_rate_(gpu.dram_gigabytes_per_second),
        sms_(gpu.sms),
        random_(draws_of(seed, 0)) {
    for (WarpSm& sm : sms_) sm.schedulers.resize(gpu.schedulers);
  }

  void add_kernel(const SimulatedKernel& kernel) override {
    kernels_.push_back(kernel);
    counters_.instructions_of.push_back(0.0);
    for (WarpSm& sm : sms_) sm.warps_of_kernel.push_back(0);
  }

  void set_clocks(const GpuClocks& clocks) override {
    cycle_ = 1e3 / clocks.core.value();
    dram_rate_ = gpu_.dram_gigabytes_per_second * clocks.memory;
  }

  void start(const BlockStart& block) override {
    const SimulatedKernel& kernel = kernels_[block.kernel];
    const double instructions = std::max(1.0, std::round(kernel.instructions * block.work));
    if (warps_left_.size() <= block.slot) warps_left_.resize(block.slot + 1, 0);
    warps_left_[block.slot] = kernel.warps();
    for (unsigned i = 0; i < kernel.warps(); ++i) {
      Warp warp{.kernel = block.kernel, .slot = block.slot, .sm = block.sm};
      warp.scheduler = place(sms_[block.sm]);
      warp.left = static_cast<std::uint64_t>(instructions);
      sms_[block.sm].warps += 1;
      sms_[block.sm].warps_of_kernel[block.kernel] += 1;
      push(now_ + block.overhead, keep(warp));
    }
  }

  double advance(double limit, std::vector<std::size_t>& ended) override {
    while (ended.empty() && !events_.empty() && events_.top().time <= limit) {
      const WarpEvent event = events_.top();
      events_.pop();
      now_ = std::max(now_, event.time);
      if (event.kind == WarpEventKind::issue) {
        run(event.warp, limit, ended);
      } else {
        reach_l2(event);
      }
    }
    if (ended.empty()) now_ = std::max(now_, limit);
    return now_;
  }

  GpuCounters counters() override { return counters_; }

 private:
  // Chooses the scheduler that has the fewest warps, and returns its index.
  static unsigned place(WarpSm& sm) {
    const auto least = std::ranges::min_element(sm.schedulers, {}, &Scheduler::warps);
    ++least->warps;
    return static_cast<unsigned>(least - sm.schedulers.begin());
  }

  std::size_t keep(const Warp& warp) {
    if (free_.empty()) {
      warps_.push_back(warp);
      return warps_.size() - 1;
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    warps_[place] = warp;
    return place;
  }

  void push(double time, std::size_t warp, WarpEventKind kind = WarpEventKind::issue) {
    events_.push({time, order_++, warp, kind});
  }

  // Runs instructions of a warp until its next instruction would come after another event.
  void run(std::size_t index, double limit, std::vector<std::size_t>& ended) {
    wake(warps_[index]);
    for (;;) {
      if (warps_[index].left == 0) return end_warp(index, ended);
      --warps_[index].left;
      const std::optional<double> next = issue(index);
      if (!next) return;
      if (*next > limit || (!events_.empty() && events_.top().time <= *next)) return push(*next, index);
      now_ = *next;
    }
  }

  void wake(Warp& warp) {
    if (!std::exchange(warp.waits, false)) return;
    sms_[warp.sm].in_flight -= std::exchange(warp.in_flight, 0.0);
  }

  // Ends a warp once all its accesses have been answered.
  void end_warp(std::size_t index, std::vector<std::size_t>& ended) {
    Warp& warp = warps_[index];
    if (warp.sent == 0 && warp.answer <= now_) return finish(index, ended);
    warp.waits = true;
    if (warp.sent == 0) push(warp.answer, index);
  }

  void finish(std::size_t index, std::vector<std::size_t>& ended) {
    const Warp& warp = warps_[index];
    WarpSm& sm = sms_[warp.sm];
    --sm.schedulers[warp.scheduler].warps;
    --sm.warps;
    --sm.warps_of_kernel[warp.kernel];
    if (--warps_left_[warp.slot] == 0) ended.push_back(warp.slot);
    free_.push_back(index);
  }

  // Issues an instruction. Returns when the warp can issue its next instruction, or nullopt if the warp waits for
  // memory.
  std::optional<double> issue(std::size_t index) {
    const Warp& warp = warps_[index];
    const SimulatedKernel& kernel = kernels_[warp.kernel];
    WarpSm& sm = sms_[warp.sm];
    const double issued = sm.schedulers[warp.scheduler].issue.begin(now_, cycle_ / gpu_.issue_rate);
    counters_.instructions += 1.0;
    counters_.instructions_of[warp.kernel] += 1.0;
    if (kernel.l1_bytes > 0.0) sm.l1.begin(issued, kernel.l1_bytes / gpu_.l1_bytes_per_cycle * cycle_);
    const double kind = random_.uniform();
    if (kind < kernel.coalesced) return access(index, issued, 1.0, WarpEventKind::coalesced);
    if (kind < kernel.coalesced + kernel.scattered)
      return access(index, issued, kernel.scattered_requests, WarpEventKind::scattered);
    return execute(sm, kernel, kind - kernel.coalesced - kernel.scattered, issued) +
           kernel.issue_distance(gpu_) * cycle_;
  }

  // Returns the moment at which the pipe begins the instruction, which was issued at `issued`.
  double execute(WarpSm& sm, const SimulatedKernel& kernel, double kind, double issued) {
    for (std::size_t pipe = 0; pipe < kPipes; ++pipe) {
      if (kind < kernel.mix[pipe]) return sm.pipes[pipe].begin(issued, cycle_ / gpu_.pipe_rates[pipe]);
      kind -= kernel.mix[pipe];
    }
    return issued;
  }

  std::optional<double> access(std::size_t index, double issued, double requests, WarpEventKind kind) {
    Warp& warp = warps_[index];
    const SimulatedKernel& kernel = kernels_[warp.kernel];
    WarpSm& sm = sms_[warp.sm];
    const double rate = of_pipe(gpu_.pipe_rates, Pipe::memory);
    push(of_pipe(sm.pipes, Pipe::memory).end(issued, requests * cycle_ / rate), index, kind);
    ++warp.sent;
    warp.in_flight += requests;
    sm.in_flight += requests;
    warp.credit += 1.0 / kernel.memory_parallelism;
    if (warp.credit < kWhole) return issued + kernel.issue_distance(gpu_) * cycle_;
    warp.credit -= 1.0;
    warp.waits = true;
    return std::nullopt;
  }

  void reach_l2(const WarpEvent& event) {
    Warp& warp = warps_[event.warp];
    const SimulatedKernel& kernel = kernels_[warp.kernel];
    WarpSm& sm = sms_[warp.sm];
    const bool scattered = event.kind == WarpEventKind::scattered;
    const double linear = gpu_.latency_per_request * sm.in_flight * cycle_;
    const double answered =
        scattered ? answer(warp, kernel.scattered_requests, kernel.scattered_bytes, kernel.scattered_dram_cost)
                  : answer(warp, 1.0, kernel.coalesced_bytes, 1.0);
    warp.answer = std::max(warp.answer, answered + linear);
    if (--warp.sent == 0 && warp.waits) push(warp.answer, event.warp);
  }

  // Returns the moment at which L2, or DRAM behind it, has answered an access.
  double answer(const Warp& warp, double requests, double bytes, double dram_cost) {
    const double l2_time = requests * bytes / gpu_.l2_gigabytes_per_second;
    counters_.l2_bytes += requests * bytes;
    const double found = l2_.end(now_, l2_time);
    const double misses = misses_of(warp, requests);
    if (misses == 0.0) return found + gpu_.l2_latency * cycle_;
    counters_.dram_bytes += misses * bytes;
    const bool turned = std::exchange(served_last_, warp.kernel) != warp.kernel;
    const double loss = turned ? 2.0 * gpu_.dram_mixing_loss : 0.0;
    const double dram_time = misses * bytes * dram_cost / dram_rate_ / (1.0 - loss);
    return dram_.end(found, dram_time) + gpu_.dram_latency * 1e3 / gpu_.clock.value();
  }

  // Returns the number of misses. It is the mean number, rounded up or down at random.
  double misses_of(const Warp& warp, double requests) {
    const SimulatedKernel& kernel = kernels_[warp.kernel];
    const WarpSm& sm = sms_[warp.sm];
    const double others = 1.0 - static_cast<double>(sm.warps_of_kernel[warp.kernel]) / sm.warps;
    const double hit = hit_beside(kernel, others);
    if (hit <= 0.0) return requests;
    const double misses = requests * (1.0 - hit);
    return std::floor(misses + random_.uniform());
  }

  GpuModel gpu_;
  double cycle_;      // length of a cycle in ns
  double dram_rate_;  // bytes of DRAM per ns
  std::vector<SimulatedKernel> kernels_;
  std::vector<WarpSm> sms_;
  Server l2_;
  Server dram_;
  KernelId served_last_ = kNobody;
  std::vector<Warp> warps_;
  std::vector<std::size_t> free_;
  std::vector<unsigned> warps_left_;  // by slot, number of warps that have not ended
  std::priority_queue<WarpEvent, std::vector<WarpEvent>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  double now_ = 0.0;
  Random random_;
  GpuCounters counters_;
};

}  // namespace

std::unique_ptr<Engine> make_warp_engine(const GpuModel& gpu, std::uint64_t seed) {
  return std::make_unique<WarpEngine>(gpu, seed);
}

}  // namespace wattune::simulate

#include "simulate/interface/simulated_gpu.h"

#include <algorithm>
#include <limits>

#include "simulate/gpu/block_scheduler.h"
#include "simulate/gpu/engine.h"
#include "simulate/gpu/gpu_units.h"

namespace wattune::inline v0_1::simulate {

namespace {

constexpr double kBoardStep = 1e6;  // longest time in ns until the clock of a board is read again

std::unique_ptr<Engine> make_engine(const GpuModel& gpu, const GpuOptions& options) {
  return options.fidelity == Fidelity::fast ? make_fluid_engine(gpu) : make_warp_engine(gpu, options.seed);
}

double peak_ipc(const GpuModel& gpu) { return gpu.sms * issue_rate_of_sm(gpu); }

}  // namespace

struct SimulatedGpu::State {
  State(GpuModel gpu, const GpuOptions& how)
      : model(std::move(gpu)), options(how), engine(make_engine(model, how)), scheduler(model, how) {
    if (options.board == nullptr) return;
    options.board->hold_context(true);
    obey_board();
  }

  GpuModel model;
  GpuOptions options;
  std::unique_ptr<Engine> engine;
  BlockScheduler scheduler;
  double now = 0.0;
  std::size_t running = 0;
  std::size_t kernels = 0;
  GpuClocks clocks{model.clock};
  GpuCounters accounted;  // counters at the time up to which the board was charged
  Joules energy;
  std::vector<BlockRecord> trace;

  // Runs up to `limit`, or to the next moment at which something happens.
  void step(double limit);
  bool is_idle() const { return running == 0 && scheduler.next_moment() == std::numeric_limits<double>::infinity(); }

 private:
  void begin(const BlockStart& block);
  void end(std::size_t slot);
  void obey_board();
  void account(double time);
};

void SimulatedGpu::State::begin(const BlockStart& block) {
  engine->start(block);
  ++running;
}

void SimulatedGpu::State::end(std::size_t slot) {
  --running;
  const RunningBlock block = scheduler.running(slot);
  if (options.trace) trace.push_back({block.launch, block.block, block.sm, Nanoseconds(block.begin), Nanoseconds(now)});
  if (const auto next = scheduler.ended(slot, now)) begin(*next);
}

void SimulatedGpu::State::obey_board() {
  const SimulatedBoard& board = *options.board;
  clocks = {.core = std::min(model.clock, board.clock()),
            .memory = board.memory_clock() / board.model().memory_clocks.front()};
  engine->set_clocks(clocks);
}

// Charges the board for the GPU's work since the last call: the board's activity is that work relative to the most work
// at its clocks.
void SimulatedGpu::State::account(double time) {
  const GpuCounters all = engine->counters();
  const double cycles = time * clocks.core.value() * 1e-3;
  const double moved =
      std::max((all.dram_bytes - accounted.dram_bytes) / (model.dram_gigabytes_per_second * clocks.memory),
               (all.l2_bytes - accounted.l2_bytes) / (model.l2_gigabytes_per_second * (clocks.core / model.clock)));
  const double issued = (all.instructions - accounted.instructions) / (cycles * peak_ipc(model));
  accounted = all;
  SimulatedBoard& board = *options.board;
  const Joules before = board.energy();
  board.set_load({.core = issued, .memory = moved / time});
  board.pass(Nanoseconds(time));
  energy += board.energy() - before;
  obey_board();
}

// Runs one step. No time passes if a launch ended that was stopped before it began.
void SimulatedGpu::State::step(double limit) {
  const std::size_t untaken = scheduler.untaken_completions();
  for (const BlockStart& block : scheduler.dispatch(now)) begin(block);
  if (scheduler.untaken_completions() > untaken) return;
  double until = std::min(limit, scheduler.next_moment());
  if (running == 0 && until == std::numeric_limits<double>::infinity()) return;
  if (options.board != nullptr) until = std::min(until, now + kBoardStep);
  std::vector<std::size_t> ended;
  const double before = now;
  now = engine->advance(until, ended);
  if (options.board != nullptr && now > before) account(now - before);
  for (const std::size_t slot : ended) end(slot);
}

SimulatedGpu::SimulatedGpu(GpuModel model, const GpuOptions& options)
    : state_(std::make_unique<State>(std::move(model), options)) {}
SimulatedGpu::SimulatedGpu(SimulatedGpu&&) noexcept = default;
SimulatedGpu::~SimulatedGpu() = default;

const GpuModel& SimulatedGpu::model() const { return state_->model; }
Nanoseconds SimulatedGpu::now() const { return Nanoseconds(state_->now); }
const std::vector<BlockRecord>& SimulatedGpu::trace() const { return state_->trace; }

GpuCounters SimulatedGpu::counters() const {
  GpuCounters counters = state_->engine->counters();
  counters.energy = state_->energy;
  return counters;
}

double SimulatedGpu::pipeline_utilisation() const {
  const double cycles = state_->now * model().clock.value() * 1e-3;
  return cycles > 0.0 ? counters().instructions / (cycles * peak_ipc(model())) : 0.0;
}

double SimulatedGpu::memory_utilisation() const {
  const double most = state_->now * model().dram_gigabytes_per_second;
  return most > 0.0 ? counters().dram_bytes / most : 0.0;
}

Result<KernelId> SimulatedGpu::add_kernel(const SimulatedKernel& kernel) {
  WATTUNE_TRY(state_->scheduler.add_kernel(kernel));
  state_->engine->add_kernel(kernel);
  return state_->kernels++;
}

Result<GreenContextId> SimulatedGpu::add_green_context(unsigned first, unsigned count) {
  return state_->scheduler.add_green_context(first, count);
}

Result<StreamId> SimulatedGpu::add_stream(const StreamTraits& traits) { return state_->scheduler.add_stream(traits); }

Result<LaunchId> SimulatedGpu::submit(const GridLaunch& launch) {
  return state_->scheduler.submit(launch, state_->now);
}

Result<void> SimulatedGpu::stop(LaunchId launch) { return state_->scheduler.stop(launch); }

void SimulatedGpu::pass_until(Nanoseconds moment) {
  while (state_->now < moment.value()) state_->step(moment.value());
}

std::optional<Completion> SimulatedGpu::wait(Nanoseconds until) {
  for (;;) {
    if (const auto completion = state_->scheduler.take_completion()) return completion;
    if (state_->now >= until.value()) return std::nullopt;
    state_->step(until.value());
    if (state_->is_idle()) return state_->scheduler.take_completion();
  }
}

std::vector<Completion> SimulatedGpu::run() {
  std::vector<Completion> completions;
  while (const auto completion = wait()) completions.push_back(*completion);
  return completions;
}

}  // namespace wattune::simulate

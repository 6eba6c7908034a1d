#include "fakes/fake_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "backend/device/backlog.h"
#include "core/interface/suggest.h"

namespace wattune::fakes {

namespace {

constexpr std::byte kGuardPattern{0xA5};

DeviceInfo default_info() {
  DeviceInfo info;
  info.selector = "fake:0";
  info.backend = "fake";
  info.kind = DeviceKind::simulated;
  info.name = "Fake device";
  info.vendor = "Wattune tests";
  info.platform = "Fake platform";
  info.driver_version = "1.0";
  info.language_version = "OpenCL C 1.2 fake";
  info.languages = {Language::opencl};
  info.compute_units = 4;
  info.clock_mhz = 1000.0;
  info.global_memory_bytes = std::uint64_t{1} << 30;
  info.local_memory_bytes = std::uint64_t{48} << 10;
  info.max_allocation_bytes = std::uint64_t{1} << 28;
  info.max_work_group_size = 1024;
  info.max_work_item_sizes = {1024, 1024, 64};
  return info;
}

}  // namespace

Error crash(const std::string& signal_name, int signal_number) {
  return Error(ErrorCode::device_lost, "worker killed by " + signal_name).native(signal_number, signal_name);
}

double FakeLaunch::macro(const std::string& name) const {
  const auto found = macros_.find(name);
  if (found == macros_.end()) return std::nan("");
  char* end = nullptr;
  const double value = std::strtod(found->second.c_str(), &end);
  return end == found->second.c_str() ? std::nan("") : value;
}

void FakeLaunch::write_out_of_bounds(std::size_t i, std::size_t count, bool before) const {
  const std::span<std::byte> all = arguments_.at(i).with_guards;
  count = std::min(count, FakeDevice::kGuardBytes);
  const std::size_t first = before ? FakeDevice::kGuardBytes - count : all.size() - FakeDevice::kGuardBytes;
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(first), count, std::byte{0});
}

namespace {

class FakeStream;

// A command: does its work and returns when it has ended, given when it begins.
using FakeCommand = std::function<Result<Nanoseconds>(FakeDevice::State&, Nanoseconds begin)>;

Error foreign(const std::string& kind) {
  return Error(ErrorCode::invalid_argument, "the " + kind + " was not made by the fake device");
}

}  // namespace

struct FakeDevice::State {
  DeviceInfo info;
  std::map<std::string, std::pair<std::size_t, FakeKernelFunction>> kernels;
  FakeCompiler compiler = [](const KernelSource&, const Macros&) { return FakeCompilation{}; };
  FakeResources resources = [](const Macros&, std::size_t) { return backend::KernelResources{}; };
  std::function<backend::SensorReadings(Nanoseconds)> sensors = [](Nanoseconds) { return backend::SensorReadings{}; };
  FakeCounting counting;  // empty if it has no counters
  std::unique_ptr<backend::Counters> hardware_counters;
  Nanoseconds transfer{0.0};
  Nanoseconds sending{0.0};  // of a launch or a graph
  bool has_graphs = false;
  bool reset_broken = false;
  bool lost = false;
  int generation = 0;
  std::size_t allocated_bytes = 0;
  int buffers_made = 0;
  FakeCounters counters;
  backend::Backlog<FakeStream, FakeCommand> backlog;
};

namespace {

using StatePointer = std::shared_ptr<FakeDevice::State>;

// The base of every object that a FakeDevice makes: counted, and useless once the device was lost or reset.
class Owned {
 public:
  explicit Owned(StatePointer state) : state_(std::move(state)), generation_(state_->generation) {
    ++state_->counters.live_objects;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { --state_->counters.live_objects; }

  Result<void> check() const {
    if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
    if (generation_ != state_->generation) return Error(ErrorCode::device_lost, "made before the device's reset");
    return {};
  }
  FakeDevice::State& state() const { return *state_; }
  const StatePointer& pointer() const { return state_; }

 private:
  StatePointer state_;
  int generation_;
};

class FakeBuffer : public backend::Buffer, public Owned {
 public:
  FakeBuffer(StatePointer owner, std::size_t bytes)
      : Owned(std::move(owner)), storage_(bytes + 2 * FakeDevice::kGuardBytes, kGuardPattern) {
    state().allocated_bytes += bytes;
    ++state().buffers_made;
  }
  ~FakeBuffer() override { state().allocated_bytes -= bytes(); }

  std::size_t bytes() const override { return storage_.size() - 2 * FakeDevice::kGuardBytes; }
  std::span<std::byte> with_guards() { return storage_; }
  std::span<std::byte> contents() { return with_guards().subspan(FakeDevice::kGuardBytes, bytes()); }

 private:
  std::vector<std::byte> storage_;
};

// Casts an argument, which is a const Buffer* in the interface, but always points to a FakeBuffer.
FakeBuffer& fake(const backend::Buffer& buffer) {
  return const_cast<FakeBuffer&>(dynamic_cast<const FakeBuffer&>(buffer));
}

class FakeKernel : public backend::Kernel, public Owned {
 public:
  FakeKernel(StatePointer state, std::string name, Macros macros)
      : Owned(std::move(state)), name_(std::move(name)), macros_(std::make_shared<Macros>(std::move(macros))) {}

  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return state().kernels.at(name_).first; }
  std::size_t max_work_group_size() const override { return state().info.max_work_group_size.value_or(0); }
  Result<backend::KernelResources> resources(std::size_t group_size, std::size_t) const override {
    return state().resources(*macros_, group_size);
  }
  const FakeKernelFunction& function() const { return state().kernels.at(name_).second; }
  std::shared_ptr<const Macros> macros() const { return macros_; }

 private:
  std::string name_;
  std::shared_ptr<const Macros> macros_;
};

class FakeProgram : public backend::Program, public Owned {
 public:
  FakeProgram(StatePointer state, std::string log, std::vector<std::string> kernels, Macros macros)
      : Owned(std::move(state)), log_(std::move(log)), kernels_(std::move(kernels)), macros_(std::move(macros)) {}

  const std::string& build_log() const override { return log_; }
  Result<std::unique_ptr<backend::Kernel>> kernel(const std::string& name) override {
    WATTUNE_TRY(check());
    if (std::find(kernels_.begin(), kernels_.end(), name) == kernels_.end())
      return Error(ErrorCode::not_found, fmt::format("no kernel `{}` in the program", name))
          .hint(suggest(name, kernels_));
    return std::unique_ptr<backend::Kernel>(std::make_unique<FakeKernel>(pointer(), name, macros_));
  }

 private:
  std::string log_;
  std::vector<std::string> kernels_;
  Macros macros_;
};

// The times of a launch on the fake clock. Its command, which fills it in, and its event share it.
struct FakeRun {
  FakeStream* stream = nullptr;
  std::optional<Nanoseconds> start;
  Nanoseconds end;
};

class FakeEvent : public backend::Event, public Owned {
 public:
  FakeEvent(StatePointer state, std::shared_ptr<FakeRun> run) : Owned(std::move(state)), run_(std::move(run)) {}

  Result<bool> ready() const override {
    WATTUNE_TRY(check());
    if (!run_->start) return false;
    if (run_->end <= state().counters.clock) return true;
    if (run_->end < kForever) state().counters.clock = run_->end;
    return false;
  }
  Result<Nanoseconds> start() const override {
    if (!run_->start) return Error(ErrorCode::invalid_argument, "the launch has not finished");
    return *run_->start;
  }
  Result<Nanoseconds> end() const override {
    WATTUNE_TRY(start());
    return run_->end;
  }
  Result<Nanoseconds> duration() const override {
    WATTUNE_ASSIGN(const Nanoseconds began, start());
    return run_->end - began;
  }
  backend::Conditions conditions() const override { return state().sensors(state().counters.clock).conditions; }
  const std::shared_ptr<FakeRun>& run() const { return run_; }

 private:
  std::shared_ptr<FakeRun> run_;
};

class FakeStream : public backend::Stream, public Owned {
 public:
  using Owned::Owned;
  using Owned::state;
  ~FakeStream() override { (void)state().backlog.take_only(this); }

  Result<void> write(backend::Buffer& buffer, std::span<const std::byte> data) override {
    return enqueue([&target = fake(buffer), data](State& s, Nanoseconds begin) {
      std::ranges::copy(data, target.contents().begin());
      s.counters.bytes_written += data.size();
      return Result<Nanoseconds>(begin + s.transfer);
    });
  }

  Result<void> read(const backend::Buffer& buffer, std::span<std::byte> data) override {
    return enqueue([&source = fake(buffer), data](State& s, Nanoseconds begin) {
      std::ranges::copy(source.contents().first(data.size()), data.begin());
      s.counters.bytes_read += data.size();
      return Result<Nanoseconds>(begin + s.transfer);
    });
  }

  Result<void> copy(const backend::Buffer& from, backend::Buffer& to) override {
    return enqueue([&source = fake(from), &target = fake(to)](State& s, Nanoseconds begin) {
      std::ranges::copy(source.contents(), target.contents().begin());
      return Result<Nanoseconds>(begin + s.transfer);
    });
  }

  Result<void> fill(backend::Buffer& buffer, std::byte value) override {
    return enqueue([&target = fake(buffer), value](State&, Nanoseconds begin) {
      std::ranges::fill(target.contents(), value);
      return Result<Nanoseconds>(begin);
    });
  }

  Result<std::unique_ptr<backend::Event>> launch(backend::Kernel& kernel, const backend::Geometry3& geometry,
                                                 std::span<const backend::LaunchArgument> arguments) override {
    return launch_all({{&kernel, geometry, {arguments.begin(), arguments.end()}}}, 1);
  }

  Result<std::unique_ptr<backend::PreparedLaunch>> prepare_graph(std::span<const backend::GraphNode> nodes,
                                                                 std::size_t times) override;

  // Launches the nodes one after another, all of them `times` times, as one command.
  Result<std::unique_ptr<backend::Event>> launch_all(const std::vector<backend::GraphNode>& nodes, std::size_t times) {
    WATTUNE_TRY(check());
    for (const backend::GraphNode& node : nodes) WATTUNE_TRY(check_launch(*node.kernel, node.geometry, node.arguments));
    auto run = std::make_shared<FakeRun>();
    run->stream = this;
    WATTUNE_TRY(enqueue([nodes, times, run](State& s, Nanoseconds begin) -> Result<Nanoseconds> {
      run->end = begin + s.sending;
      for (std::size_t i = 0; i < times; ++i)
        for (const backend::GraphNode& node : nodes) {
          WATTUNE_ASSIGN(const Nanoseconds took, execute(s, node));
          run->end += took;
        }
      run->start = begin;
      return run->end;
    }));
    return std::unique_ptr<backend::Event>(std::make_unique<FakeEvent>(pointer(), run));
  }

  Result<void> wait_for(const backend::Event& event) override {
    WATTUNE_TRY(check());
    const auto* const known = dynamic_cast<const FakeEvent*>(&event);
    if (known == nullptr || &known->state() != &state()) return foreign("event");
    const std::shared_ptr<FakeRun> awaited = known->run();
    return enqueue([awaited](State&, Nanoseconds begin) { return Result<Nanoseconds>(std::max(begin, awaited->end)); },
                   awaited->start ? nullptr : awaited->stream);
  }

  Result<void> submit() override {
    WATTUNE_TRY(check());
    FakeStream* const own = this;
    return hand_over(state(), std::span(&own, 1));
  }

  Result<void> finish(Nanoseconds limit) override {
    WATTUNE_TRY(check());
    FakeStream* const own = this;
    return finish(state(), std::span(&own, 1), limit);
  }

  // Finishes several streams of one device.
  static Result<void> finish(FakeDevice::State& state, std::span<FakeStream* const> streams, Nanoseconds limit) {
    ++state.counters.finishes;
    const Nanoseconds latest = state.counters.clock + limit;
    Result<void> handed_over = hand_over(state, streams);
    if (!handed_over) return handed_over;
    Nanoseconds end = state.counters.clock;
    for (const FakeStream* const stream : streams) end = std::max(end, stream->free_at_);
    state.counters.clock = std::min(end, latest);
    if (end <= latest) return {};
    state.lost = true;
    return Error(ErrorCode::timeout, fmt::format("the launch ran longer than {} ms", to_ms(limit)));
  }

  Result<std::vector<Metric>> count(const std::vector<std::string>& counters, Nanoseconds limit) {
    const bool ran = state().backlog.holds(this);
    WATTUNE_TRY(finish(limit));
    WATTUNE_ASSIGN(std::vector<Metric> values, state().counting(counters));
    return ran ? std::move(values) : std::vector<Metric>();
  }

  Result<std::array<std::size_t, 2>> check_guards(backend::Buffer& buffer, Nanoseconds limit) override {
    WATTUNE_TRY(finish(limit));
    const std::span<std::byte> all = fake(buffer).with_guards();
    const auto count_and_renew = [](std::span<std::byte> guard) {
      const auto kept = static_cast<std::size_t>(std::ranges::count(guard, kGuardPattern));
      std::ranges::fill(guard, kGuardPattern);
      return guard.size() - kept;
    };
    return std::array{count_and_renew(all.first(FakeDevice::kGuardBytes)),
                      count_and_renew(all.last(FakeDevice::kGuardBytes))};
  }

 private:
  using State = FakeDevice::State;

  Result<void> enqueue(FakeCommand command, FakeStream* awaited = nullptr) {
    WATTUNE_TRY(check());
    state().backlog.add({this, awaited, std::move(command)});
    return {};
  }

  // Runs the commands until the first error; the commands behind it are dropped.
  static Result<void> hand_over(State& state, std::span<FakeStream* const> streams) {
    for (auto& [stream, awaited, command] : state.backlog.take(streams)) {
      Result<Nanoseconds> end = command(state, std::max(stream->free_at_, state.counters.clock));
      if (!end && end.error().code() == ErrorCode::device_lost) state.lost = true;
      if (!end) return std::move(end).error();
      stream->free_at_ = *end;
    }
    return {};
  }

  static Result<void> check_launch(const backend::Kernel& kernel, const backend::Geometry3& geometry,
                                   const std::vector<backend::LaunchArgument>& arguments) {
    if (arguments.size() != kernel.argument_count())
      return Error(ErrorCode::mismatch, fmt::format("kernel `{}` takes {} arguments, {} given", kernel.name(),
                                                    kernel.argument_count(), arguments.size()));
    const std::size_t group = geometry.group_size[0] * geometry.group_size[1] * geometry.group_size[2];
    if (group > 0 && group <= kernel.max_work_group_size()) return {};
    return Error(ErrorCode::launch_failed,
                 fmt::format("work-group of {} work-items, the device allows {}", group, kernel.max_work_group_size()));
  }

  // Runs a node as often as it says, and returns the time of all.
  static Result<Nanoseconds> execute(State& state, const backend::GraphNode& node) {
    const auto& kernel = static_cast<const FakeKernel&>(*node.kernel);
    Nanoseconds all;
    for (std::size_t i = 0; i < node.repeat; ++i) {
      WATTUNE_ASSIGN(const Nanoseconds took,
                     execute(state, kernel.function(), *kernel.macros(), node.geometry, node.arguments));
      all += took;
    }
    return all;
  }

  static Result<Nanoseconds> execute(State& state, const FakeKernelFunction& function, const Macros& macros,
                                     const backend::Geometry3& geometry,
                                     const std::vector<backend::LaunchArgument>& arguments) {
    std::vector<FakeLaunch::Argument> seen;
    std::vector<std::vector<std::byte>> copies;  // of scalars, and local memory
    copies.reserve(arguments.size());
    for (const backend::LaunchArgument& argument : arguments) {
      if (const auto* buffer = std::get_if<const backend::Buffer*>(&argument)) {
        if (*buffer == nullptr) seen.emplace_back();
        if (*buffer != nullptr) seen.push_back({fake(**buffer).contents(), fake(**buffer).with_guards()});
      } else {
        const auto* scalar = std::get_if<backend::ScalarBytes>(&argument);
        copies.push_back(scalar ? scalar->bytes
                                : std::vector<std::byte>(std::get<backend::LocalBytes>(argument).bytes));
        seen.push_back({copies.back(), {}});
      }
    }
    ++state.counters.launches;
    return function(FakeLaunch(macros, geometry, std::move(seen)));
  }

  Nanoseconds free_at_;  // when its last command has ended
};

// A graph. It refuses to run once another buffer was made, which may have taken the place of one of its own.
class FakeGraph : public backend::PreparedLaunch {
 public:
  FakeGraph(FakeStream& stream, std::span<const backend::GraphNode> nodes, std::size_t times)
      : stream_(stream), nodes_(nodes.begin(), nodes.end()), times_(times) {}

  Result<void> send() override {
    WATTUNE_TRY(send_timed());
    return {};
  }
  Result<std::unique_ptr<backend::Event>> send_timed() override {
    if (stream_.state().buffers_made != buffers_) return Error(ErrorCode::internal, "buffers of the graph are gone");
    return stream_.launch_all(nodes_, times_);
  }

 private:
  FakeStream& stream_;
  std::vector<backend::GraphNode> nodes_;
  std::size_t times_;
  const int buffers_ = stream_.state().buffers_made;
};

Result<std::unique_ptr<backend::PreparedLaunch>> FakeStream::prepare_graph(std::span<const backend::GraphNode> nodes,
                                                                           std::size_t times) {
  if (!state().has_graphs) return Stream::prepare_graph(nodes, times);
  if (nodes.empty()) return Error(ErrorCode::invalid_argument, "a graph of launches needs a launch");
  return std::unique_ptr<backend::PreparedLaunch>(std::make_unique<FakeGraph>(*this, nodes, times));
}

class FakeHardwareCounters : public backend::Counters {
 public:
  Result<std::vector<backend::CounterInfo>> list() override { return std::vector<backend::CounterInfo>(); }
  Result<std::vector<Metric>> count(backend::Stream& stream, const std::vector<std::string>& counters,
                                    Nanoseconds limit) override {
    return dynamic_cast<FakeStream&>(stream).count(counters, limit);
  }
};

}  // namespace

class FakeDevice::Readings : public backend::Sensors {
 public:
  explicit Readings(StatePointer state) : state_(std::move(state)) {}
  Result<backend::SensorReadings> read() override { return state_->sensors(state_->counters.clock); }

 private:
  StatePointer state_;
};

Result<void> FakeClocks::set(const backend::BoardSetting& setting) {
  if (answer) WATTUNE_TRY(answer(setting));
  now = setting;
  all.push_back(setting);
  return {};
}

Result<void> FakeClocks::restore() {
  now = {};
  ++restored;
  return {};
}

FakeDevice::FakeDevice() : FakeDevice(default_info()) {}
FakeDevice::FakeDevice(DeviceInfo info)
    : state_(std::make_shared<State>()), sensors_(std::make_unique<Readings>(state_)) {
  state_->info = std::move(info);
  state_->hardware_counters = std::make_unique<FakeHardwareCounters>();
}
FakeDevice::~FakeDevice() { state_->lost = true; }

void FakeDevice::add_kernel(const std::string& name, std::size_t argument_count, FakeKernelFunction function) {
  state_->kernels[name] = {argument_count, std::move(function)};
}

void FakeDevice::on_count(FakeCounting counting) { state_->counting = std::move(counting); }

void FakeDevice::on_build(FakeCompiler compiler) { state_->compiler = std::move(compiler); }
void FakeDevice::on_resources(FakeResources resources) { state_->resources = std::move(resources); }
void FakeDevice::on_read(std::function<backend::SensorReadings(Nanoseconds)> sensors) {
  state_->sensors = std::move(sensors);
}
Result<backend::Sensors*> FakeDevice::sensors() { return sensors_.get(); }

FakeClocks& FakeDevice::add_clocks() {
  clocks_ = std::make_unique<FakeClocks>();
  return *clocks_;
}

Result<backend::ClockControl*> FakeDevice::clock_control() {
  if (!clocks_) return Error(ErrorCode::unavailable, "the fake device has no clocks to set");
  return clocks_.get();
}

void FakeDevice::slow_transfers(Nanoseconds each) { state_->transfer = each; }
void FakeDevice::add_graphs(Nanoseconds sending) {
  state_->has_graphs = true;
  state_->sending = sending;
}
void FakeDevice::break_reset() { state_->reset_broken = true; }
const FakeCounters& FakeDevice::counters() const { return state_->counters; }
const DeviceInfo& FakeDevice::info() const { return state_->info; }

namespace {

Macros as_map(std::span<const backend::Macro> macros) {
  Macros defined;
  for (const backend::Macro& macro : macros) defined[macro.name] = macro.value;
  return defined;
}

// Makes a program with the kernels whose names occur in the text.
std::unique_ptr<backend::Program> make_program(const StatePointer& state, std::string log, const std::string& text,
                                               Macros macros) {
  std::vector<std::string> present;
  for (const auto& [name, kernel] : state->kernels)
    if (text.find(name) != std::string::npos) present.push_back(name);
  return std::make_unique<FakeProgram>(state, std::move(log), std::move(present), std::move(macros));
}

}  // namespace

Result<std::unique_ptr<backend::Program>> FakeDevice::build(const KernelSource& source,
                                                            std::span<const backend::Macro> macros, Nanoseconds limit) {
  if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
  ++state_->counters.builds;
  Macros defined = as_map(macros);
  Result<FakeCompilation> compiled = state_->compiler(source, defined);
  if (!compiled && compiled.error().code() == ErrorCode::device_lost) state_->lost = true;
  if (!compiled) return std::move(compiled).error();
  state_->counters.clock += std::min(compiled->duration, limit);
  if (compiled->duration > limit) {
    state_->lost = true;
    return Error(ErrorCode::timeout, fmt::format("compiling took longer than {} ms", to_ms(limit)));
  }
  return make_program(state_, std::move(compiled->log), source.text, std::move(defined));
}

Result<backend::CompileTarget> FakeDevice::compile_target(const KernelSource&) {
  return backend::CompileTarget{"fake", "arch_1", {}, "fake 1"};
}

Result<backend::Counters*> FakeDevice::hardware_counters() {
  if (!state_->counting) return Error(ErrorCode::unavailable, "the fake device has no hardware counters");
  return state_->hardware_counters.get();
}

Result<std::unique_ptr<backend::Program>> FakeDevice::load(const backend::Image& image,
                                                           std::span<const backend::Macro> macros, Nanoseconds) {
  if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
  ++state_->counters.loads;
  return make_program(state_, image.log, image.code, as_map(macros));
}

Result<std::unique_ptr<backend::Buffer>> FakeDevice::create_buffer(std::size_t bytes) {
  if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
  if (bytes > state_->info.max_allocation_bytes.value_or(0))
    return Error(ErrorCode::invalid_argument, fmt::format("a buffer of {} bytes is larger than the device allows ({})",
                                                          bytes, state_->info.max_allocation_bytes.value_or(0)));
  if (state_->allocated_bytes + bytes > state_->info.global_memory_bytes.value_or(0))
    return Error(ErrorCode::launch_failed, fmt::format("no memory left for {} bytes", bytes));
  return std::unique_ptr<backend::Buffer>(std::make_unique<FakeBuffer>(state_, bytes));
}

Result<std::unique_ptr<backend::Stream>> FakeDevice::create_stream(const backend::StreamOptions&) {
  if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
  return std::unique_ptr<backend::Stream>(std::make_unique<FakeStream>(state_));
}

Result<std::vector<backend::SensorSample>> FakeDevice::finish(std::span<backend::Stream* const> streams,
                                                              const backend::Wait& wait) {
  if (state_->lost) return Error(ErrorCode::device_lost, "the fake device is lost");
  std::vector<FakeStream*> own;
  for (backend::Stream* const stream : streams) {
    auto* const known = dynamic_cast<FakeStream*>(stream);
    if (known == nullptr || &known->state() != state_.get()) return foreign("stream");
    own.push_back(known);
  }
  const Nanoseconds begin = state_->counters.clock;
  WATTUNE_TRY(FakeStream::finish(*state_, own, wait.limit));
  std::vector<backend::SensorSample> samples;
  const Nanoseconds end = state_->counters.clock;
  for (Nanoseconds at = begin; wait.sample_every && at < end; at += *wait.sample_every)
    samples.push_back({at, state_->sensors(at)});
  if (wait.sample_every) samples.push_back({end, state_->sensors(end)});
  return samples;
}

Result<void> FakeDevice::reset() {
  ++state_->counters.resets;
  if (state_->reset_broken) return Error(ErrorCode::device_lost, "the fake device cannot be reset");
  ++state_->generation;
  state_->lost = false;
  return {};
}

}  // namespace wattune::fakes

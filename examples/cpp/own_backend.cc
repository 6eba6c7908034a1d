// A backend of one's own, with a device whose kernel is a C++ function and whose times come from a formula. Once the
// backend is registered, its device is found, opened and tuned like all others, in this process and in a worker
// process. The worker is this program, started again.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "wattune/backend/registry.h"
#include "wattune/backend/worker.h"
#include "wattune/measure/policy.h"
#include "wattune/search/strategy.h"
#include "wattune/tune/evaluator.h"
#include "wattune/tune/search.h"

namespace {

using namespace wattune;

struct Memory : backend::Buffer {
  explicit Memory(std::size_t bytes) : contents(bytes) {}
  std::size_t bytes() const override { return contents.size(); }

  std::vector<std::byte> contents;
};

Memory& memory_of(const backend::Buffer& buffer) { return const_cast<Memory&>(dynamic_cast<const Memory&>(buffer)); }

// A kernel that computes y[i] = 2 * x[i], and is fastest with blocks of 96.
struct Doubling : backend::Kernel {
  explicit Doubling(double its_block) : block(its_block) {}
  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return 2; }
  std::size_t max_work_group_size() const override { return 1024; }

  Nanoseconds run(Memory& x, Memory& y) const {
    const auto* from = reinterpret_cast<const float*>(x.contents.data());
    const std::size_t n = x.bytes() / sizeof(float);
    std::transform(from, from + n, reinterpret_cast<float*>(y.contents.data()), [](float v) { return 2.0f * v; });
    const double waste = (block - 96.0) / 96.0;
    return Nanoseconds(static_cast<double>(n) * (1.0 + waste * waste));
  }

  double block;

 private:
  std::string name_ = "doubling";
};

class FormulaProgram : public backend::Program {
 public:
  explicit FormulaProgram(double block) : block_(block) {}
  const std::string& build_log() const override { return log_; }
  Result<std::unique_ptr<backend::Kernel>> kernel(const std::string& name) override {
    if (name != "doubling") return Error(ErrorCode::not_found, "the only kernel is `doubling`").about(name);
    return std::unique_ptr<backend::Kernel>(std::make_unique<Doubling>(block_));
  }

 private:
  double block_;
  std::string log_;
};

class FormulaEvent : public backend::Event {
 public:
  FormulaEvent(Nanoseconds start, Nanoseconds end) : start_(start), end_(end) {}
  Result<bool> ready() const override { return true; }
  Result<Nanoseconds> start() const override { return start_; }
  Result<Nanoseconds> end() const override { return end_; }
  Result<Nanoseconds> duration() const override { return end_ - start_; }

 private:
  Nanoseconds start_;
  Nanoseconds end_;
};

// A stream that performs every command at once. So submit() and finish() have nothing to do, and nobody has to wait for
// a launch.
class FormulaStream : public backend::Stream {
 public:
  // Makes a stream that advances the device's clock, which all streams of the device share.
  explicit FormulaStream(std::shared_ptr<Nanoseconds> clock) : clock_(std::move(clock)) {}
  Result<void> write(backend::Buffer& buffer, std::span<const std::byte> data) override {
    std::ranges::copy(data, memory_of(buffer).contents.begin());
    return {};
  }
  Result<void> read(const backend::Buffer& buffer, std::span<std::byte> data) override {
    std::ranges::copy(memory_of(buffer).contents, data.begin());
    return {};
  }
  Result<void> copy(const backend::Buffer& from, backend::Buffer& to) override {
    memory_of(to).contents = memory_of(from).contents;
    return {};
  }
  Result<void> fill(backend::Buffer& buffer, std::byte value) override {
    std::ranges::fill(memory_of(buffer).contents, value);
    return {};
  }
  Result<std::unique_ptr<backend::Event>> launch(backend::Kernel& kernel, const backend::Geometry3&,
                                                 std::span<const backend::LaunchArgument> arguments) override {
    Memory& x = memory_of(*std::get<const backend::Buffer*>(arguments[0]));
    Memory& y = memory_of(*std::get<const backend::Buffer*>(arguments[1]));
    const Nanoseconds start = *clock_;
    *clock_ += dynamic_cast<const Doubling&>(kernel).run(x, y);
    return std::unique_ptr<backend::Event>(std::make_unique<FormulaEvent>(start, *clock_));
  }
  Result<void> wait_for(const backend::Event&) override { return {}; }
  Result<void> submit() override { return {}; }
  Result<void> finish(Nanoseconds) override { return {}; }
  Result<std::array<std::size_t, 2>> check_guards(backend::Buffer&, Nanoseconds) override {
    return std::array<std::size_t, 2>{};
  }

 private:
  std::shared_ptr<Nanoseconds> clock_;
};

DeviceInfo describe() {
  DeviceInfo info;
  info.selector = "formula:0";
  info.backend = "formula";
  info.kind = DeviceKind::simulated;
  info.name = "A formula";
  info.languages = {Language::opencl};
  info.global_memory_bytes = info.max_allocation_bytes = 1 << 30;
  info.max_work_group_size = 1024;
  info.max_work_item_sizes = {1024, 1024, 64};
  return info;
}

class FormulaDevice : public backend::Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<backend::Program>> build(const KernelSource&, std::span<const backend::Macro> macros,
                                                  Nanoseconds) override {
    const auto block = std::ranges::find(macros, "BLOCK", &backend::Macro::name);
    if (block == macros.end()) return Error(ErrorCode::compile_failed, "BLOCK is not defined");
    return std::unique_ptr<backend::Program>(std::make_unique<FormulaProgram>(std::atof(block->value.c_str())));
  }
  Result<backend::CompileTarget> compile_target(const KernelSource&) override {
    return Error(ErrorCode::unavailable, "there is nothing to compile");
  }
  Result<std::unique_ptr<backend::Program>> load(const backend::Image&, std::span<const backend::Macro>,
                                                 Nanoseconds) override {
    return Error(ErrorCode::invalid_argument, "there is nothing to load");
  }
  Result<backend::Sensors*> sensors() override { return Error(ErrorCode::unavailable, "a formula has no sensors"); }
  Result<backend::ClockControl*> clock_control() override {
    return Error(ErrorCode::unavailable, "a formula has no clocks");
  }
  Result<backend::Counters*> counters() override {
    return Error(ErrorCode::unavailable, "a formula has no hardware counters");
  }
  Result<std::unique_ptr<backend::Buffer>> create_buffer(std::size_t bytes) override {
    return std::unique_ptr<backend::Buffer>(std::make_unique<Memory>(bytes));
  }
  Result<std::unique_ptr<backend::Stream>> create_stream(const backend::StreamOptions&) override {
    return std::unique_ptr<backend::Stream>(std::make_unique<FormulaStream>(clock_));
  }
  Result<void> reset() override { return {}; }

 private:
  const DeviceInfo info_ = describe();
  const std::shared_ptr<Nanoseconds> clock_ = std::make_shared<Nanoseconds>();
};

Result<std::vector<DeviceInfo>> discover() { return std::vector<DeviceInfo>{describe()}; }

Result<std::unique_ptr<backend::Device>> open(const std::string& selector) {
  if (selector != "formula:0") return Error(ErrorCode::not_found, "the only device is formula:0").about(selector);
  return std::unique_ptr<backend::Device>(std::make_unique<FormulaDevice>());
}

struct Forget : TrialSink {
  Result<void> add(const Trial&) override { return {}; }
};

struct Silent : tune::TuningObserver {
  void on_start(const search::Progress&, std::size_t) override {}
  void on_trial(const tune::TuningEvent&) override {}
};

Result<void> tune_on(backend::Device& device) {
  KernelSpec spec;
  spec.name = "doubling";
  spec.source = {.function = "doubling"};
  spec.problem_size = {{"n", 9600}};
  spec.geometry.sizes[0].text = "n";
  spec.geometry.work_group[0].text = "BLOCK";
  spec.arguments = {{"x", VectorArgument{.length = {"n"}, .fill = FillUniform{}}},
                    {"y", VectorArgument{.length = {"n"}, .access = ArgumentAccess::write_only}}};
  spec.parameters = {{.name = "BLOCK", .values = {32, 64, 96, 120, 160}}};
  WATTUNE_ASSIGN(const space::SearchSpace space, space::SearchSpace::build(spec.parameters, spec.constraints));
  const std::unique_ptr<measure::MeasurePolicy> policy = measure::make_gated({});
  WATTUNE_ASSIGN(const auto evaluator, tune::make_evaluator(spec, space, device, *policy));
  WATTUNE_ASSIGN(const auto strategy, search::make_strategy("exhaustive", space));
  Forget sink;
  Silent observer;
  WATTUNE_ASSIGN(const tune::TuningResult result, tune::tune(space, *strategy, *evaluator, sink, observer, {}, {}));
  if (!result.best || *result.best->configuration.find("BLOCK") != Value(96))
    return Error(ErrorCode::internal, "the formula is lowest at 96");
  std::printf("%.1f us: %s\n", result.best->observation.objective() / 1e3,
              result.best->configuration.to_string().c_str());
  return {};
}

Result<void> run() {
  WATTUNE_ASSIGN(const DeviceInfo found, backend::select_device(backend::discover(), "formula", {Language::opencl}));
  WATTUNE_ASSIGN(const auto here, backend::open_device(found.selector));
  WATTUNE_TRY(tune_on(*here));
  WATTUNE_ASSIGN(const auto in_worker,
                 backend::open_device_in_worker(found.selector, {.executable = "/proc/self/exe"}));
  return tune_on(*in_worker);
}

}  // namespace

// Runs as a worker if it has arguments, and as the example otherwise.
int main(int argc, const char* const* argv) {
  Result<void> done = backend::register_backend({.name = "formula", .discover = discover, .open = open});
  if (done && argc > 1) return backend::run_worker(argc, argv);
  if (done) done = run();
  if (!done) std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return done ? 0 : 1;
}

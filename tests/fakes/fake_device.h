// FakeDevice: a Device for tests, in this process, with a fake clock: nothing sleeps, nothing depends on speed.
//
// Kernels are C++ functions that the test registers by name. "Compiling" a source makes those kernels available whose
// names occur in its text. A kernel gets its macros, geometry and argument bytes, works on them at once, and returns
// how long it pretends to have run. finish(limit) fails with timeout if the sum of these times exceeds the limit.
//
//   FakeDevice device;
//   device.add_kernel("scale", 2, [](const FakeLaunch& launch) -> Result<Nanoseconds> {
//     for (float& x : launch.elements<float>(0)) x *= launch.scalar<float>(1);
//     return Nanoseconds(1000.0 / launch.macro("TILE"));
//   });
//
// A kernel misbehaves by its result or its actions:
//   hang            return kForever;
//   launch failure  return Error(ErrorCode::launch_failed, "...");
//   crash           return crash("SIGSEGV");          the device is lost until reset()
//   out of bounds   launch.write_out_of_bounds(0);    check_guards() counts it
//   wrong output    write something else
// Compile errors, slow compiles and crashes of the compiler come from on_build(). Commands are held back until submit()
// or finish(), as a worker does, so tests notice host memory that dies too early. They do their work when they are
// handed over. Streams overlap on the fake clock: a command begins when the stream's last command, or the launch that
// it waits for, has ended. Finishing a stream advances the clock to its end. An event that is asked too early says no
// and advances the clock to the end of its launch. Counters tell which calls were made and which objects still live.
// Not thread safe.
#pragma once

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wattune/backend/device.h"

namespace wattune::fakes {

inline constexpr Nanoseconds kForever{std::numeric_limits<double>::infinity()};

// Returns the error of a device whose process died of a signal, as a worker reports it.
Error crash(const std::string& signal_name, int signal_number = 11);

using Macros = std::map<std::string, std::string>;

// The view that a kernel has of one launch.
class FakeLaunch {
 public:
  // One argument: a buffer's bytes, a scalar's bytes, or local memory (zeroed).
  struct Argument {
    std::span<std::byte> bytes;
    std::span<std::byte> with_guards;  // buffers only
  };

  FakeLaunch(const Macros& macros, const backend::Geometry3& geometry, std::vector<Argument> arguments)
      : macros_(macros), geometry_(geometry), arguments_(std::move(arguments)) {}

  const Macros& macros() const { return macros_; }
  const backend::Geometry3& geometry() const { return geometry_; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  // Returns the macro as a number; NaN if it is not defined or no number.
  double macro(const std::string& name) const;
  // Returns argument i as an array; scalar() returns it as one value.
  template <typename T>
  std::span<T> elements(std::size_t i) const {
    const std::span<std::byte> bytes = arguments_.at(i).bytes;
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  T scalar(std::size_t i) const {
    T value;
    std::memcpy(&value, arguments_.at(i).bytes.data(), sizeof(T));
    return value;
  }
  // Changes `count` bytes directly behind buffer i or, with `before`, ahead of it.
  void write_out_of_bounds(std::size_t i, std::size_t count = 1, bool before = false) const;

 private:
  const Macros& macros_;
  const backend::Geometry3& geometry_;
  std::vector<Argument> arguments_;
};

using FakeKernelFunction = std::function<Result<Nanoseconds>(const FakeLaunch&)>;

// The result of the fake compiler. A duration above the limit becomes a timeout.
struct FakeCompilation {
  std::string log;
  Nanoseconds duration{0.0};
};
using FakeCompiler = std::function<Result<FakeCompilation>(const KernelSource&, const Macros&)>;

// The resources of a kernel that was built with these macros, launched with work-groups of this size.
using FakeResources = std::function<backend::KernelResources(const Macros&, std::size_t group_size)>;

// The values of the requested counters, or the reason why there are none.
using FakeCounting = std::function<Result<std::vector<Metric>>(const std::vector<std::string>& counters)>;

// The clocks of a board; a test sees all that was set.
struct FakeClocks : backend::ClockControl {
  const std::string& board() const override { return name; }
  Result<backend::BoardChoices> choices() override { return backend::BoardChoices(); }
  Result<void> set(const backend::BoardSetting& setting) override;
  Result<backend::BoardSetting> current() override { return obeys ? now : backend::BoardSetting{Megahertz(100)}; }
  Result<void> restore() override;

  std::string name = "fake board";
  std::function<Result<void>(const backend::BoardSetting&)> answer;  // to set(); if empty, it obeys
  bool obeys = true;
  backend::BoardSetting now;
  std::vector<backend::BoardSetting> all;  // that were set
  int restored = 0;
};

// Counts of calls and living objects, which a test can look at.
struct FakeCounters {
  int builds = 0;
  int loads = 0;
  int launches = 0;  // that ran
  int finishes = 0;
  int resets = 0;
  int live_objects = 0;           // programs, kernels, buffers, streams and events not yet destroyed
  std::size_t bytes_written = 0;  // by Stream::write
  std::size_t bytes_read = 0;
  Nanoseconds clock{0.0};  // device time passed in compiles and launches that were waited for
};

// Tests use FakeDevice::counters() for the FakeCounters, whose name in the interface belongs to hardware counters.
class DeviceWithCounters : public backend::Device {
 public:
  Result<backend::Counters*> counters() final { return hardware_counters(); }

 private:
  virtual Result<backend::Counters*> hardware_counters() = 0;
};

class FakeDevice : public DeviceWithCounters {
 public:
  static constexpr std::size_t kGuardBytes = 64;

  FakeDevice();
  explicit FakeDevice(DeviceInfo info);
  ~FakeDevice() override;

  void add_kernel(const std::string& name, std::size_t argument_count, FakeKernelFunction function);
  // Sets the function that is called for every build; the default succeeds without log and time.
  void on_build(FakeCompiler compiler);
  // Sets the function that reports kernels' resources; by default none are known.
  void on_resources(FakeResources resources);
  // Sets the function that returns the sensors' readings at a device time; by default there are none.
  void on_read(std::function<backend::SensorReadings(Nanoseconds clock)> sensors);
  // Gives it clocks that can be set; by default it has none.
  FakeClocks& add_clocks();
  // Sets the function that counts after a launch; by default there are no hardware counters.
  void on_count(FakeCounting counting);
  // Sets how long each read, write and copy takes; by default they take no time.
  void slow_transfers(Nanoseconds each);
  // Gives it graphs of launches, and lets the host take this long to send a launch or a graph, within its time. By
  // default there are no graphs, and sending takes no time.
  void add_graphs(Nanoseconds sending);
  // Makes reset() fail from now on, as on a machine whose driver is gone.
  void break_reset();
  const FakeCounters& counters() const;

  const DeviceInfo& info() const override;
  Result<std::unique_ptr<backend::Program>> build(const KernelSource& source, std::span<const backend::Macro> macros,
                                                  Nanoseconds limit) override;
  // Returns the target of the compiler of wattune-fake-worker.
  Result<backend::CompileTarget> compile_target(const KernelSource& source) override;
  Result<std::unique_ptr<backend::Program>> load(const backend::Image& image, std::span<const backend::Macro> macros,
                                                 Nanoseconds limit) override;
  Result<std::unique_ptr<backend::Buffer>> create_buffer(std::size_t bytes) override;
  Result<std::unique_ptr<backend::Stream>> create_stream(const backend::StreamOptions& options = {}) override;
  Result<std::vector<backend::SensorSample>> finish(std::span<backend::Stream* const> streams,
                                                    const backend::Wait& wait) override;
  Result<backend::Sensors*> sensors() override;
  Result<backend::ClockControl*> clock_control() override;
  Result<void> reset() override;

  struct State;

 private:
  class Readings;
  Result<backend::Counters*> hardware_counters() override;

  std::shared_ptr<State> state_;  // shared with the objects, which may be destroyed after a crash in any order
  std::unique_ptr<backend::Sensors> sensors_;
  std::unique_ptr<FakeClocks> clocks_;
};

}  // namespace wattune::fakes

// Sensors of an application's, by their names, as those of machines and sessions.
#include "schedule/machine/named_sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "backend/support.h"
#include "schedule/session/stage.h"
#include "wait.h"
#include "wattune/backend/registry.h"
#include "wattune/schedule/session.h"

namespace wattune::inline v0_1::schedule {
namespace {

using testing::HasSubstr;

// A meter that shows one after the other of these readings, and the last one again and again.
template <typename T>
class Meter : public power::Sensor<T> {
 public:
  explicit Meter(std::vector<power::Reading<T>> shown) : shown_(std::move(shown)) {}
  const power::SensorInfo& info() const override { return info_; }
  Result<power::Reading<T>> read() override { return shown_[std::min(next_++, shown_.size() - 1)]; }

 private:
  const std::vector<power::Reading<T>> shown_;
  const power::SensorInfo info_{.name = "meter",
                                .traits = {.response = power::Response::direct, .period = nanoseconds_from_ms(10)}};
  std::size_t next_ = 0;
};

// A counter that counts a joule whenever it is read.
class Counter : public power::EnergyCounter {
 public:
  const power::SensorInfo& info() const override { return info_; }
  Result<power::Reading<Joules>> read() override { return power::Reading<Joules>{{}, Joules(joules_ += 1.0)}; }

 private:
  const power::SensorInfo info_{.name = "counter", .traits = {.period = nanoseconds_from_ms(8)}};
  double joules_ = 1000.0;
};

void register_once(const std::string& name, const power::OpenSensors& open) {
  const Result<void> done = power::register_sensors(name, open);
  ASSERT_TRUE(done || done.error().code() == ErrorCode::already_exists);
}

Joules energy_of(NamedSensors& sensors) { return *sensors.read().value().energy; }

TEST(NamedSensors, OfPowerAddUpWhatTheyShow) {
  register_once("two readings", [](const DeviceInfo&) -> Result<power::Board> {
    power::Board board;
    const auto at = [](double seconds, double watts) {
      return power::Reading<Watts>{nanoseconds_from_seconds(seconds), Watts(watts)};
    };
    board.power.push_back(std::make_unique<Meter<Watts>>(std::vector{at(5, 100), at(6, 200), at(8, 200)}));
    return board;
  });
  const auto sensors = NamedSensors::open("two readings", {}).value();
  EXPECT_EQ(energy_of(*sensors), Joules(0));
  EXPECT_DOUBLE_EQ(energy_of(*sensors).value(), 150.0);
  EXPECT_DOUBLE_EQ(energy_of(*sensors).value(), 550.0);
  EXPECT_DOUBLE_EQ(energy_of(*sensors).value(), 550.0) << "a reading that is not renewed counts once";
  EXPECT_EQ(sensors->interval(), nanoseconds_from_ms(10));
}

TEST(NamedSensors, ThatTellNeitherEnergyNorPowerAreRefused) {
  register_once("nothing", [](const DeviceInfo&) -> Result<power::Board> { return power::Board(); });
  EXPECT_EQ(NamedSensors::open("nothing", {}).error().code(), ErrorCode::unavailable);
}

KernelSpec rest_spec() {
  KernelSpec spec;
  spec.name = "rest";
  spec.source = {.language = Language::opencl, .function = "rest", .text = "kernel void rest(global int* x) {}"};
  spec.geometry.sizes[0] = {"64"};
  spec.geometry.work_group[0] = {"8"};
  spec.arguments = {{"x", VectorArgument{.type = ElementType::int32, .length = {"64"}}, {}}};
  return spec;
}

TEST(SessionWithNamedSensors, ItsEnergyIsTheirs) {
  register_once("counter", [](const DeviceInfo&) -> Result<power::Board> {
    power::Board board;
    board.energy.push_back(std::make_unique<Counter>());
    return board;
  });
  const auto device = backend::opencl_selector();
  if (!device) GTEST_SKIP() << "no OpenCL device on this machine";
  const auto stage = open_device_stage({{.spec = rest_spec(), .configuration = Configuration(), .name = "rest"}},
                                       {.device = *device, .sensors = "counter"})
                         .value();
  const auto machine = stage->machine().value();
  EXPECT_TRUE(test::wait_until([&] { return machine->energy() >= Joules(2); }));
}

TEST(SessionWithNamedSensors, ANameThatIsNotRegisteredIsRefused) {
  if (const auto device = backend::opencl_selector()) {
    const auto session = open(std::vector{rest_spec()}, {.device = *device, .sensors = "contour"});
    EXPECT_THAT(session.error().to_string(), HasSubstr("no sensors of this name are registered: `contour`"));
  }
  const auto simulated = open_simulated({"C"}, 1, {.device = "H100", .sensors = "counter"});
  EXPECT_EQ(simulated.error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace wattune::schedule

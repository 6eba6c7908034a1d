// Tests which thread reads the board's energy counter, and when, with a board that remembers its readers.
#include "schedule/machine/board_energy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "fakes/fake_device.h"
#include "schedule/device_machine_support.h"
#include "wait.h"

namespace wattune::inline v0_1::schedule {
namespace {

// A board that draws one joule between two readings.
class AskedBoard : public backend::Sensors {
 public:
  Result<backend::SensorReadings> read() override {
    const std::lock_guard lock(mutex_);
    if (!tells_energy) return backend::SensorReadings();
    ++questions_[std::this_thread::get_id()];
    joules_ += 1.0;
    ++questions_of_all_;
    return fails ? Result<backend::SensorReadings>(Error(ErrorCode::unavailable, "asleep"))
                 : backend::SensorReadings{.conditions = {}, .energy = Joules(joules_)};
  }
  int questions_of_this_thread() {
    const std::lock_guard lock(mutex_);
    return questions_[std::this_thread::get_id()];
  }
  // Waits until other threads have read the counter so many times more.
  void wait_for(int questions) {
    const int until = questions_of_all_ + questions;
    EXPECT_TRUE(test::wait_until([&] { return questions_of_all_ >= until; }));
  }

  std::atomic<bool> tells_energy = true;
  std::atomic<bool> fails = false;

 private:
  std::mutex mutex_;
  std::atomic<int> questions_of_all_ = 0;
  std::map<std::thread::id, int> questions_;
  double joules_ = 1000.0;
};

constexpr Nanoseconds kOften = nanoseconds_from_ms(1);

TEST(BoardEnergy, IsReadByAThreadOfItsOwn) {
  AskedBoard board;
  const BoardEnergy energy(board, kOften);
  board.wait_for(3);
  EXPECT_GE(energy.latest(), Joules(2));  // the third reading may be on its way
  EXPECT_EQ(board.questions_of_this_thread(), 1);
}

TEST(BoardEnergy, KeepsWhatItKnowsWhereAReadingFails) {
  AskedBoard board;
  const BoardEnergy energy(board, kOften);
  board.wait_for(2);
  board.fails = true;
  board.wait_for(2);
  const auto known = energy.latest();
  board.wait_for(2);
  EXPECT_EQ(energy.latest(), known);
}

TEST(BoardEnergy, ABoardThatTellsNoneIsAskedOnce) {
  AskedBoard board;
  board.tells_energy = false;
  EXPECT_FALSE(BoardEnergy(board, kOften).latest());
}

// A device of this process with that board, with a kernel that does nothing for 1 us.
class DeviceWithBoard : public fakes::FakeDevice {
 public:
  DeviceWithBoard() {
    add_kernel("rest", 1, [](const fakes::FakeLaunch&) -> Result<Nanoseconds> { return Nanoseconds(1000); });
  }
  Result<backend::Sensors*> sensors() override { return &board; }

  AskedBoard board;
};

TEST(DeviceMachineWithBoard, NobodyWhoLaunchesAsksTheBoard) {
  DeviceWithBoard device;
  const auto machine = DeviceMachine::make(device, {.energy_every = kOften}).value();
  const KernelSource source{.function = "rest", .text = "rest"};
  auto code = load_code(device, source, {}, {.groups = {4, 1, 1}, .group_size = {1, 1, 1}}).value();
  const auto kernel = kernel_on_ints(device, "rest", std::move(code), {{4, 1, 1}, {1, 1, 1}}, 4);
  const KernelId id = machine->add(kernel, machine->traits_of(*kernel).value()).value();
  for (int i = 0; i < 5; ++i) {
    device.board.wait_for(1);
    const auto before = machine->energy();
    machine->launch({.kernel = id, .blocks = 4}).value();
    wait_for(*machine, 1);
    EXPECT_GE(machine->energy(), before);
  }
  EXPECT_EQ(device.board.questions_of_this_thread(), 1);
}

}  // namespace
}  // namespace wattune::schedule

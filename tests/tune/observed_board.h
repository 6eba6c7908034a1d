// ObservedBoard: a board in virtual time beneath a fake device, whose time passes with the device's clock.
//
// Kernels say what they draw; everything else that the device does (copies) draws `idle`. The board's counter is
// published every 100 ms and read every millisecond.
//
//   ObservedBoard board;
//   device.add_kernel("scale", 3, [&](const auto&) { return board.run(Watts(300), nanoseconds_from_ms(1)); });
//   options.open_recorder = board.recorder_of(device);
#pragma once

#include <memory>

#include "fakes/fake_device.h"
#include "power/virtual_board.h"
#include "wattune/tune/evaluator.h"

namespace wattune::inline v0_1::tune {

class ObservedBoard {
 public:
  explicit ObservedBoard(Watts idle = Watts(50)) : board(sensors(), idle) {}

  // Runs a launch. The returned time advances the device's clock.
  Nanoseconds run(Watts power, Nanoseconds time) {
    board.run({{time, power}}, 1);
    return time;
  }
  // Lets time pass between two launches, which the device's clock does not count.
  void idle_for(Nanoseconds time) {
    board.wait(time);
    ahead_ += time;
  }
  // Returns a function that opens recorders; this object and the device outlive them.
  OpenRecorder recorder_of(const fakes::FakeDevice& device) {
    return [this, &device](const DeviceInfo&) -> Result<std::unique_ptr<power::Recorder>> {
      ++opened;
      ahead_ = board.now() - device.counters().clock;
      return std::unique_ptr<power::Recorder>(std::make_unique<Shared>(*this, device));
    };
  }

  power::VirtualBoard board;
  std::optional<power::Measured<Watts>> characterised;  // its power with a context and nothing to do
  int opened = 0;

 private:
  class Shared : public power::Recorder {
   public:
    Shared(ObservedBoard& shared, const fakes::FakeDevice& device) : shared_(shared), device_(device) {}
    Nanoseconds now() const override { return shared_.catch_up(device_), shared_.board.now(); }
    void wait(Nanoseconds time) override {
      shared_.board.wait(time);
      shared_.ahead_ += time;
    }
    Result<void> start() override { return now(), shared_.board.start(); }
    Result<power::Recording> so_far() override { return shared_.board.so_far(); }
    Result<power::Recording> stop() override { return shared_.board.stop(); }
    std::optional<power::Measured<Watts>> context_idle() const override { return shared_.characterised; }

   private:
    ObservedBoard& shared_;
    const fakes::FakeDevice& device_;
  };

  static power::VirtualSensors sensors() {
    power::VirtualSensor energy = power::counter(power::ms(100));
    energy.poll = power::ms(1);
    return {{energy}, {power::boxcar(power::ms(100), power::ms(100))}};
  }
  // Lets the board catch up with what the device did without a kernel.
  void catch_up(const fakes::FakeDevice& device) { board.wait(device.counters().clock + ahead_ - board.now()); }

  Nanoseconds ahead_;  // how far the board is ahead of the device's clock
};

}  // namespace wattune::tune

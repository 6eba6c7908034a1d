// The board of a profile: a simulated board, shared by all processes.
#include "fakes/nvml/environment.h"
#include "fakes/nvml/faces.h"
#include "fakes/nvml/profile.h"
#include "fakes/nvml/shared_board.h"

namespace wattune::fakes {

namespace {

using simulate::SimulatedBoard;

class SimulatedFace : public BoardFace {
 public:
  SimulatedFace(unsigned device, const simulate::BoardModel& model) : model_(model), board_(device, model) {}

  const char* name() const override { return model_.name.c_str(); }
  unsigned architecture() const override {
    return model_.name == "H100"          ? 9
           : model_.name == "TITAN-RTX"   ? 6
           : model_.name == "V100"        ? 5
           : model_.name.starts_with('A') ? 7
                                          : 2;
  }
  bool has_mig() const override { return model_.name == "A100" || model_.name == "H100"; }
  std::vector<unsigned> memory_clocks() const override {
    std::vector<unsigned> clocks;
    for (const Megahertz clock : model_.memory_clocks) clocks.push_back(whole_mhz(clock));
    return clocks;
  }
  std::vector<unsigned> graphics_clocks(unsigned) const override {
    std::vector<unsigned> clocks;
    for (auto clock = model_.clocks.rbegin(); clock != model_.clocks.rend(); ++clock)
      clocks.push_back(whole_mhz(*clock));
    return clocks;
  }
  unsigned usual_graphics_clock() const override { return whole_mhz(model_.clocks.back()); }
  bool locks_memory() const override { return model_.locks_memory; }
  LimitRange limits() const override {
    const auto mw = [](Watts limit) { return static_cast<unsigned>(limit.value() * 1e3); };
    return {mw(model_.limits.least), mw(model_.limits.usual), mw(model_.limits.most)};
  }

  unsigned graphics_clock() override {
    return board_.ask([](const SimulatedBoard& board) { return whole_mhz(board.clock()); });
  }
  unsigned long long reasons() override {
    return board_.ask([](const SimulatedBoard& board) -> unsigned long long {
      if (!board.at_work()) return backend::nvml::nvmlClocksEventReasonGpuIdle;
      return board.capped() ? backend::nvml::nvmlClocksEventReasonSwPowerCap : 0;
    });
  }
  unsigned celsius() override {
    return board_.ask(
        [](const SimulatedBoard& board) { return static_cast<unsigned>(board.temperature().value() + 0.5); });
  }
  std::optional<unsigned> milliwatts(PowerReading reading) override {
    const char* const names[] = {"power.draw", "power.average", "power.instant"};
    const std::optional<std::size_t> sensor = sensor_named(names[static_cast<int>(reading)]);
    if (!sensor) return std::nullopt;
    return board_.ask(
        [&](const SimulatedBoard& board) { return static_cast<unsigned>(board.shown(*sensor) * 1e3 + 0.5); });
  }
  std::optional<unsigned long long> millijoules() override {
    const std::optional<std::size_t> sensor = sensor_named("energy");
    if (!sensor) return std::nullopt;
    return board_.ask([&](SimulatedBoard& board) {
      if (from_environment("STUCK", 0) != 0) board.freeze(*sensor);
      if (board_.count_question() == from_environment("ANEW", 0)) board.reset_counters();
      return static_cast<unsigned long long>(board.shown(*sensor) * 1e3 + 0.5);
    });
  }
  long long now() override {
    const Nanoseconds now = board_.ask([](const SimulatedBoard& board) { return board.now(); });
    return static_cast<long long>(board_.begun_us() + now.value() / 1e3);
  }

  void load(double core, double memory) override {
    board_.ask([&](SimulatedBoard& board) {
      if (core == 0.0 && memory == 0.0)
        board.idle();
      else
        board.set_load({core, memory});
      return 0;
    });
  }

 private:
  std::optional<std::size_t> sensor_named(const char* name) const {
    for (std::size_t i = 0; i < model_.sensors.size(); ++i)
      if (model_.sensors[i].name == name) return i;
    return std::nullopt;
  }

  const simulate::BoardModel& model_;
  SharedBoard board_;
};

}  // namespace

std::unique_ptr<BoardFace> simulated_face(unsigned device, const simulate::BoardModel& model) {
  return std::make_unique<SimulatedFace>(device, model);
}

}  // namespace wattune::fakes

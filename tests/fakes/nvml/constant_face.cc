// The board of constants: 2619 MHz of memory with 210 to 1980 MHz in steps of 15, and 1593 MHz with 210 to 1200. Its
// power limit is from 200 to 700 W. It draws 350 W at 41 °C, and its energy counter rises by a joule at every fourth
// question.
#include <chrono>

#include "fakes/nvml/environment.h"
#include "fakes/nvml/faces.h"

namespace wattune::fakes {

namespace {

constexpr unsigned kSlowMemoryClock = 1593;

class ConstantFace : public BoardFace {
 public:
  explicit ConstantFace(unsigned device) : device_(device) {}

  const char* name() const override { return "Stand-in GPU"; }
  // Returns the architecture, Hopper by default.
  unsigned architecture() const override { return static_cast<unsigned>(from_environment("ARCHITECTURE", 9)); }
  bool has_mig() const override { return true; }
  std::vector<unsigned> memory_clocks() const override { return {FakeBoard::kMemoryClock, kSlowMemoryClock}; }
  std::vector<unsigned> graphics_clocks(unsigned memory) const override {
    std::vector<unsigned> clocks;
    for (unsigned clock = memory == FakeBoard::kMemoryClock ? 1980 : 1200; clock >= 210; clock -= 15)
      clocks.push_back(clock);
    return clocks;
  }
  unsigned usual_graphics_clock() const override { return FakeBoard::kFullClock; }
  bool locks_memory() const override { return true; }
  LimitRange limits() const override { return {200'000, FakeBoard::kUsualLimit, 700'000}; }
  unsigned graphics_clock() override { return fake_board(device_).graphics(); }
  unsigned long long reasons() override { return static_cast<unsigned long long>(from_environment("BITS", 1)); }
  unsigned celsius() override { return 41; }
  std::optional<unsigned> milliwatts(PowerReading) override { return 350'000; }
  std::optional<unsigned long long> millijoules() override {
    if (from_environment("STUCK", 0) == 0) ++questions_;
    const int anew = from_environment("ANEW", 0);  // the question at which it begins anew
    const unsigned long long since = anew > 0 && questions_ >= anew ? questions_ - anew : questions_;
    return since / 4 * 1000;
  }
  void load(double, double) override {}
  long long now() override {
    const auto time = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  }

 private:
  const unsigned device_;
  long long questions_ = 0;
};

}  // namespace

std::unique_ptr<BoardFace> constant_face(unsigned device) { return std::make_unique<ConstantFace>(device); }

}  // namespace wattune::fakes

// A synthetic device for tests of policies: kernels of known time, with the noise and the ramps of real ones.
#pragma once

#include <functional>

#include "wattune/core/random.h"
#include "wattune/measure/policy.h"

namespace wattune::inline v0_1::measure {

// The time of one run of a kernel whose steady time is 1, drawn from `random`.
using Noise = std::function<double(Random& random)>;

inline double steady(Random&) { return 1.0; }
// Returns a sum of 12 uniform numbers: nearly normal, standard deviation 1.
inline double normal(Random& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}
inline Noise gaussian(double deviation) {
  return [deviation](Random& random) { return 1.0 + deviation * normal(random); };
}
// Makes every twentieth run take up to twice as long. The median is 1 + deviation * z(1/2 / 0.95) = 1 + 0.066
// deviation.
inline Noise with_outliers(double deviation) {
  return [deviation](Random& random) {
    const double time = 1.0 + deviation * normal(random);
    return random.below(20) == 0 ? time * (1.0 + random.uniform()) : time;
  };
}
// Makes three of ten runs take 5 % longer.
inline double bimodal(Random& random) { return (random.below(10) < 3 ? 1.05 : 1.0) * (1.0 + 0.002 * normal(random)); }

// The speed of a device over its time at work since it idled, 1 being full speed.
using Speed = std::function<double(Nanoseconds busy)>;

inline double full_speed(Nanoseconds) { return 1.0; }
// Returns a quarter of the speed for 10 ms, as measured on an AMD W6600.
inline double ramp(Nanoseconds busy) { return busy < nanoseconds_from_ms(10) ? 0.25 : 1.0; }
// Slows down by a fifth once the device is hot.
inline double throttled(Nanoseconds busy) { return busy < nanoseconds_from_ms(60) ? 1.0 : 0.8; }

// A device at work, and its time since it idled.
struct SyntheticDevice {
  explicit SyntheticDevice(std::uint64_t seed, Noise run_noise = steady, Speed device_speed = full_speed)
      : random(seed), noise(std::move(run_noise)), speed(std::move(device_speed)) {}

  Nanoseconds run(Nanoseconds steady_time) {
    constexpr int kSteps = 64;  // of a run, each at the speed of its beginning
    const Nanoseconds work = steady_time * noise(random) / kSteps;
    const Nanoseconds start = busy;
    for (int i = 0; i < kSteps; ++i) busy += work / speed(busy);
    return busy - start;
  }
  void idle() { busy = Nanoseconds(); }

  Random random;
  Noise noise;
  Speed speed;
  Nanoseconds busy;
};

class SyntheticRunner : public Runner {
 public:
  SyntheticRunner(SyntheticDevice& device, Nanoseconds steady_time) : device_(device), steady_time_(steady_time) {}

  Result<std::vector<Sample>> run(std::size_t n) override {
    std::vector<Sample> samples;
    for (; n > 0; --n, ++runs) samples.push_back({device_.run(steady_time_)});
    return samples;
  }
  Nanoseconds busy_time() const override { return device_.busy; }

  std::size_t runs = 0;

 private:
  SyntheticDevice& device_;
  Nanoseconds steady_time_;
};

}  // namespace wattune::measure

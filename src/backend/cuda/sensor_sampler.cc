#include "backend/cuda/sensor_sampler.h"

namespace wattune::inline v0_1::backend::cuda {

Result<std::vector<SensorSample>> SensorSampler::finish(Clock& clock) {
  std::vector<SensorSample> samples;
  if (!interval_) return samples;
  sample();
  WATTUNE_ASSIGN(const std::shared_ptr<ClockMark> mark, clock.mark());
  for (const Sample& taken : taken_) {
    WATTUNE_ASSIGN(const Nanoseconds at, mark->moment_of(taken.at));
    samples.push_back({at, taken.readings});
  }
  return samples;
}

}  // namespace wattune::backend::cuda

// BoardFace: the facts that a device of the stand-in for NVML reports of itself. They are constants, or those of the
// simulated board of a profile. The settings that NVML makes are kept apart from it, in fake_board.h.
#pragma once

#include <optional>
#include <vector>

#include "backend/interface/nvml_api.h"
#include "fakes/cuda/fake_board.h"

namespace wattune::fakes {

enum class PowerReading { draw, average, instant };

struct LimitRange {
  unsigned least_mw;
  unsigned usual_mw;
  unsigned most_mw;
};

class BoardFace {
 public:
  virtual ~BoardFace() = default;
  virtual const char* name() const = 0;
  virtual unsigned architecture() const = 0;
  virtual bool has_mig() const = 0;
  virtual std::vector<unsigned> memory_clocks() const = 0;                   // the highest first
  virtual std::vector<unsigned> graphics_clocks(unsigned memory) const = 0;  // empty if memory has no such clock
  virtual unsigned usual_graphics_clock() const = 0;
  virtual bool locks_memory() const = 0;
  virtual LimitRange limits() const = 0;
  // The current readings; empty if this board has no such sensor.

  virtual unsigned graphics_clock() = 0;
  virtual unsigned long long reasons() = 0;
  virtual unsigned celsius() = 0;
  virtual std::optional<unsigned> milliwatts(PowerReading reading) = 0;
  virtual std::optional<unsigned long long> millijoules() = 0;
  // Loads the board from now on, if it has physics.
  virtual void load(double core, double memory) = 0;
  // Returns the time on its clock, in microseconds since 1970.
  virtual long long now() = 0;
};

// Returns the face of a device, by CUDA's number.
BoardFace& face_of(unsigned device);

}  // namespace wattune::fakes

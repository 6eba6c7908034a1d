// What a search evaluates on: devices of one model, each with what belongs to it, or recorded results.
#pragma once

#include <memory>
#include <vector>

#include "cli/tune_options.h"
#include "wattune/backend/compile_pool.h"
#include "wattune/core/trial.h"
#include "wattune/tune/replay.h"

namespace wattune::cli {

struct Target {
  // Each is used by what follows it; a replay has an evaluator only.
  struct Station {
    std::unique_ptr<backend::Device> device;
    std::unique_ptr<measure::MeasurePolicy> policy;
    std::unique_ptr<tune::Evaluator> evaluator;
  };

  std::vector<DeviceInfo> devices;                   // one, or several of one model
  std::unique_ptr<backend::CompilePool> pool;        // nullptr: the devices compile
  std::unique_ptr<backend::PooledSource> compilers;  // of the pool, for all of them
  std::unique_ptr<tune::Recording> recording;        // of a replay
  std::vector<Station> stations;                     // for each device; they use the above

  std::vector<tune::Evaluator*> evaluators() const;
};

Result<Target> open_recording(const TuneOptions& options, const KernelSpec& spec, const space::SearchSpace& space,
                              ResultSet recorded);

// Opens what --device names and computes the reference, on all devices at the same time; `spec` gets the source in
// their language. A strategy that reads hardware counters gets them. `spec` and `space` outlive the Target. mismatch:
// the devices are of several models.
Result<Target> open_devices(const TuneOptions& options, const std::string& strategy, KernelSpec& spec,
                            const space::SearchSpace& space);

// Options for tuning each model that --device names apart: its devices, and a journal with its name.
Result<std::vector<TuneOptions>> options_by_model(const TuneOptions& options, const KernelSpec& spec,
                                                  const std::filesystem::path& journal);

}  // namespace wattune::cli

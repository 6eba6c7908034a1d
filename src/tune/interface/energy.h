// Measures the energy of a configuration: makes its kernel a load for power::measure() (wattune/power/energy.h), and
// turns the result into metrics.
#pragma once

#include <vector>

#include "tune/evaluate/evaluation_context.h"
#include "wattune/core/configuration.h"
#include "wattune/power/energy.h"

namespace wattune::inline v0_1::tune {

// Opens the recorder that the options name: the user's own, or one of registered sensors; if they name none, one of the
// device's board. Fails with unavailable if the device names no board, or if no sensor reports the energy. Fails with
// not_found if no sensors of that name are registered, and with errors of the user's functions.
Result<std::unique_ptr<power::Recorder>> open_recorder(const EvaluatorOptions& options, const DeviceInfo& device);

// A prepared kernel that runs again and again, with everything that comes before a timed run.
class KernelLoad : public power::Load {
 public:
  // Makes a load of a prepared kernel. The referenced objects must outlive the load.
  KernelLoad(EvaluationContext& run, const Configuration& configuration, const Kernels& kernels, const Launch& launch)
      : run_(run), configuration_(configuration), kernels_(kernels), launch_(launch) {}

  Result<Batch> run(std::size_t launches) override;
  power::SetUp set_up() const override;
  Result<Batch> run_set_up(std::size_t launches) override;

 private:
  template <typename Work>
  Result<Batch> timed(std::size_t launches, Work work);

  EvaluationContext& run_;
  const Configuration& configuration_;
  const Kernels& kernels_;
  const Launch& launch_;
};

// Returns the options for windows of this length, for runs that take `time`, at the clocks that are set. Fails as
// IdlePower::at() does.
Result<power::EnergyOptions> energy_options(const BoardClocks& clocks, IdlePower& idle_power, power::Recorder& recorder,
                                            Nanoseconds time, Nanoseconds window);

// Returns the metrics that are asked for, as far as the board reports them, and metrics that warn of suspect figures.
std::vector<Metric> metrics_of(const power::EnergyFigures& figures, const std::vector<BoardMetric>& asked);

// Returns the measurement with the median energy. Precondition: `figures` is not empty.
power::EnergyFigures middle_of(std::vector<power::EnergyFigures> figures);

}  // namespace wattune::tune

// Advice on the clock of least energy, from recordings.
#include "wattune/tune/advise.h"

#include <algorithm>
#include <cmath>

#include "cli/results/measured_kernels.h"
#include "results.h"

namespace wattune::python {

namespace {

nb::dict share(const tune::LikelyShare& share) {
  nb::dict shown;
  shown["expected"] = share.expected;
  shown["low"] = share.low;
  shown["high"] = share.high;
  return shown;
}

nb::dict shown_advice(const tune::Advice& advice) {
  nb::dict shown;
  shown["clock"] = advice.clock.value();
  shown["is_measured"] = advice.is_measured;
  shown["time"] = share(advice.time);
  shown["energy"] = share(advice.energy);
  shown["chance"] = advice.chance;
  shown["regret"] = advice.regret;
  nb::list measured;
  for (const search::ClockPoint& point : advice.measured) {
    nb::dict one;
    one["clock"] = point.clock.value();
    one["time"] = to_seconds(point.time);
    one["energy"] = point.energy.value();
    measured.append(one);
  }
  shown["measured"] = measured;
  return shown;
}

// Advises on a recorded kernel, whose clocks answer as if they were measured.
nb::dict advise(const Results& kernel, const nb::list& others, std::size_t clocks, std::optional<double> slowdown,
                std::optional<double> power, double confidence) {
  const tune::MeasuredKernel recorded = value_or_raise(cli::measured_kernel(kernel.set, "the results of the kernel"));
  std::vector<tune::MeasuredKernel> known;
  for (const nb::handle other : others)
    known.push_back(value_or_raise(cli::measured_kernel(nb::cast<Results&>(other).set, "other results")));
  std::vector<Megahertz> table;
  for (const search::ClockPoint& point : recorded.points) table.push_back(point.clock);
  const auto measure = [&](Megahertz clock) -> Result<search::ClockPoint> {
    return *std::ranges::min_element(
        recorded.points, {}, [&](const search::ClockPoint& point) { return std::abs((point.clock - clock).value()); });
  };
  tune::AdviceOptions options{.slowdown = slowdown, .power = {}, .confidence = confidence, .clocks = clocks};
  if (power) options.power = Watts(*power);
  return shown_advice(value_or_raise(tune::advise(measure, table, known, options)));
}

}  // namespace

void bind_advise(nb::module_& module) {
  module.def("advise", &advise, nb::arg("kernel"), nb::arg("others"), nb::arg("clocks"), nb::arg("slowdown").none(),
             nb::arg("power").none(), nb::arg("confidence"));
}

}  // namespace wattune::python

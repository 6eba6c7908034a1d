#include "report/page/limit_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/interface/printable.h"
#include "core/interface/wording.h"
#include "report/page/device_peaks.h"

namespace wattune::inline v0_1::report {

namespace {

struct Counter {
  std::string_view metric;
  std::string_view peak;
};

// The counters that give a share of the device's peak, by their own and their short names.
constexpr std::array kCounters = {
    Counter{"dram_utilization", "the bandwidth of device memory"},
    Counter{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "the bandwidth of device memory"},
    Counter{"compute_utilization", "the multiprocessors' peak"},
    Counter{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "the multiprocessors' peak"}};

// A metric, or a unit of metrics, that counts bytes or operations a second.
struct Rate {
  std::string_view name;  // in small letters
  double scale;           // to bytes or operations a second
  double DevicePeaks::*peak;
};

constexpr std::array kRates = {Rate{"bytes_per_second", 1.0, &DevicePeaks::bytes},
                               Rate{"dram_bandwidth", 1.0, &DevicePeaks::bytes},
                               Rate{"b/s", 1.0, &DevicePeaks::bytes},
                               Rate{"gb/s", 1e9, &DevicePeaks::bytes},
                               Rate{"flops", 1.0, &DevicePeaks::operations},
                               Rate{"gflops", 1e9, &DevicePeaks::operations},
                               Rate{"gflop/s", 1e9, &DevicePeaks::operations},
                               Rate{"gflops/s", 1e9, &DevicePeaks::operations},
                               Rate{"tflops", 1e12, &DevicePeaks::operations},
                               Rate{"tflop/s", 1e12, &DevicePeaks::operations},
                               Rate{"tflops/s", 1e12, &DevicePeaks::operations}};

constexpr double kFarFromLimit = 0.2;  // the share of a peak below which the peak is not what holds a kernel back

struct LimitShare {
  double share = 0.0;  // of the peak; 0 if no limit is known
  std::string origin;  // sentences on where it comes from
  std::string condition;
};

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

const Rate* rate_of(const Metric& metric) {
  const std::string name = in_small_letters(metric.name);
  const std::string unit = in_small_letters(metric.unit);
  for (const Rate& rate : kRates)
    if (rate.name == unit || (unit.empty() && rate.name == name)) return &rate;
  return nullptr;
}

LimitShare share_by_counter(const Metric& metric) {
  for (const Counter& counter : kCounters)
    if (counter.metric == metric.name)
      return {.share = metric.value / 100.0,
              .origin = fmt::format("It uses {:.1f} % of {}, by the device's counters.", metric.value, counter.peak),
              .condition = {}};
  return {};
}

// Returns a rate in thousands of millions a second, with four digits or as a whole number.
std::string rate_text(double rate) {
  constexpr double kGiga = 1e9, kLongRate = 1000.0;
  const double value = rate / kGiga;
  return value < kLongRate ? fmt::format("{:.4g}", value)
                           : group_digits(static_cast<std::uint64_t>(std::llround(std::min(value, 1e18))));
}

LimitShare share_by_rate(const Metric& metric, const DevicePeaks& peaks) {
  const Rate* const rate = rate_of(metric);
  if (rate == nullptr) return {};
  const bool is_memory = rate->peak == &DevicePeaks::bytes;
  const double value = metric.value * rate->scale;
  const double peak = peaks.*(rate->peak);
  if (!(value > 0.0) || value > peak) return {};
  return {.share = value / peak,
          .origin = fmt::format("Its metric {} is {} {}, and the published peak of {} is {}.", printable(metric.name),
                                rate_text(value), is_memory ? "GB/s" : "GFLOP/s",
                                is_memory ? "device memory" : "32-bit arithmetic", rate_text(peak)),
          .condition = is_memory ? ", if all of these bytes go to or come from device memory"
                                 : ", if all of it is 32-bit arithmetic without tensor cores"};
}

// Returns the nearest limit. More than the whole peak would mean that the metric counts something else.
LimitShare nearest_limit(const TuningRun& run) {
  const DevicePeaks* const peaks = find_peaks(run.results.info.device.name);
  LimitShare nearest;
  for (const Metric& metric : run.best().observation.metrics) {
    LimitShare found = share_by_counter(metric);
    if (found.share == 0.0 && peaks != nullptr) found = share_by_rate(metric, *peaks);
    if (found.share > nearest.share && found.share <= 1.0) nearest = std::move(found);
  }
  return nearest;
}

}  // namespace

bool has_limit(const TuningRun& run) { return nearest_limit(run).share > 0.0; }

PageCard limit_card(const TuningRun& run) {
  const LimitShare nearest = nearest_limit(run);
  PageCard card{.question = "How near the limit", .figure = "Not known", .words = {}};
  if (nearest.share > 0.0) {
    card.figure = fmt::format("{:.0f} %", 100.0 * nearest.share);
    card.words = {nearest.origin, nearest.share < kFarFromLimit
                                      ? "It is far from this limit, so that something else holds it back."
                                      : fmt::format("By this limit alone it could be {} as fast{}.",
                                                    times_text(1.0 / nearest.share), nearest.condition)};
  } else {
    card.words = {"No counter of the device was recorded, and no metric that can be set beside a published peak."};
  }
  return card;
}

}  // namespace wattune::report

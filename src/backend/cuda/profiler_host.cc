#include "backend/cuda/profiler_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/cuda/cuda_error.h"
#include "core/interface/suggest.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

// A type of counters. Before version 13, CUPTI needs a sub-metric in all questions about a counter.
struct Type {
  CUpti_MetricType type;
  CounterKind kind;
  const char* sub_metric;  // a sub-metric that all counters of this type have
};
constexpr Type kTypes[] = {
    {CUPTI_METRIC_TYPE_COUNTER, CounterKind::counter, ".sum"},
    {CUPTI_METRIC_TYPE_RATIO, CounterKind::ratio, ".ratio"},
    {CUPTI_METRIC_TYPE_THROUGHPUT, CounterKind::throughput, ".avg.pct_of_peak_sustained_elapsed"},
};

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

// Splits "dram__bytes.sum.per_second" into "dram__bytes" and ".sum.per_second". The names of some counters begin with
// groups and dots, in front of the double underscore.
std::pair<std::string, std::string> split_counter(const std::string& name) {
  const std::size_t unit = name.find("__");
  const std::size_t dot = name.find('.', unit == std::string::npos ? 0 : unit);
  if (dot == std::string::npos) return {name, ""};
  return {name.substr(0, dot), name.substr(dot)};
}

// Returns a text with the shortest of the sub-metrics; there may be dozens of sub-metrics.
std::string shortest(std::vector<std::string> sub_metrics) {
  constexpr std::size_t kMostListedSubMetrics = 6;
  std::ranges::stable_sort(sub_metrics, {}, &std::string::size);
  const bool more = sub_metrics.size() > kMostListedSubMetrics;
  if (more) sub_metrics.resize(kMostListedSubMetrics);
  return fmt::format("{}{}", fmt::join(sub_metrics, " "), more ? " and others" : "");
}

Result<void> check_chip(const CuptiApi& cupti, const std::string& chip) {
  auto known = cupti_params<CUpti_Profiler_Host_GetSupportedChips_Params>();
  if (const CUptiResult code = cupti.cuptiProfilerHostGetSupportedChips(&known); code != CUPTI_SUCCESS)
    return cupti_error(cupti, code, "listing the chips whose counters CUPTI knows");
  const std::vector<std::string> chips(known.ppChipNames, known.ppChipNames + known.numChips);
  if (std::ranges::count(chips, chip) > 0) return {};
  return Error(ErrorCode::not_found, "CUPTI knows no counters of chip").about(chip).hint(suggest(chip, chips));
}

}  // namespace

std::vector<const char*> pointers_to(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

void ProfilerHost::Close::operator()(CUpti_Profiler_Host_Object* object) const {
  auto params = cupti_params<CUpti_Profiler_Host_Deinitialize_Params>();
  params.pHostObject = object;
  cupti->cuptiProfilerHostDeinitialize(&params);
}

Result<ProfilerHost> ProfilerHost::open(const CuptiApi& cupti, const std::string& chip,
                                        std::vector<std::uint8_t> available) {
  WATTUNE_TRY(check_chip(cupti, chip));
  auto params = cupti_params<CUpti_Profiler_Host_Initialize_Params>();
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
  if (const CUptiResult code = cupti.cuptiProfilerHostInitialize(&params); code != CUPTI_SUCCESS)
    return cupti_error(cupti, code, fmt::format("looking up the counters of chip {}", chip));
  return ProfilerHost(cupti, Object(params.pHostObject, Close{&cupti}), std::move(available));
}

Result<std::vector<std::string>> ProfilerHost::names_of(CUpti_MetricType type) const {
  auto params = cupti_params<CUpti_Profiler_Host_GetBaseMetrics_Params>();
  params.pHostObject = object_.get();
  params.metricType = type;
  if (const CUptiResult code = cupti_->cuptiProfilerHostGetBaseMetrics(&params); code != CUPTI_SUCCESS)
    return cupti_error(*cupti_, code, "listing the counters");
  return std::vector<std::string>(params.ppMetricNames, params.ppMetricNames + params.numMetrics);
}

CUptiResult ProfilerHost::describe(const std::string& metric,
                                   CUpti_Profiler_Host_GetMetricProperties_Params& properties) const {
  properties = cupti_params<CUpti_Profiler_Host_GetMetricProperties_Params>();
  properties.pHostObject = object_.get();
  properties.pMetricName = metric.c_str();
  return cupti_->cuptiProfilerHostGetMetricProperties(&properties);
}

Result<std::vector<CounterInfo>> ProfilerHost::counters() const {
  std::vector<CounterInfo> counters;
  for (const Type& type : kTypes) {
    WATTUNE_ASSIGN(const std::vector<std::string> names, names_of(type.type));
    for (const std::string& name : names) {
      CUpti_Profiler_Host_GetMetricProperties_Params properties;
      if (const CUptiResult code = describe(name + type.sub_metric, properties); code != CUPTI_SUCCESS)
        return cupti_error(*cupti_, code, fmt::format("describing counter {}", name));
      counters.push_back({name, type.kind, text_or_empty(properties.pDimUnit), text_or_empty(properties.pDescription)});
    }
  }
  return counters;
}

Result<std::vector<std::uint8_t>> ProfilerHost::configure(const std::vector<std::string>& names) {
  std::vector<const char*> pointers = pointers_to(names);
  auto add = cupti_params<CUpti_Profiler_Host_ConfigAddMetrics_Params>();
  add.pHostObject = object_.get();
  add.ppMetricNames = pointers.data();
  add.numMetrics = pointers.size();
  if (const CUptiResult code = cupti_->cuptiProfilerHostConfigAddMetrics(&add); code != CUPTI_SUCCESS)
    return explain(code, names);

  auto size = cupti_params<CUpti_Profiler_Host_GetConfigImageSize_Params>();
  size.pHostObject = object_.get();
  CUptiResult code = cupti_->cuptiProfilerHostGetConfigImageSize(&size);
  std::vector<std::uint8_t> image(size.configImageSize);
  auto get = cupti_params<CUpti_Profiler_Host_GetConfigImage_Params>();
  get.pHostObject = object_.get();
  get.configImageSize = image.size();
  get.pConfigImage = image.data();
  if (code == CUPTI_SUCCESS) code = cupti_->cuptiProfilerHostGetConfigImage(&get);
  if (code != CUPTI_SUCCESS) return cupti_error(*cupti_, code, "planning how to collect the counters");
  return image;
}

Error ProfilerHost::explain(CUptiResult code, const std::vector<std::string>& names) const {
  for (const std::string& name : names)
    if (Result<void> good = check(name); !good) return std::move(good).error();
  return cupti_error(*cupti_, code, "planning how to collect the counters");
}

Result<void> ProfilerHost::check(const std::string& name) const {
  const auto [counter, sub_metric] = split_counter(name);
  std::vector<std::string> known;
  for (const Type& type : kTypes) {
    WATTUNE_ASSIGN(const std::vector<std::string> names, names_of(type.type));
    known.insert(known.end(), names.begin(), names.end());
    if (std::ranges::count(names, counter) == 0) continue;
    const std::vector<std::string> all = sub_metrics(counter + type.sub_metric, type.type);
    if (std::ranges::count(all, sub_metric) > 0) return {};
    return Error(ErrorCode::invalid_argument,
                 sub_metric.empty() ? "a counter needs a sub-metric" : "the counter has no such sub-metric")
        .about(name)
        .hint(fmt::format("{} has {}", counter, shortest(all)));
  }
  const std::string nearest = suggest(counter, known);
  return Error(ErrorCode::not_found, "the device has no such counter")
      .about(name)
      .hint(nearest.empty() ? "`wattune devices --counters DEVICE` lists them" : nearest);
}

std::vector<std::string> ProfilerHost::sub_metrics(const std::string& metric, CUpti_MetricType type) const {
  auto params = cupti_params<CUpti_Profiler_Host_GetSubMetrics_Params>();
  params.pHostObject = object_.get();
  params.metricType = type;
  params.pMetricName = metric.c_str();
  if (cupti_->cuptiProfilerHostGetSubMetrics(&params) != CUPTI_SUCCESS) return {};
  return {params.ppSubMetrics, params.ppSubMetrics + params.numOfSubmetrics};
}

Result<std::vector<Metric>> ProfilerHost::evaluate(std::span<const std::uint8_t> data,
                                                   const std::vector<std::string>& names) const {
  std::vector<const char*> pointers = pointers_to(names);
  std::vector<double> values(names.size());
  auto params = cupti_params<CUpti_Profiler_Host_EvaluateToGpuValues_Params>();
  params.pHostObject = object_.get();
  params.pCounterDataImage = data.data();
  params.counterDataImageSize = data.size();
  params.ppMetricNames = pointers.data();
  params.numMetrics = pointers.size();
  params.pMetricValues = values.data();
  if (const CUptiResult code = cupti_->cuptiProfilerHostEvaluateToGpuValues(&params); code != CUPTI_SUCCESS)
    return cupti_error(*cupti_, code, "reading the counters");
  std::vector<Metric> metrics;
  for (std::size_t i = 0; i < names.size(); ++i) {
    CUpti_Profiler_Host_GetMetricProperties_Params properties;
    if (!std::isfinite(values[i])) continue;
    const bool described = describe(names[i], properties) == CUPTI_SUCCESS;
    metrics.push_back({names[i], values[i], described ? text_or_empty(properties.pDimUnit) : ""});
  }
  return metrics;
}

}  // namespace wattune::backend::cuda

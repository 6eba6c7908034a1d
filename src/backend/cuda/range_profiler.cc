#include "backend/cuda/range_profiler.h"

#include "backend/cuda/cuda_error.h"

namespace wattune::inline v0_1::backend::cuda {

namespace {

Result<std::string> chip_of(const CuptiApi& cupti, const Session& session) {
  auto params = cupti_params<CUpti_Device_GetChipName_Params>();
  params.deviceIndex = static_cast<std::size_t>(session.device().id);
  if (const CUptiResult code = cupti.cuptiDeviceGetChipName(&params); code != CUPTI_SUCCESS)
    return cupti_error(cupti, code, "asking CUPTI for the device's chip");
  return std::string(params.pChipName);
}

// Initializes CUPTI, which otherwise crashes when it is asked about a device.
Result<void> initialize(const CuptiApi& cupti) {
  auto params = cupti_params<CUpti_Profiler_Initialize_Params>();
  if (const CUptiResult code = cupti.cuptiProfilerInitialize(&params); code != CUPTI_SUCCESS)
    return cupti_error(cupti, code, "starting CUPTI");
  return {};
}

void deinitialize(const CuptiApi& cupti) {
  auto params = cupti_params<CUpti_Profiler_DeInitialize_Params>();
  cupti.cuptiProfilerDeInitialize(&params);
}

}  // namespace

Result<std::vector<CounterInfo>> counters_of(const Session& session) {
  WATTUNE_ASSIGN(const CuptiApi* cupti, cupti_api(session.cu().version));
  WATTUNE_TRY(initialize(*cupti));
  const Result<std::string> chip = chip_of(*cupti, session);
  deinitialize(*cupti);
  if (!chip) return chip.error();
  WATTUNE_ASSIGN(const ProfilerHost host, ProfilerHost::open(*cupti, *chip));
  return host.counters();
}

template <typename Params>
Result<void> RangeProfiler::call(CUptiResult (*function)(Params*), Params& params, std::string_view doing) const {
  if (const CUptiResult code = function(&params); code != CUPTI_SUCCESS) return cupti_error(cupti_, code, doing);
  return {};
}

template <typename Params>
Result<void> RangeProfiler::call(CUptiResult (*function)(Params*), std::string_view doing) const {
  auto params = cupti_params<Params>();
  params.pRangeProfilerObject = object_;
  return call(function, params, doing);
}

Result<std::unique_ptr<RangeProfiler>> RangeProfiler::start(std::shared_ptr<Session> session,
                                                            std::vector<std::string> counters) {
  WATTUNE_ASSIGN(const CuptiApi* cupti, cupti_api(session->cu().version));
  std::unique_ptr<RangeProfiler> profiler(new RangeProfiler(*cupti, std::move(session), std::move(counters)));
  WATTUNE_TRY(profiler->prepare());
  return profiler;
}

// Ends the profiler, unless a kernel of the context never ends, because CUPTI would wait for that kernel.
RangeProfiler::~RangeProfiler() {
  if (!session_->releasable()) return;
  if (object_ != nullptr) (void)call(cupti_.cuptiRangeProfilerDisable, "leaving the profiler");
  if (initialized_) deinitialize(cupti_);
}

Result<void> RangeProfiler::prepare() {
  WATTUNE_TRY(initialize(cupti_));
  initialized_ = true;
  WATTUNE_ASSIGN(const std::string chip, chip_of(cupti_, *session_));
  WATTUNE_ASSIGN(std::vector<std::uint8_t> available, available_counters());
  WATTUNE_ASSIGN(ProfilerHost host, ProfilerHost::open(cupti_, chip, std::move(available)));
  host_ = std::make_unique<ProfilerHost>(std::move(host));
  WATTUNE_ASSIGN(config_, host_->configure(counters_));
  WATTUNE_TRY(enable());
  WATTUNE_TRY(make_counter_data());
  return set_config();
}

Result<std::vector<std::uint8_t>> RangeProfiler::available_counters() const {
  constexpr std::string_view kDoing = "asking which counters may be read";
  auto params = cupti_params<CUpti_Profiler_GetCounterAvailability_Params>();
  params.ctx = session_->context();
  WATTUNE_TRY(call(cupti_.cuptiProfilerGetCounterAvailability, params, kDoing));
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  WATTUNE_TRY(call(cupti_.cuptiProfilerGetCounterAvailability, params, kDoing));
  return image;
}

Result<void> RangeProfiler::enable() {
  auto params = cupti_params<CUpti_RangeProfiler_Enable_Params>();
  params.ctx = session_->context();
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerEnable, params, "taking hold of the counters"));
  object_ = params.pRangeProfilerObject;
  return {};
}

Result<void> RangeProfiler::make_counter_data() {
  constexpr std::string_view kDoing = "making room for the counters' values";
  std::vector<const char*> names = pointers_to(counters_);
  auto size = cupti_params<CUpti_RangeProfiler_GetCounterDataSize_Params>();
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerGetCounterDataSize, size, kDoing));
  counter_data_.resize(size.counterDataSize);
  auto params = cupti_params<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>();
  params.pRangeProfilerObject = object_;
  params.counterDataSize = counter_data_.size();
  params.pCounterData = counter_data_.data();
  return call(cupti_.cuptiRangeProfilerCounterDataImageInitialize, params, kDoing);
}

Result<void> RangeProfiler::set_config() {
  auto params = cupti_params<CUpti_RangeProfiler_SetConfig_Params>();
  params.pRangeProfilerObject = object_;
  params.configSize = config_.size();
  params.pConfig = config_.data();
  params.counterDataImageSize = counter_data_.size();
  params.pCounterDataImage = counter_data_.data();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = 1;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.targetNestingLevel = 1;
  return call(cupti_.cuptiRangeProfilerSetConfig, params, "setting up the counters");
}

Result<void> RangeProfiler::begin_pass() {
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerStart, "starting the counters"));
  auto params = cupti_params<CUpti_RangeProfiler_PushRange_Params>();
  params.pRangeProfilerObject = object_;
  params.pRangeName = "kernel";
  return call(cupti_.cuptiRangeProfilerPushRange, params, "starting the counters");
}

Result<void> RangeProfiler::end_pass() {
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerPopRange, "stopping the counters"));
  auto params = cupti_params<CUpti_RangeProfiler_Stop_Params>();
  params.pRangeProfilerObject = object_;
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerStop, params, "stopping the counters"));
  complete_ = params.isAllPassSubmitted != 0;
  return {};
}

Result<std::vector<Metric>> RangeProfiler::values() {
  WATTUNE_TRY(call(cupti_.cuptiRangeProfilerDecodeData, "decoding the counters"));
  return host_->evaluate(counter_data_, counters_);
}

}  // namespace wattune::backend::cuda

// RangeProfiler: counts hardware events while one kernel runs.
//
// The hardware counts only some events at once, so the kernel runs several times, in passes, each from the same state.
// This is the Range Profiler API of "CUPTI", with ranges and replay by its user. While a RangeProfiler lives, CUPTI
// intercepts the driver's work, so measured times mean nothing.
//
//   WATTUNE_ASSIGN(auto profiler, RangeProfiler::start(session, {"dram__bytes_read.sum"}));
//   do {
//     WATTUNE_TRY(profiler->begin_pass());
//     launch and wait
//     WATTUNE_TRY(profiler->end_pass());
//   } while (!profiler->complete());
//   return profiler->values();
#pragma once

#include "backend/cuda/profiler_host.h"
#include "backend/cuda/session.h"

namespace wattune::inline v0_1::backend::cuda {

class RangeProfiler {
 public:
  // Starts to profile. Fails with unavailable (no CUPTI, not permitted, another profiler at work), otherwise with the
  // errors of ProfilerHost::configure().
  static Result<std::unique_ptr<RangeProfiler>> start(std::shared_ptr<Session> session,
                                                      std::vector<std::string> counters);
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  // The next two functions begin and end a pass, in which only the counted work may run.

  Result<void> begin_pass();
  Result<void> end_pass();
  bool complete() const { return complete_; }
  // Returns the values, with CUPTI's names and units. Precondition: complete().
  Result<std::vector<Metric>> values();

 private:
  RangeProfiler(const CuptiApi& cupti, std::shared_ptr<Session> session, std::vector<std::string> counters)
      : cupti_(cupti), session_(std::move(session)), counters_(std::move(counters)) {}

  template <typename Params>
  Result<void> call(CUptiResult (*function)(Params*), Params& params, std::string_view doing) const;
  // Calls a function of CUPTI whose only argument is the profiler.
  template <typename Params>
  Result<void> call(CUptiResult (*function)(Params*), std::string_view doing) const;
  Result<void> prepare();
  Result<std::vector<std::uint8_t>> available_counters() const;
  Result<void> enable();
  Result<void> make_counter_data();
  Result<void> set_config();

  const CuptiApi& cupti_;
  std::shared_ptr<Session> session_;
  const std::vector<std::string> counters_;
  std::unique_ptr<ProfilerHost> host_;
  bool initialized_ = false;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> config_;
  std::vector<std::uint8_t> counter_data_;
  bool complete_ = false;
};

// Lists all counters of the session's device. Fails with unavailable without CUPTI.
Result<std::vector<CounterInfo>> counters_of(const Session& session);

}  // namespace wattune::backend::cuda

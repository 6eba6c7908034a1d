// Streams and events of the stand-in for libcuda.so.1, on its virtual time.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "fakes/cuda/fake_driver.h"

namespace wattune::fakes {

namespace {

const auto begin = std::chrono::steady_clock::now();

// Limits a priority to the driver's six levels, of which the lowest number goes first.
int clamped(int priority) { return std::clamp(priority, -5, 0); }

}  // namespace

bool on_host_time() {
  static const char* const time = std::getenv("WATTUNE_FAKE_CUDA_TIME");
  return time != nullptr && std::strcmp(time, "host") == 0;
}

void look_at_clock() {
  if (!on_host_time()) return;
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  context().now_ms = std::max(context().now_ms, passed.count());
}

void host_reaches(double time_ms) {
  if (on_host_time()) std::this_thread::sleep_until(begin + std::chrono::duration<double, std::milli>(time_ms));
  context().now_ms = std::max(context().now_ms, time_ms);
}

}  // namespace wattune::fakes

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  *stream = made(context().streams, new CUstream_st, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  const CUresult code = cuStreamCreate(stream, flags);
  if (code == CUDA_SUCCESS) (*stream)->priority = clamped(priority);
  return code;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (context().broken == CUDA_SUCCESS && hangs(*stream))
    misused("a stream in which a kernel runs without end was destroyed, which waits for it");
  take(context().streams, stream, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  if (!state.holds || on_host_time()) return CUDA_ERROR_NOT_SUPPORTED;
  catch_up(stream_of(stream));
  stream_of(stream).word = reinterpret_cast<std::uint32_t*>(address);
  stream_of(stream).awaited = value;
  ++state.held_streams;
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  if (!context().events.contains(event)) misused("a stream waits for an event that is gone");
  CUstream_st& stream = stream_of(handle);
  catch_up(stream);
  stream.time_ms = std::max(stream.time_ms, event->time_ms);
  stream.hung |= event->hung;
  ++state.awaited_events;
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream handle) {
  WATTUNE_UNLESS_BROKEN();
  WATTUNE_UNLESS_CAPTURING();
  CUstream_st& stream = stream_of(handle);
  look_at_clock();
  if (hangs(stream) || stream.held() || std::exchange(stream.busy, false)) return CUDA_ERROR_NOT_READY;
  if (on_host_time() && stream.time_ms > context().now_ms) return CUDA_ERROR_NOT_READY;
  host_reaches(stream.time_ms);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  WATTUNE_UNLESS_BROKEN();
  CUstream_st& stream = stream_of(handle);
  if (hangs(stream)) misused("a wait without limit for a kernel that never ends");
  stream.busy = false;
  host_reaches(stream.time_ms);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  *event = made(context().events, new CUevent_st, state.events);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  take(context().events, event, state.events);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  const std::lock_guard one_at_a_time(entry);
  // A kernel that breaks the context does so after the commands that were sent right behind it.
  CUstream_st& recording = stream_of(stream);
  catch_up(recording);
  *event = {recording.time_ms, stream, recording.hung, recording.stop_word};
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  ++std::atomic_ref(state.event_queries);  // by any thread, outside the lock
  WATTUNE_UNLESS_BROKEN();
  WATTUNE_UNLESS_CAPTURING();
  const bool held = context().streams.contains(event->stream) && event->stream->held();
  if (hangs(*event) || held) return CUDA_ERROR_NOT_READY;
  // A caller that knows of the end may use the word again.
  if (event->stop_word != nullptr && context().streams.contains(event->stream)) event->stream->stop_word = nullptr;
  look_at_clock();
  const bool passed = event->time_ms <= context().now_ms;
  if (!on_host_time()) host_reaches(event->time_ms);
  return passed ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  WATTUNE_UNLESS_BROKEN();
  *milliseconds = static_cast<float>(end->time_ms - start->time_ms);
  return CUDA_SUCCESS;
}

}  // extern "C"

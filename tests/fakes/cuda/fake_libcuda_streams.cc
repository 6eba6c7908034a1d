// Streams and events of the stand-in for libcuda.so.1, on its virtual time.
#include <algorithm>
#include <utility>

#include "fakes/cuda/fake_driver.h"

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  *stream = made(context().streams, new CUstream_st, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (hangs(*stream)) misused("a stream in which a kernel runs without end was destroyed, which waits for it");
  take(context().streams, stream, state.streams);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, std::uint32_t value, unsigned) {
  WATTUNE_UNLESS_BROKEN();
  if (!state.holds) return CUDA_ERROR_NOT_SUPPORTED;
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
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream handle) {
  WATTUNE_UNLESS_BROKEN();
  CUstream_st& stream = stream_of(handle);
  if (hangs(stream) || stream.held() || std::exchange(stream.busy, false)) return CUDA_ERROR_NOT_READY;
  context().now_ms = std::max(context().now_ms, stream.time_ms);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  WATTUNE_UNLESS_BROKEN();
  CUstream_st& stream = stream_of(handle);
  if (hangs(stream)) misused("a wait without limit for a kernel that never ends");
  stream.busy = false;
  context().now_ms = std::max(context().now_ms, stream.time_ms);
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
  // A kernel that broke the context did so after what was sent right behind it.
  CUstream_st& recording = stream_of(stream);
  catch_up(recording);
  *event = {recording.time_ms, stream, recording.hung};
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  WATTUNE_UNLESS_BROKEN();
  const bool held = context().streams.contains(event->stream) && event->stream->held();
  if (hangs(*event) || held) return CUDA_ERROR_NOT_READY;
  const bool passed = event->time_ms <= context().now_ms;
  context().now_ms = std::max(context().now_ms, event->time_ms);
  return passed ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  WATTUNE_UNLESS_BROKEN();
  *milliseconds = static_cast<float>(end->time_ms - start->time_ms);
  return CUDA_SUCCESS;
}

}  // extern "C"

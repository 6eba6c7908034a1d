// Contexts of the stand-in for libcuda.so.1, and the stack of them that each thread has.
#include <unistd.h>

#include "fakes/cuda/fake_board.h"
#include "fakes/cuda/fake_driver.h"

namespace {

std::set<CUcontext> contexts;
std::map<CUdevice, std::pair<CUcontext, int>> primary;  // with the number of times that it is retained
thread_local std::vector<CUcontext> stack;              // the last is current

// Replaces `from` by `to` in the list of processes that use a board, which NVML reports.
void list_process(CUdevice device, int from, int to) {
  auto& processes = fake_board(static_cast<unsigned>(device)).processes;
  int* const place = std::ranges::find(processes, from);
  if (place != std::end(processes)) *place = to;
}

CUcontext make_context(CUdevice device) {
  list_process(device, 0, getpid());
  return made(contexts, new CUctx_st{.device = device}, state.contexts);
}

bool lives(CUcontext context) {
  const std::lock_guard one_at_a_time(entry);
  return contexts.contains(context);
}

}  // namespace

namespace wattune::fakes {

bool has_context() { return !stack.empty(); }

CUctx_st& context() {
  if (stack.empty() || !lives(stack.back())) misused("a call without a context");
  return *stack.back();
}

CUctx_st* context_of(CUstream handle) {
  const auto owner = std::ranges::find_if(contexts, [&](CUcontext each) { return each->streams.contains(handle); });
  if (owner != contexts.end()) return *owner;
  return stack.empty() || !lives(stack.back()) ? nullptr : stack.back();
}

Entered::Entered(CUctx_st& context) { stack.push_back(&context); }
Entered::~Entered() { stack.pop_back(); }

}  // namespace wattune::fakes

extern "C" {

std::size_t wattune_fake_cuda_stack() { return stack.size(); }

CUresult cuCtxCreate_v2(CUcontext* result, unsigned, CUdevice device) {
  const std::lock_guard one_at_a_time(entry);
  if (is_lost(device)) return CUDA_ERROR_NO_DEVICE;
  if (state.context_result != CUDA_SUCCESS) return state.context_result;
  *result = stack.emplace_back(make_context(device));
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext gone) {
  const std::lock_guard one_at_a_time(entry);
  state.allocations -= static_cast<long>(gone->allocations.size());
  while (!gone->modules.empty()) take(gone->modules, *gone->modules.begin(), state.modules);
  while (!gone->streams.empty()) take(gone->streams, *gone->streams.begin(), state.streams);
  while (!gone->arrays.empty()) take(gone->arrays, *gone->arrays.begin(), state.arrays);
  while (!gone->objects.empty()) take(gone->objects, *gone->objects.begin(), state.objects);
  while (!gone->green_contexts.empty()) take(gone->green_contexts, *gone->green_contexts.begin(), state.green_contexts);
  while (!gone->events.empty()) take(gone->events, *gone->events.begin(), state.events);
  list_process(gone->device, getpid(), 0);
  take(contexts, gone, state.contexts);
  if (!stack.empty() && stack.back() == gone) stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  std::atomic_ref(state.asked_for_context).fetch_add(1, std::memory_order_relaxed);
  *context = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!lives(context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (stack.empty()) misused("no context to be popped");
  *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  *device = context().device;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* result) {
  const std::lock_guard one_at_a_time(entry);
  *result = nullptr;
  if (reinterpret_cast<std::size_t>(handle) < context().default_streams.size()) *result = &context();
  for (const CUcontext context : contexts)
    if (context->streams.contains(handle)) *result = context;
  return *result != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const std::lock_guard one_at_a_time(entry);
  if (state.context_result != CUDA_SUCCESS) return state.context_result;
  auto& [made, count] = primary[device];
  if (count++ == 0) made = make_context(device);
  *context = made;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const std::lock_guard one_at_a_time(entry);
  auto& [made, count] = primary[device];
  if (--count < 0) misused("a primary context was released too often");
  return count > 0 ? CUDA_SUCCESS : cuCtxDestroy_v2(made);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  const std::lock_guard one_at_a_time(entry);
  *flags = 0;
  *active = primary[device].second > 0 ? 1 : 0;
  return CUDA_SUCCESS;
}

// Implements a call that Wattune does not use, but applications do.
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}

}  // extern "C"

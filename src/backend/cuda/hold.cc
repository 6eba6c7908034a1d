#include "backend/cuda/hold.h"

#include <atomic>

namespace wattune::inline v0_1::backend::cuda {

Hold::Hold(const Handle<CUstream>& stream, bool wanted) : stream_(stream.get()) {
  if (!wanted) return;
  const std::shared_ptr<Session>& session = stream.session();
  void* memory = nullptr;
  if (session->cu().cuMemHostAlloc(&memory, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) return;
  word_ = Handle<std::uint32_t*>(session, static_cast<std::uint32_t*>(memory));
  *word_.get() = 0;
  usable_ = true;
  watcher_ = std::thread([this] { watch(); });
}

Hold::~Hold() {
  if (!watcher_.joinable()) return;
  let_go();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  watcher_.join();
}

void Hold::take() {
  if (!usable_ || held_) return;
  std::uint32_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    usable_ = rescues_ < kMostRescues;
    if (!usable_) return;
    ticket = ++taken_;
  }
  held_ = true;
  changed_.notify_one();
  // Host memory has the same address on the device, because addressing is unified.
  const auto address = reinterpret_cast<CUdeviceptr>(word_.get());
  if (word_.session()->cu().cuStreamWaitValue32(stream_, address, ticket, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS)
    return;
  usable_ = false;
  let_go();
}

void Hold::let_go() {
  if (!held_) return;
  held_ = false;
  const std::lock_guard lock(mutex_);
  released_ = taken_;
  std::atomic_ref(*word_.get()).store(released_, std::memory_order_release);
}

void Hold::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || taken_ != released_; });
    if (ended_) return;
    const std::uint32_t watched = taken_;
    changed_.wait_for(lock, kLongestHold, [&] { return ended_ || taken_ != watched; });
    if (taken_ != watched || released_ == watched) continue;
    ++rescues_;
    released_ = watched;
    std::atomic_ref(*word_.get()).store(released_, std::memory_order_release);
  }
}

}  // namespace wattune::backend::cuda

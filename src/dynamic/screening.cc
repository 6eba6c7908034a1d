#include "dynamic/screening.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "wattune/backend/attach.h"

namespace wattune::dynamic {

namespace {

// How long the process stays when there is nothing to screen: its context takes memory of the device.
constexpr std::chrono::seconds kIdle{5};
// Of the memory that nobody has taken.
constexpr std::uint64_t kPart = 4;

}  // namespace

void Screening::add(std::shared_ptr<KeyScreening> key) {
  const std::lock_guard lock(mutex_);
  keys_.push_back(std::move(key));
  added_.notify_one();
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void Screening::work(const std::stop_token& stop) {
  const backend::RelaxedCapture relaxed;  // it asks the application's context for its free memory
  while (const std::shared_ptr<KeyScreening> key = next(stop)) {
    screen(*key, stop);
    const std::lock_guard lock(mutex_);
    if (!stop.stop_requested() && !key->is_over(options_.now())) keys_.push_back(key);
  }
}

// nullptr: it ends.
std::shared_ptr<KeyScreening> Screening::next(const std::stop_token& stop) {
  const auto has_key = [this] { return !keys_.empty(); };
  std::unique_lock lock(mutex_);
  if (!added_.wait_for(lock, stop, kIdle, has_key)) {
    lock.unlock();
    device_.reset();
    lock.lock();
    added_.wait(lock, stop, has_key);
  }
  return stop.stop_requested() ? nullptr : take_worthiest();
}

// Of those that are worth as much the first.
std::shared_ptr<KeyScreening> Screening::take_worthiest() {
  const auto worth = [now = options_.now()](const auto& key) { return key->worth(now); };
  const auto found = std::ranges::max_element(keys_, {}, worth);
  std::shared_ptr<KeyScreening> key = std::move(*found);
  keys_.erase(found);
  return key;
}

void Screening::screen(KeyScreening& key, const std::stop_token& stop) {
  if (key.is_over(options_.now())) return;
  if (Result<void> opened = open(stop); !opened) return key.refuse(opened.error());
  const Result<void> done = key.run({.device = *device_,
                                     .policy = *policy_,
                                     .most_memory = options_.free_memory() / kPart,
                                     .worker = worker(stop),
                                     .now = options_.now,
                                     .stop = stop,
                                     .others = [this] { return worth_of_others(); },
                                     .pool = options_.pool,
                                     .compile_ahead = options_.compile_ahead,
                                     .steps = &steps_});
  if (done) return;
  if (done.error().code() == ErrorCode::device_lost) device_.reset();
  if (!stop.stop_requested())
    options_.note(fmt::format("kernel `{}`, {}: screening ends: {}", key.problem().spec.name,
                              to_string(key.problem().key), done.error().to_string()));
}

Nanoseconds Screening::worth_of_others() {
  const Nanoseconds now = options_.now();
  const std::lock_guard lock(mutex_);
  Nanoseconds most;
  for (const auto& key : keys_) most = std::max(most, key->worth(now));
  return most;
}

Result<void> Screening::open(const std::stop_token& stop) {
  if (refused_) return *refused_;
  if (device_ != nullptr) return {};
  Result<std::unique_ptr<backend::Device>> opened = options_.open(worker(stop));
  if (!opened && backend::killed_from_outside(opened.error())) opened = options_.open(worker(stop));
  if (opened) {
    device_ = *std::move(opened);
    return {};
  }
  refused_ = opened.error();
  if (!stop.stop_requested())
    options_.note(fmt::format("nothing is screened, so that kernels that are not trusted run the best known only: {}",
                              refused_->to_string()));
  return *refused_;
}

backend::WorkerOptions Screening::worker(const std::stop_token& stop) const {
  backend::WorkerOptions worker = options_.worker;
  worker.stop = stop;
  return worker;
}

}  // namespace wattune::dynamic

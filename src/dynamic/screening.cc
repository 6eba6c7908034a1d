#include "dynamic/screening.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/stopwatch.h"
#include "wattune/backend/attach.h"

namespace wattune::dynamic {

namespace {

// How long the process stays when there is nothing to screen: its context takes memory of the device.
constexpr Nanoseconds kIdle = nanoseconds_from_seconds(5);
// Between two looks whether a key pays again.
constexpr std::chrono::milliseconds kPause{20};
// Of the memory that nobody has taken.
constexpr std::uint64_t kPart = 4;

}  // namespace

void Screening::add(std::shared_ptr<KeyScreening> key) {
  if (options_.pool != nullptr && options_.target) key->expect_reference(*options_.pool, options_.target);
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

// nullptr: it ends. The process is given back when nothing has paid for long.
std::shared_ptr<KeyScreening> Screening::next(const std::stop_token& stop) {
  const Stopwatch idle;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (std::shared_ptr<KeyScreening> key = take_worthiest()) return key;
    if (device_ != nullptr && idle.elapsed() >= kIdle) {
      lock.unlock();
      device_.reset();
      contents_.forget();
      lock.lock();
    }
    const bool asks_again = device_ != nullptr || !keys_.empty();
    const auto has_come = [this, before = keys_.size()] { return keys_.size() > before; };
    if (asks_again)
      added_.wait_for(lock, stop, kPause, has_come);
    else
      added_.wait(lock, stop, has_come);
  }
  return nullptr;
}

Nanoseconds Screening::worth_of(KeyScreening& key) const {
  const Nanoseconds cost = steps_ ? steps_->value() : Nanoseconds();
  return key.is_worth_running(cost) ? key.worth(options_.now()) : Nanoseconds(-1);
}

// Of those that are worth running; of those that are worth as much the first. nullptr: there is none.
std::shared_ptr<KeyScreening> Screening::take_worthiest() {
  std::erase_if(keys_, [now = options_.now()](const auto& key) { return key->is_over(now); });
  const auto worth = [this](const auto& key) { return worth_of(*key); };
  const auto found = std::ranges::max_element(keys_, {}, worth);
  if (found == keys_.end() || worth(*found) < Nanoseconds()) return nullptr;
  std::shared_ptr<KeyScreening> key = std::move(*found);
  keys_.erase(found);
  return key;
}

void Screening::screen(KeyScreening& key, const std::stop_token& stop) {
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
                                     .steps = &steps_,
                                     .contents = &contents_});
  if (done) return;
  if (done.error().code() == ErrorCode::device_lost) device_.reset();
  if (!stop.stop_requested())
    options_.note(fmt::format("kernel `{}`, {}: screening ends: {}", key.problem().spec.name,
                              to_string(key.problem().key), done.error().to_string()));
}

Nanoseconds Screening::worth_of_others() {
  const std::lock_guard lock(mutex_);
  Nanoseconds most(-1);
  for (const auto& key : keys_) most = std::max(most, worth_of(*key));
  return most;
}

Result<void> Screening::open(const std::stop_token& stop) {
  if (refused_) return *refused_;
  if (device_ != nullptr) return {};
  Result<std::unique_ptr<backend::Device>> opened = options_.open(worker(stop));
  if (!opened && backend::killed_from_outside(opened.error())) opened = options_.open(worker(stop));
  if (opened) {
    device_ = *std::move(opened);
    if (policy_ == nullptr) policy_ = make_screening_policy(device_->info().kind);
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

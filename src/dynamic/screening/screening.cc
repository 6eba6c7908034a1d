#include "dynamic/screening/screening.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backend/interface/kill_count.h"
#include "core/stopwatch.h"
#include "wattune/backend/attach.h"

namespace wattune::inline v0_1::dynamic {

namespace {

// Time after which the screening process is ended if no key is to be screened. Its context takes memory of the device.
constexpr Nanoseconds kIdleTimeBeforeClosing = nanoseconds_from_seconds(5);
// Pause between two checks whether screening a key pays again.
constexpr std::chrono::milliseconds kPause{20};
// Divisor of the free memory, since screening may take a quarter of it.
constexpr std::uint64_t kFreeMemoryDivisor = 4;

}  // namespace

void Screening::add(std::shared_ptr<KeyScreening> key) {
  if (options_.pool != nullptr && options_.target) key->expect_reference(*options_.pool, options_.target);
  const std::lock_guard lock(mutex_);
  keys_.push_back(std::move(key));
  begin();
}

void Screening::expect_key() {
  const std::lock_guard lock(mutex_);
  is_key_expected_ = true;
  begin();
}

// Starts the thread, or wakes it if it is running. The lock must be held.
void Screening::begin() {
  added_.notify_one();
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

bool Screening::take_expectation() {
  const std::lock_guard lock(mutex_);
  return std::exchange(is_key_expected_, false);
}

void Screening::work(const std::stop_token& stop) {
  const backend::RelaxedCapture relaxed;  // since screening queries the free memory of the application's context
  while (const std::shared_ptr<KeyScreening> key = next(stop)) {
    screen(key, stop);
    const std::lock_guard lock(mutex_);
    if (!stop.stop_requested() && !key->is_over(options_.now())) keys_.push_back(key);
  }
}

// Returns the next key to screen. Returns nullptr if the thread is to end. Ends the screening process if no key has
// paid for a long time.
std::shared_ptr<KeyScreening> Screening::next(const std::stop_token& stop) {
  const Stopwatch idle;
  while (!stop.stop_requested()) {
    drop_over();
    note_resting();
    if (take_expectation()) static_cast<void>(open(stop));  // a failure is reported by the first key
    if (device_ != nullptr && idle.elapsed() >= kIdleTimeBeforeClosing) close();
    std::unique_lock lock(mutex_);
    if (std::shared_ptr<KeyScreening> key = take_worthiest()) return key;
    if (steps_ && !keys_.empty()) steps_->forgive(*options_.stall_budget, options_.now());
    const bool asks_again = device_ != nullptr || !keys_.empty();
    const auto has_come = [this, before = keys_.size()] { return keys_.size() > before || is_key_expected_; };
    if (asks_again)
      added_.wait_for(lock, stop, kPause, has_come);
    else
      added_.wait(lock, stop, has_come);
  }
  return nullptr;
}

Nanoseconds Screening::worth_of(KeyScreening& key) const {
  const Nanoseconds cost = steps_ ? steps_->value() : Nanoseconds();
  return key.is_worth_running(cost, kept_.has(&key)) ? key.trial_gain(options_.now()) : Nanoseconds(-1);
}

// Drops the keys that have no more steps to run. Then, without the lock, releases the memory and programs of these
// keys, since that may take a while.
void Screening::drop_over() {
  std::vector<std::shared_ptr<KeyScreening>> over;
  {
    const std::lock_guard lock(mutex_);
    const auto is_over = [now = options_.now()](const auto& key) { return key->is_over(now); };
    std::ranges::copy_if(keys_, std::back_inserter(over), is_over);
    std::erase_if(keys_, [&](const auto& key) { return std::ranges::count(over, key) > 0; });
  }
  for (const std::shared_ptr<KeyScreening>& key : over) kept_.take(key.get());
}

void Screening::note_resting() {
  std::vector<std::string> notes;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& key : keys_)
      if (auto why = key->take_reason_to_rest(options_.now(), steps_ ? steps_->value() : Nanoseconds()))
        notes.push_back(*std::move(why));
  }
  for (const std::string& each : notes) options_.note(each);
}

// Returns the key whose next step is worth most, and the first one if several are equal. Returns nullptr if no key is
// worth running.
std::shared_ptr<KeyScreening> Screening::take_worthiest() {
  const auto worth = [this](const auto& key) { return worth_of(*key); };
  const auto found = std::ranges::max_element(keys_, {}, worth);
  if (found == keys_.end() || worth(*found) < Nanoseconds()) return nullptr;
  std::shared_ptr<KeyScreening> key = std::move(*found);
  keys_.erase(found);
  return key;
}

// Screens a key. Its evaluator is kept while other keys run.
void Screening::screen(const std::shared_ptr<KeyScreening>& key, const std::stop_token& stop) {
  if (Result<void> opened = open(stop); !opened) return key->refuse(opened.error());
  std::unique_ptr<tune::Evaluator> evaluator = kept_.take(key.get());
  const std::size_t resets = evaluator ? evaluator->resets() : 0;
  const Result<void> done = run(*key, evaluator, stop);
  // A reset of the device destroys the data that other keys have on it.
  if (!done || (evaluator && evaluator->resets() > resets)) kept_.let_go_of_all();
  if (done) {
    if (evaluator && !key->is_over(options_.now())) kept_.keep(key, std::move(evaluator), key->memory());
    return;
  }
  evaluator.reset();
  if (done.error().code() == ErrorCode::device_lost) close();
  if (!stop.stop_requested())
    options_.note(fmt::format("kernel `{}`, {}: screening ends: {}", key->problem().spec.name,
                              to_string(key->problem().key), done.error().to_string()));
}

Result<void> Screening::run(KeyScreening& key, std::unique_ptr<tune::Evaluator>& evaluator,
                            const std::stop_token& stop) {
  const std::uint64_t most = most_memory();
  return key.run(
      {.device = *device_,
       .policy = *policy_,
       .most_memory = most,
       .worker = worker(stop),
       .now = options_.now,
       .stop = stop,
       .others = [this] { return worth_of_others(); },
       .pool = options_.pool,
       .compile_ahead = options_.compile_ahead,
       .steps = &steps_,
       .contents = &contents_,
       .make_room = [this, most](std::uint64_t bytes) { kept_.let_go_beyond(most > bytes ? most - bytes : 0); },
       .note = options_.note},
      evaluator);
}

std::uint64_t Screening::most_memory() const { return (options_.free_memory() + kept_.bytes()) / kFreeMemoryDivisor; }

Nanoseconds Screening::worth_of_others() {
  const std::lock_guard lock(mutex_);
  Nanoseconds most(-1);
  for (const auto& key : keys_) most = std::max(most, worth_of(*key));
  return most;
}

Result<void> Screening::open(const std::stop_token& stop) {
  if (refused_) return *refused_;
  if (device_ != nullptr) return {};
  backend::KillCount kills;
  Result<std::unique_ptr<backend::Device>> opened = options_.open(worker(stop));
  while (!opened && kills.allow_another(opened.error())) opened = options_.open(worker(stop));
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

void Screening::close() {
  kept_.let_go_of_all();
  device_.reset();
  contents_.forget();
}

backend::WorkerOptions Screening::worker(const std::stop_token& stop) const {
  backend::WorkerOptions worker = options_.worker;
  worker.stop = stop;
  return worker;
}

}  // namespace wattune::dynamic

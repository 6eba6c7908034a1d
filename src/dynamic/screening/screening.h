// Screening: tries the configurations of a tuner's keys in a process of its own, before calls of the application depend
// on them. It chooses the key whose next step promises the largest gain.
//
// It owns a thread, which starts with the first key. It also owns the device in that process, which is closed after
// some seconds without work. Any thread may add keys, without waiting. The destructor returns soon, whatever the
// process does.
//
//   screening.add(key);                                   // and later, from any thread: key->state(), key->best_few()
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "dynamic/screening/kept_evaluators.h"
#include "dynamic/screening/key_screening.h"

namespace wattune::inline v0_1::dynamic {

struct ScreeningOptions {
  // Function that opens the device as open_screening_device() does, in workers that end when a stop is requested. After
  // an error, it is not called again.
  std::function<Result<std::unique_ptr<backend::Device>>(const backend::WorkerOptions& worker)> open;
  backend::WorkerOptions worker = {};
  // Function that returns the free bytes of the device. Screening may take a quarter of them.
  std::function<std::uint64_t()> free_memory;
  backend::CompilePool* pool = nullptr;       // compiles ahead; outlives this; nullptr if the device compiles
  CompileTargetOf target = {};                // for references; empty if the device compiles them
  const StallBudget* stall_budget = nullptr;  // pays for the steps of all keys; outlives this
  std::size_t compile_ahead = 1;
  std::function<Nanoseconds()> now;                   // returns the time of the stall_budget's clock
  std::function<void(const std::string& line)> note;  // receives lines for people; called from the screening thread
};

class Screening {
 public:
  explicit Screening(ScreeningOptions options) : options_(std::move(options)) {}
  Screening(const Screening&) = delete;
  Screening& operator=(const Screening&) = delete;

  void add(std::shared_ptr<KeyScreening> key);
  // Opens the device in advance, because a key will probably be added.
  void expect_key();

 private:
  void begin();
  void work(const std::stop_token& stop);
  bool take_expectation();
  std::shared_ptr<KeyScreening> next(const std::stop_token& stop);
  std::shared_ptr<KeyScreening> take_worthiest();
  // Returns the time that a step of the key is expected to save. Returns a negative time if the key is not worth
  // running.
  Nanoseconds worth_of(KeyScreening& key) const;
  Nanoseconds worth_of_others();
  void drop_over();
  void note_resting();
  void screen(const std::shared_ptr<KeyScreening>& key, const std::stop_token& stop);
  Result<void> run(KeyScreening& key, std::unique_ptr<tune::Evaluator>& evaluator, const std::stop_token& stop);
  // Returns the bytes of device memory that may be taken, including the bytes that kept evaluators take.
  std::uint64_t most_memory() const;
  Result<void> open(const std::stop_token& stop);
  void close();
  backend::WorkerOptions worker(const std::stop_token& stop) const;

  const ScreeningOptions options_;
  std::unique_ptr<backend::Device> device_;         // used by the thread only
  std::optional<Error> refused_;                    // used by the thread only
  std::unique_ptr<measure::MeasurePolicy> policy_;  // likewise; set once a device was opened
  std::optional<StepCost> steps_;                   // likewise
  RandomContents contents_;                         // likewise
  KeptEvaluators kept_;                             // likewise
  std::mutex mutex_;                                // guards the members below
  std::condition_variable_any added_;
  std::deque<std::shared_ptr<KeyScreening>> keys_;
  bool is_key_expected_ = false;
  std::jthread thread_;  // destroyed before the members that it uses
};

}  // namespace wattune::dynamic

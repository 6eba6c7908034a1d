// Screening: tries the configurations of a tuner's keys in a process of its own, of the key next of which another is
// worth most, before calls of the application depend on them.
//
// It owns a thread, which begins with the first key, and the device in the process, which is given back when no key has
// come for some seconds. Any thread adds keys; that never waits. It ends promptly, whatever the process is at.
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

#include "dynamic/kept_evaluators.h"
#include "dynamic/key_screening.h"

namespace wattune::dynamic {

struct ScreeningOptions {
  // Opens the device, as open_screening_device() does, with workers that end when a stop is requested. What it says
  // against it the first time stands.
  std::function<Result<std::unique_ptr<backend::Device>>(const backend::WorkerOptions& worker)> open;
  backend::WorkerOptions worker = {};
  // Of the device, in bytes, a quarter of which may be taken.
  std::function<std::uint64_t()> free_memory;
  backend::CompilePool* pool = nullptr;  // compiles ahead; outlives it; nullptr: the device compiles
  CompileTargetOf target = {};           // of that device, for references; empty: it compiles them
  std::size_t compile_ahead = 1;
  std::function<Nanoseconds()> now;                   // the ledger's clock
  std::function<void(const std::string& line)> note;  // from its thread
};

class Screening {
 public:
  explicit Screening(ScreeningOptions options) : options_(std::move(options)) {}
  Screening(const Screening&) = delete;
  Screening& operator=(const Screening&) = delete;

  void add(std::shared_ptr<KeyScreening> key);
  // A key will probably come: the device is opened until then.
  void expect_key();

 private:
  void begin();
  void work(const std::stop_token& stop);
  bool take_expectation();
  std::shared_ptr<KeyScreening> next(const std::stop_token& stop);
  std::shared_ptr<KeyScreening> take_worthiest();
  // Less than nothing: it is not worth running.
  Nanoseconds worth_of(KeyScreening& key) const;
  Nanoseconds worth_of_others();
  void drop_over();
  void note_resting();
  void screen(const std::shared_ptr<KeyScreening>& key, const std::stop_token& stop);
  Result<void> run(KeyScreening& key, std::unique_ptr<tune::Evaluator>& evaluator, const std::stop_token& stop);
  // Of the device that may be taken, what is kept included.
  std::uint64_t most_memory() const;
  Result<void> open(const std::stop_token& stop);
  void close();
  backend::WorkerOptions worker(const std::stop_token& stop) const;

  const ScreeningOptions options_;
  std::unique_ptr<backend::Device> device_;         // of the thread
  std::optional<Error> refused_;                    // the same
  std::unique_ptr<measure::MeasurePolicy> policy_;  // the same; once a device was opened
  std::optional<RecentMean> steps_;                 // the same
  RandomContents contents_;                         // the same
  KeptEvaluators kept_;                             // the same
  std::mutex mutex_;                                // guards what follows
  std::condition_variable_any added_;
  std::deque<std::shared_ptr<KeyScreening>> keys_;
  bool is_key_expected_ = false;
  std::jthread thread_;  // ends before what it works on
};

}  // namespace wattune::dynamic

#include "wattune/tune/search.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <vector>

namespace wattune::inline v0_1::tune {

namespace {

Error thrown(std::string_view what) {
  return Error(ErrorCode::internal, fmt::format("evaluating a configuration threw {}", what));
}

// Evaluates a configuration. An exception becomes an Error, which ends the run; otherwise the thread that waits for
// this member would wait for ever.
Result<Observation> evaluate(Evaluator& evaluator, const Configuration& configuration) {
  try {
    return evaluator.evaluate(configuration);
  } catch (const std::exception& exception) {
    return thrown(exception.what());
  } catch (...) {
    return thrown("something of an unknown type");
  }
}

// A single evaluator, which works while the caller waits.
class Alone : public Crew {
 public:
  explicit Alone(Evaluator& evaluator) : evaluator_(evaluator) {}

  std::size_t size() const override { return 1; }
  Evaluator& evaluator(std::size_t) const override { return evaluator_; }
  void start(std::size_t, const Configuration& configuration) override { next_ = configuration; }
  Finished wait() override {
    Result<Observation> observation = evaluate(evaluator_, next_);
    return {0, std::move(observation), evaluator_.pipeline()};
  }

 private:
  Evaluator& evaluator_;
  Configuration next_;
};

class Threads : public Crew {
 public:
  explicit Threads(std::span<Evaluator* const> evaluators) {
    for (Evaluator* const each : evaluators) members_.push_back({.evaluator = each});
  }

  std::size_t size() const override { return members_.size(); }
  Evaluator& evaluator(std::size_t member) const override { return *members_[member].evaluator; }

  void start(std::size_t member, const Configuration& configuration) override {
    auto work = [this, member, configuration] {
      Evaluator& evaluator = *members_[member].evaluator;
      Result<Observation> observation = evaluate(evaluator, configuration);
      Finished finished{member, std::move(observation), evaluator.pipeline()};
      const std::lock_guard lock(mutex_);
      finished_.push_back(member);
      finished_one_.notify_one();
      return finished;
    };
    members_[member].work = std::async(std::launch::async, std::move(work));
  }

  Finished wait() override { return members_[next_finished()].work.get(); }

 private:
  struct Member {
    Evaluator* evaluator = nullptr;
    std::future<Finished> work = {};  // valid while the member is at work
  };

  std::size_t next_finished() {
    std::unique_lock lock(mutex_);
    finished_one_.wait(lock, [this] { return !finished_.empty(); });
    const std::size_t member = finished_.front();
    finished_.pop_front();
    return member;
  }

  std::mutex mutex_;
  std::condition_variable finished_one_;
  std::deque<std::size_t> finished_;  // members, in the order in which they ended; guarded by mutex_
  std::vector<Member> members_;       // declared last, since its work uses the members above
};

}  // namespace

std::unique_ptr<Crew> make_threads(std::span<Evaluator* const> evaluators) {
  if (evaluators.size() == 1) return std::make_unique<Alone>(*evaluators.front());
  return std::make_unique<Threads>(evaluators);
}

}  // namespace wattune::tune

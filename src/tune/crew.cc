#include "tune/crew.h"

#include <fmt/format.h>

#include <algorithm>

namespace wattune::tune {

namespace {

Error thrown(std::string_view what) {
  return Error(ErrorCode::internal, fmt::format("evaluating a configuration threw {}", what));
}

// An exception ends the run as any other Error does: who waits for the member must learn that it is done.
Result<Observation> evaluate(Evaluator& evaluator, const Configuration& configuration) {
  try {
    return evaluator.evaluate(configuration);
  } catch (const std::exception& exception) {
    return thrown(exception.what());
  } catch (...) {
    return thrown("something of an unknown type");
  }
}

}  // namespace

Crew::Crew(std::span<Evaluator* const> members) {
  for (Evaluator* const each : members) members_.push_back({.evaluator = each});
}

std::optional<std::size_t> Crew::idle() const {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (!members_[i].dismissed && !members_[i].work.valid()) return i;
  return std::nullopt;
}

void Crew::start(std::size_t member, const Configuration& configuration) {
  in_flight_.push_back(configuration);
  const auto work = [this, member, configuration] {
    Evaluator& evaluator = *members_[member].evaluator;
    Result<Observation> observation = evaluate(evaluator, configuration);
    Finished finished{member, configuration, std::move(observation), evaluator.pipeline()};
    const std::lock_guard lock(mutex_);
    finished_.push_back(member);
    finished_one_.notify_one();
    return finished;
  };
  members_[member].work = std::async(members_.size() == 1 ? std::launch::deferred : std::launch::async, work);
}

Crew::Finished Crew::wait() {
  if (members_.size() == 1) members_.front().work.wait();
  Finished finished = members_[next_finished()].work.get();
  std::erase_if(in_flight_, [&](const Configuration& each) { return each.id() == finished.configuration.id(); });
  return finished;
}

std::size_t Crew::next_finished() {
  std::unique_lock lock(mutex_);
  finished_one_.wait(lock, [this] { return !finished_.empty(); });
  const std::size_t member = finished_.front();
  finished_.pop_front();
  return member;
}

void Crew::dismiss(std::size_t member) { members_[member].dismissed = true; }

std::size_t Crew::size() const {
  return members_.size() - static_cast<std::size_t>(std::ranges::count(members_, true, &Member::dismissed));
}

}  // namespace wattune::tune

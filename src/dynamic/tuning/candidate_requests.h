// CandidateRequests: tells which of the candidates that an explorer wants are loaded next. A candidate waits until it
// is compiled, and until few enough others are loaded ahead of their turns.
//
// It belongs to one instance. The instance's mutex guards it.
//
//   if (requests.is_time(now) && requests.has_news(explorer, now)) requests.request(wanted, ask_the_loader);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "dynamic/tuning/explorer.h"
#include "dynamic/tuning/key_loader.h"

namespace wattune::inline v0_1::dynamic {

class CandidateRequests {
 public:
  // Pause between two looks of calls at what was compiled, while there is nothing to try.
  static constexpr Nanoseconds kBetweenLooks = Nanoseconds(100e3);

  // Takes the loader, which outlives it.
  explicit CandidateRequests(KeyLoader& loader) : loader_(loader) {}

  // True if the pause since the last look is over.
  bool is_time(Nanoseconds now) const { return now >= looks_at_; }
  // Begins a pause. Returns true if there may be something to request: the explorer has news, or a candidate waits.
  bool has_news(Explorer& explorer, Nanoseconds now);
  // Tells the compilers of the wanted candidates, and calls `ask` for each that is to be loaded now.
  void request(const std::vector<Candidate>& wanted, const std::function<void(const Candidate&)>& ask);
  // Makes room for another candidate, since this one was decided about.
  void decided(ConfigurationId id) { requested_.erase(id); }
  // Ends the pause.
  void look_soon() { looks_at_ = {}; }
  // Begins with another explorer, all of whose news count.
  void begin() { heard_.reset(); }
  // Forgets all candidates, since their explorer is gone.
  void end();
  // True if no candidate is at the loader or undecided.
  bool is_empty() const { return requested_.empty(); }

 private:
  void expect(const std::vector<Candidate>& wanted);

  KeyLoader& loader_;
  Nanoseconds looks_at_;                 // on the tuner's clock: the earliest time to look again
  std::optional<std::uint64_t> heard_;   // the explorer's news()
  bool awaits_code_ = false;             // true if a candidate is not compiled yet or has no place
  std::set<ConfigurationId> requested_;  // requested from the loader, or loaded and not decided
};

}  // namespace wattune::dynamic

// CandidateRequests: chooses which of an explorer's candidates are loaded next. A candidate waits until it is compiled,
// and until few enough others are loaded ahead of their turns.
//
// The object belongs to one instance, whose mutex guards it.
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
  // Pause between two checks by calls whether candidates are compiled, while there is nothing to try.
  static constexpr Nanoseconds kBetweenLooks = Nanoseconds(100e3);

  // Takes the loader, which must outlive this object.
  explicit CandidateRequests(KeyLoader& loader) : loader_(loader) {}

  // True if the pause since the last check is over.
  bool is_time(Nanoseconds now) const { return now >= looks_at_; }
  // Begins a pause. Returns true if there may be a candidate to request, since the explorer has news or a candidate
  // waits.
  bool has_news(Explorer& explorer, Nanoseconds now);
  // Announces the wanted candidates to the compilers. Calls `ask` for each candidate that is to be loaded now.
  void request(const std::vector<Candidate>& wanted, const std::function<void(const Candidate&)>& ask);
  // Makes room for another candidate, because the decision about this one was made.
  void decided(ConfigurationId id) { requested_.erase(id); }
  // Ends the pause.
  void look_soon() { looks_at_ = {}; }
  // Begins with another explorer. All its candidates are new.
  void begin() { heard_.reset(); }
  // Forgets all candidates, since their explorer is gone.
  void end() { requested_.clear(); }
  // True if no candidate is at the loader or undecided.
  bool is_empty() const { return requested_.empty(); }

 private:
  void expect(const std::vector<Candidate>& wanted);

  KeyLoader& loader_;
  Nanoseconds looks_at_;                 // earliest time of the next check, by the tuner's clock
  std::optional<std::uint64_t> heard_;   // result of the explorer's news() at the last check
  bool awaits_code_ = false;             // true if a candidate is not compiled yet, or waits for room
  std::set<ConfigurationId> requested_;  // requested from the loader, or loaded and undecided
};

}  // namespace wattune::dynamic

// KeyTuning: the tuning of one key. It decides when to search, requests candidates and lets calls try them, takes the
// decisions about them, and ends the search.
//
// It belongs to one instance. The instance's mutex guards it: callers of all functions hold it. The loader's thread
// takes it to bring a loaded candidate. Nothing here waits, nor sends anything.
//
//   const Turn turn = tuning.pairing().next(mode, now);   // then, without the mutex: send it
//   tuning.pairing().sent(turn, timed, sending);
//   tuning.look(mode);                                    // after each call that the instance decided about
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "dynamic/tuning/attempts.h"
#include "dynamic/tuning/best_known.h"
#include "dynamic/tuning/candidate_requests.h"
#include "dynamic/tuning/key_loader.h"
#include "dynamic/tuning/key_state.h"
#include "dynamic/tuning/key_usage.h"
#include "dynamic/tuning/pairing.h"
#include "dynamic/tuning/shadow.h"
#include "dynamic/tuning/starting_candidates.h"
#include "dynamic/tuning/tuning_occasion.h"

namespace wattune::inline v0_1::dynamic {

class KeyTuning {
 public:
  // Takes the objects of its instance, which outlive it.
  KeyTuning(const KeyedKernel& kernel, CallPath& path, std::mutex& mutex, KeyLoader& loader,
            const StartingCandidates& starting);
  KeyTuning(const KeyTuning&) = delete;
  KeyTuning& operator=(const KeyTuning&) = delete;
  ~KeyTuning();

  // Returns the state of a key that has a best known: running, tuning or settled.
  KeyState state() const {
    if (explorer_) return KeyState::tuning;
    return occasion_.is_pending() ? KeyState::running : KeyState::settled;
  }
  Pairing& pairing() { return pairing_; }
  BestKnown& best_known() { return best_known_; }
  Attempts& attempts() { return attempts_; }
  const std::shared_ptr<Variant>& best() const { return pairing_.best(); }

  // Takes the results of calls, and begins, continues or ends the search.
  void look(Mode mode);
  // Makes calls steady for a pause, in which no call checks anything.
  void rest_a_while();
  // Notes how many calls are expected from here on, and whether tuning may begin before the first.
  void expect(std::optional<std::uint64_t> calls, bool may_begin);
  // Prepares for making an explorer, while the first variant is compiled.
  void prepare_explorer();
  // Begins to tune an expected key before its first call: screens it, or compiles and loads its candidates.
  // Precondition: there is a best known.
  void begin_ahead();
  // Requests the candidates found so far, for a key that is not called yet. Precondition: the state is tuning.
  void want_ahead();
  // Ends the search, and makes this variant the best known. tune_now() has measured it.
  void adopt(std::shared_ptr<Variant> best, const Observation& observation);
  // Ends the search, and has the next call begin another.
  void retune();
  // Replaces the best known, if it is this one, because its launch failed.
  void fail_best(const std::shared_ptr<Variant>& failed, const Error& error);
  void report(KeyReport& report) const;

  // The next functions are for shadowed calls, which compare the outputs of a candidate with those of the best known.

  // Returns the object that runs shadowed calls; nullptr if calls are not shadowed.
  Shadow* shadow() const { return shadow_.get(); }
  // Takes the results of a shadowed call for its two turns.
  void take_shadowed(const Turn& candidate, const Turn& best, ShadowedCall call);
  // Ends the search, because there is no memory for the copies of outputs, without which nothing can be tried.
  void end_shadowing(const Error& why);
  std::uint64_t wrong_results() const { return wrong_results_; }

 private:
  bool is_occasion() { return occasion_.begins(usage_.calls()); }
  void begin();
  Result<void> begin_shadow();
  void end();
  void look_for_drift();
  void note_too_long();
  void rest();

  void want();
  void refuse_failed();
  void request(const Candidate& candidate);
  void take_loaded(const Candidate& candidate, Result<std::shared_ptr<Variant>> variant);
  void take_failed_load(const Candidate& candidate, const Error& error);
  void take_outcome(Outcome outcome);
  void decide(const Configuration& configuration, const Observation& observation, bool better);
  void retire(std::shared_ptr<Variant> variant);
  bool is_best(const Configuration& configuration) const;
  void replace_best(const Observation& failure);

  const KeyedKernel& kernel_;
  CallPath& path_;
  std::mutex& mutex_;
  KeyLoader& loader_;
  const StartingCandidates& starting_;
  Pairing pairing_;
  BestKnown best_known_;
  TuningOccasion occasion_;
  KeyUsage usage_;
  Attempts attempts_;
  CandidateRequests requests_;
  std::unique_ptr<Explorer> explorer_;     // exists while the state is tuning
  std::unique_ptr<Shadow> shadow_;         // created once and kept as long as this
  TuningStage stage_ = TuningStage::none;  // for reports, like the next member, while there is no explorer
  std::string words_ = "not tuned";
  std::uint64_t explored_before_ = 0;  // by earlier explorers
  std::uint64_t failed_before_ = 0;
  std::uint64_t wrong_results_ = 0;
  bool may_begin_ahead_ = false;    // true if the application allows tuning before the first call
  bool prepared_explorer_ = false;  // true once the kernel was told that an explorer will be made
  bool noted_too_long_ = false;
};

}  // namespace wattune::dynamic

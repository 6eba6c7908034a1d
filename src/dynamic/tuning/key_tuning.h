// KeyTuning: the tuning of one key. The class decides when to search, requests candidates and lets calls try them,
// decides about them, and ends the search.
//
// The object belongs to one instance, whose mutex guards it. Callers of all functions hold that mutex. The loader's
// thread locks it to hand over a loaded candidate. No function waits or sends anything.
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
  // Takes objects of the instance, which must outlive this object.
  KeyTuning(const KeyedKernel& kernel, CallPath& path, std::mutex& mutex, KeyLoader& loader,
            const StartingCandidates& starting);
  KeyTuning(const KeyTuning&) = delete;
  KeyTuning& operator=(const KeyTuning&) = delete;
  ~KeyTuning();

  // Returns the state of a key that has a best known configuration: running, tuning or settled.
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
  // Makes calls steady for a while, in which no call checks anything.
  void rest_a_while();
  // Records the expected number of further calls, and whether tuning may begin before the first of them.
  void expect(std::optional<std::uint64_t> calls, bool may_begin);
  // Prepares for making an explorer, while the first variant is compiled.
  void prepare_explorer();
  // Begins to tune an expected key before its first call. Screens the key, or compiles and loads its candidates.
  // Precondition: there is a best known configuration.
  void begin_ahead();
  // Requests that the candidates found so far are loaded, for a key that is not called yet. Precondition: the state is
  // tuning.
  void want_ahead();
  // Ends the search, and makes this variant the best known. Precondition: tune_now() has measured the variant.
  void adopt(std::shared_ptr<Variant> best, const Observation& observation);
  // Ends the search. The next call begins another search.
  void retune();
  // Replaces the best known variant, if it is `failed`, because its launch failed.
  void fail_best(const std::shared_ptr<Variant>& failed, const Error& error);
  void report(KeyReport& report) const;

  // The next functions are for shadowed calls, which compare the outputs of a candidate with those of the best known
  // variant.

  // Returns the object that runs shadowed calls. Returns nullptr if calls are not shadowed.
  Shadow* shadow() const { return shadow_.get(); }
  // Takes the results of a shadowed call, for the turns of the candidate and of the best known variant.
  void take_shadowed(const Turn& candidate, const Turn& best, ShadowedCall call);
  // Ends the search, because there is no memory for the copies of outputs. Without these copies, no candidate can be
  // tried.
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
  std::unique_ptr<Shadow> shadow_;         // created once, and kept as long as this object lives
  TuningStage stage_ = TuningStage::none;  // for reports; like the next member, used without an explorer
  std::string words_ = "not tuned";
  std::uint64_t explored_before_ = 0;  // number of configurations that earlier explorers tried
  std::uint64_t failed_before_ = 0;
  std::uint64_t wrong_results_ = 0;
  bool may_begin_ahead_ = false;    // true if the application allows tuning before the first call
  bool prepared_explorer_ = false;  // true once the kernel was told that an explorer will be needed
  bool noted_too_long_ = false;
};

}  // namespace wattune::dynamic

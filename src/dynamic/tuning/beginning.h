// Beginning: finds the first configuration of one key that works, so that calls have something to run. Such a
// configuration is compiled in the background, taken over from another key, or compiled by a call that waits. The class
// also makes the generic variant.
//
// The object belongs to one instance, whose mutex guards all but the generic variant. Callers of begin_loaded(),
// begin_beside(), begin_for_calls() and state() hold that mutex. begin_now() and generic() take locks themselves, and
// their callers hold none, since `compiling_` must be locked before the instance's mutex.
//
//   beginning.begin_loaded();                             // at once, or not at all
//   if (tuning.best() == nullptr) beginning.begin_for_calls();
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dynamic/tuning/key_tuning.h"

namespace wattune::inline v0_1::dynamic {

class Beginning {
 public:
  // Takes objects of the instance, which must outlive this object.
  Beginning(const KeyedKernel& kernel, CallPath& path, std::mutex& mutex, KeyLoader& loader,
            StartingCandidates& starting, KeyTuning& tuning)
      : kernel_(kernel), path_(path), mutex_(mutex), loader_(loader), starting_(starting), tuning_(tuning) {}
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  // Returns the state while no configuration can run: unstarted, beginning, hurried or exhausted.
  KeyState state() const { return state_; }
  // Begins with the likeliest configuration if its code is already loaded for another key. So it begins without
  // waiting.
  void begin_loaded();
  // Compiles the first configurations in the background. They are compiled before all code that is only to be tried.
  void begin_beside();
  // Compiles the first configurations in the background, with an urgent request, since calls run a fallback until one
  // of them works.
  void begin_for_calls();

  // Compiles and loads in the calling thread until a configuration works. Does nothing if one works already. Blocks.
  // Fails with the last error if no candidate works, and with device_lost.
  Result<void> begin_now();
  // Returns the generic configuration. Returns nullptr if it cannot run at this key. Also returns nullptr if it is not
  // compiled yet and there is a fallback, or if it must still be made while the stream is captured.
  std::shared_ptr<Variant> generic(bool capturing);
  // Returns the total time for which callers of begin_now() waited.
  Nanoseconds blocked() const { return blocked_; }

 private:
  // The request for a first configuration. It consists of the likeliest candidates and the progress of their
  // compilation.
  struct FirstRequest {
    std::vector<Configuration> likeliest;
    Nanoseconds asked;
    std::optional<Nanoseconds> first_ready = {};
  };
  void request_first(std::vector<Configuration> likeliest);
  const Configuration* choose(FirstRequest& request) const;
  void take_first(const Configuration& configuration, Result<std::shared_ptr<Variant>> variant);
  Result<void> take(Result<std::shared_ptr<Variant>> variant);
  Result<void> try_now(const Configuration& configuration);
  Result<std::shared_ptr<Variant>> make_generic();

  const KeyedKernel& kernel_;
  CallPath& path_;
  std::mutex& mutex_;
  KeyLoader& loader_;
  StartingCandidates& starting_;
  KeyTuning& tuning_;
  KeyState state_ = KeyState::unstarted;
  Nanoseconds blocked_;
  std::mutex compiling_;  // held while a calling thread compiles; guards generic_; locked before mutex_
  std::optional<std::shared_ptr<Variant>> generic_;  // nullopt until making it succeeded or failed
};

}  // namespace wattune::dynamic

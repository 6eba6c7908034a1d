// KeyState: the state of an instance, which is one kernel at one key.
//
//                 first request              a call waits
//   unstarted ------------------> beginning --------------> hurried
//    |  |  ^                        |  |                     |  |
//    |  |  +------- it failed ------+--|---------------------+  |
//    |  |                              |                        |
//    |  +-- no candidate left --> exhausted     it was loaded   |
//    |                                 |                        |
//    +---- loaded by the caller ----+  +------------------------+
//                                   v  v
//                                 running  <-- retune, drift --+
//                                    |                         |
//                                    | occasion to tune        |
//                                    v                         |
//                                  tuning ----- search over ----> settled
//
// In the last three states calls run the best known. If its launch fails and no earlier configuration works, the state
// becomes one of the first four. An explorer is kept, and its tuning continues with the next configuration that runs.
//
// No state is stored twice. Beginning stores the first four, since a request may still be under way when another
// configuration runs already. The other three follow from the owner of the explorer (KeyTuning).
#pragma once

namespace wattune::inline v0_1::dynamic {

enum class KeyState {
  unstarted,  // no configuration can run, and none was requested from the loader
  beginning,  // the first configuration was requested from the loader
  hurried,    // the same with an urgent request; until then, calls run a fallback
  exhausted,  // no configuration can run and no starting candidate is left; calls run the fallback
  running,    // tuning begins with the next occasion
  tuning,     // an explorer decides what calls try
  settled     // no configuration is to be tried, unless retune() or drift requires it
};

// True if calls can run a best known configuration.
constexpr bool has_best(KeyState state) { return state >= KeyState::running; }

}  // namespace wattune::dynamic

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
// In the last three states calls run the best known. If its launch fails and no earlier one works, the instance falls
// back to the first four; an explorer stays, and its tuning goes on with the next configuration that runs.
//
// Nothing stores a state twice. Beginning keeps the first four, since a request may still be under way when another
// configuration runs already. The other three follow from the owner of the explorer (KeyTuning).
#pragma once

namespace wattune::inline v0_1::dynamic {

enum class KeyState {
  unstarted,  // nothing can run, and nothing was requested from the loader
  beginning,  // the loader has the request for the first configuration
  hurried,    // the same, urgently; calls run a fallback until then
  exhausted,  // nothing can run, and no starting candidate is left: calls run the fallback
  running,    // tuning begins with the next occasion
  tuning,     // an explorer says what calls try
  settled     // nothing is to be tried, unless retune() or drift asks for it
};

// True if calls can run a best known configuration.
constexpr bool has_best(KeyState state) { return state >= KeyState::running; }

}  // namespace wattune::dynamic

// wattune-borrower: borrows the clocks of the stand-in's board, sets them a few times, and ends badly.
//
//   wattune-borrower SEED SETS LEASE_MS ENDING
//
// It writes a byte to its output before each step (borrowing, each setting, the ending). ENDING is `return`, `exit`
// (without destructors), `abort`, `wait` (to be killed), `hang` (longer than the lease) or `keep` (the same, with an
// hour of patience).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "power/interface/clocks.h"
#include "wattune/core/random.h"

namespace {

using namespace wattune;

void announce() {
  if (write(STDOUT_FILENO, ".", 1) != 1) _exit(4);
}

// Draws clocks and limits of the stand-in's board: 210 to 1200 MHz in steps of 15 go with both memory clocks.
backend::BoardSetting any_setting(Random& random) {
  backend::BoardSetting setting;
  if (random.below(4) != 0) setting.graphics = Megahertz(210.0 + 15.0 * static_cast<double>(random.below(67)));
  if (random.below(2) != 0) setting.memory = Megahertz(1593);
  if (random.below(2) != 0) setting.power_limit = Watts(200.0 + static_cast<double>(random.below(500)));
  return setting;
}

void end(const std::string& ending) {
  announce();
  if (ending == "exit") _exit(3);
  if (ending == "abort") std::abort();
  while (ending == "wait" || ending == "hang" || ending == "keep") pause();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  Random random(std::strtoull(argv[1], nullptr, 10));
  announce();
  const Nanoseconds patience = nanoseconds_from_seconds(std::string(argv[4]) == "keep" ? 3600 : 0);
  const auto lease =
      power::borrow_clocks("0000:3B:00.0", {.lease = nanoseconds_from_ms(std::atof(argv[3])), .patience = patience});
  if (!lease) {
    std::fprintf(stderr, "%s\n", lease.error().to_string().c_str());
    return 1;
  }
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    announce();
    (void)(*lease)->set(any_setting(random));  // its guardian may have been killed
  }
  end(argv[4]);
  return 0;
}

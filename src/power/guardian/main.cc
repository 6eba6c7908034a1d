// The program wattune-guardian, which restores a board's clocks. power::borrow_clocks() starts it; users never do.
#include "power/guardian.h"

int main() { return wattune::power::run_guardian(); }

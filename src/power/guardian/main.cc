// wattune-guardian: gives a board's clocks back. Started by power::borrow_clocks(), never by hand.
#include "power/guardian.h"

int main() { return wattune::power::run_guardian(); }

// The part of a header that is asked while a program runs: which configuration suits a device and a size best?
#pragma once

#include <string>
#include <vector>

#include "report/header_choices.h"

namespace wattune::report {

// The name of its function in the header of this kernel.
std::string lookup_function(const std::string& kernel_name);

// A table of the choices, with what each is for, and the function that finds one: C99, and constant expressions of
// C++14. Empty when the sizes are no numbers, or not equally many.
std::string lookup_of(const std::string& kernel_name, const std::vector<Choice>& choices);

}  // namespace wattune::report

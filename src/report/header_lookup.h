// The part of a header that chooses a configuration by device and size at run time.
#pragma once

#include <string>
#include <vector>

#include "report/header_choices.h"

namespace wattune::inline v0_1::report {

// Returns the name of the lookup function in the header of this kernel.
std::string lookup_function(const std::string& kernel_name);

// Writes a table of the choices, with their devices and sizes, and the function that finds the right choice. The code
// is valid C99, and in C++14 a constant expression. Returns an empty text if the sizes contain no numbers, or not the
// same number of numbers.
std::string lookup_of(const std::string& kernel_name, const std::vector<Choice>& choices);

}  // namespace wattune::report

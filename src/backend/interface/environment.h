// The environment of processes that run a spec's code. It has what compilers, drivers and kernels need, and not the
// secrets that shells hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::backend::worker {

// True if Wattune's processes get the variable of this name without a request. It is on a list of names and beginnings
// of names, and its name contains no word for a key or a password.
bool is_passed(std::string_view name);

// Returns the variables of this process that are on the list or in `named`, as "NAME=value".
std::vector<std::string> passed_environment(const std::vector<std::string>& named);

}  // namespace wattune::backend::worker

// The environment of the processes that run what a spec brings: what compilers, drivers and kernels need, and not the
// secrets that shells hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattune::backend::worker {

// True if a process of Wattune's gets the variable of this name though nobody asks for it: it is on a list of names and
// beginnings of names, and says of itself neither that it is a key nor a password.
bool is_passed(std::string_view name);

// Returns the variables of this process that are passed or named, as "NAME=value".
std::vector<std::string> passed_environment(const std::vector<std::string>& named);

}  // namespace wattune::backend::worker

// Selects the environment of processes that run a spec's code. This environment has the variables that compilers,
// drivers and kernels need, but none of the secrets that a shell may hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattune::inline v0_1::backend::worker {

// True if Wattune's processes get the variable of this name without a request. The name must be on a list of names and
// beginnings of names, and must not contain a word such as KEY or PASS.
bool is_passed(std::string_view name);

// Returns the variables of this process that are on the list or in `named`, as "NAME=value".
std::vector<std::string> passed_environment(const std::vector<std::string>& named);

}  // namespace wattune::backend::worker

// Processes that outlived their supervisor, found by a mark in their environment.
//
// A supervisor that is killed takes its worker along, but not what the worker started in sessions of their own. Each
// worker therefore has a variable in its environment whose name is like no other's; what it starts inherits it, unless
// that is given another environment.
#pragma once

#include <string>

namespace wattune::backend::worker {

// "NAME=1", different each time, on this machine.
std::string new_mark();

// Kills all processes of this user that have the mark, and those that they start meanwhile.
void end_strays(const std::string& mark);

}  // namespace wattune::backend::worker

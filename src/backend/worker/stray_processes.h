// Kills processes that outlived their supervisor. They are found by a mark in their environment.
//
// A supervisor that is killed takes its worker along, but not the processes that the worker started in sessions of
// their own. Therefore each worker has a variable with a unique name in its environment. Processes that it starts
// inherit the variable, unless they are given another environment.
#pragma once

#include <string>

namespace wattune::inline v0_1::backend::worker {

// Returns a new mark, "NAME=1". Its name is different each time on this machine.
std::string new_mark();

// Kills all processes of this user that have the mark, and processes that these start meanwhile.
void end_strays(const std::string& mark);

}  // namespace wattune::backend::worker

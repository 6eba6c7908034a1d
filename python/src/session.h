// Sessions: what a dict of options from the package asks of the library.
#pragma once

#include "functions.h"
#include "spec.h"
#include "wattune/tune/session.h"

namespace wattune::python {

// Returns the options that a run in this process and one on many evaluators share. Raises invalid_argument.
tune::SessionOptions session_from(const Options& given, Ending& ending);

}  // namespace wattune::python

// What implementations of Counters share.
#pragma once

#include "wattune/core/result.h"

namespace wattune::backend {

// The Error of Counters::count() for a stream that its device did not make.
Error stream_of_another_device();

}  // namespace wattune::backend

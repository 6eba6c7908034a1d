#include "wattune/power/recorder.h"

namespace wattune::inline v0_1::power {

const char* to_string(Scope scope) {
  switch (scope) {
    case Scope::gpu: return "gpu";
    case Scope::module: return "module";
    case Scope::memory: return "memory";
  }
  return "unknown";
}

const char* to_string(Response response) {
  switch (response) {
    case Response::counter: return "counter";
    case Response::boxcar: return "boxcar";
    case Response::lag: return "lag";
    case Response::direct: return "direct";
  }
  return "unknown";
}

}  // namespace wattune::power

// CLI11's App for headers that only refer to it: reading all of CLI11 takes five seconds a source.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

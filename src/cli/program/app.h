// Declares CLI11's App for headers that only refer to it. A source that includes CLI11 takes five seconds longer to
// compile.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

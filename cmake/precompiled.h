// The headers that most sources use, of the standard library and of core. They are compiled once per build. The header
// of JSON is here too: fewer sources use it, but it takes two seconds for each. Sources still include all headers that
// they use.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/trial.h"
#include "wattune/core/uint128.h"
#include "wattune/core/units.h"

// The shared precompiled headers and the command line's own heavy ones.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "../../cmake/precompiled.h"

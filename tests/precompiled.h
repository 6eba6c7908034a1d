// The library's precompiled headers and GoogleTest's. Tests still include what they use.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cmake/precompiled.h"

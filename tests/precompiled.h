// The precompiled headers of the library and of GoogleTest. Tests still include the headers that they use.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cmake/precompiled.h"

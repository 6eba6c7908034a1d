#include "wattune/core/identity.h"

#include <gtest/gtest.h>

namespace wattune {
namespace {

// XXH3's published value for no input: hashes are part of file formats and must never change.
TEST(ContentHash, IsXxh3) { EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f"); }

TEST(ContentHash, DiffersForDifferentTexts) { EXPECT_NE(content_hash("a"), content_hash("b")); }

}  // namespace
}  // namespace wattune

// SPDX-License-Identifier: Apache-2.0
#include "base/sha1.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

// The examples of FIPS 180-1 and RFC 3174.
TEST(Sha1, agrees_with_the_standard) {
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(sha1(std::string(1'000'000, 'a'))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

// Lengths around the padding's edge, checked with sha1sum.
TEST(Sha1, pads_every_length) {
  EXPECT_EQ(hex(sha1(std::string(55, 'x'))), "cef734ba81a024479e09eb5a75b6ddae62e6abf1");
  EXPECT_EQ(hex(sha1(std::string(56, 'x'))), "901305367c259952f4e7af8323f480d59f81335b");
  EXPECT_EQ(hex(sha1(std::string(63, 'x'))), "0ddc4e0cccd9a12850deb5abb0853a4425559fec");
  EXPECT_EQ(hex(sha1(std::string(64, 'x'))), "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163");
}

}  // namespace
}  // namespace muster

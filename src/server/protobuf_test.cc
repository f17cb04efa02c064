// SPDX-License-Identifier: Apache-2.0
#include "server/protobuf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "objects/admit.h"
#include "objects/edit.h"
#include "objects/json.h"

namespace muster::server {
namespace {

using objects::Value;
using objects::View;

std::string unbase64(std::string_view text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = (group << 6) | static_cast<std::uint32_t>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((group >> bits) & 0xFF);
  }
  return bytes;
}

Value read_recorded() {
  std::ifstream file(std::string(MUSTER_SOURCE_FOLDER) + "/tests/data/protobuf_oracle.json");
  std::stringstream text;
  text << file.rdbuf();
  return objects::parse_json(text.str()).must();
}

class ProtobufTest : public testing::Test {
 protected:
  // As the server stores it.
  Value normalized(const Value& object) const {
    const std::string_view api_version = object["apiVersion"].string_or("");
    const std::size_t slash = api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    const auto kind =
        registry_.find(is_core ? "" : api_version.substr(0, slash), object["kind"].string_or(""));
    if (!kind) return objects::without(object, {"metadata", "creationTimestamp"}).must();
    const objects::Schema& schema = kind->storage_version().schema;
    return objects::apply_defaults(
        schema, objects::decode(schema, object, objects::FieldValidation::strict).must().object);
  }

  objects::KindRegistry registry_ = objects::KindRegistry::built_in().must();
};

// What Kubernetes' own Go types (k8s.io/api 0.36.3) write, beside what they write as JSON; and
// bodies that kubectl 1.36.3 sent.
TEST_F(ProtobufTest, reads_what_go_writes) {
  const Value recorded = read_recorded();
  ASSERT_GT(recorded.view().size(), 15U);
  for (View each : recorded.view().elements()) {
    const auto decoded = decode_protobuf(unbase64(each["protobuf"].string_or("")), registry_);
    ASSERT_TRUE(decoded) << each["name"].string_or("") << ": " << decoded.error().message;
    const Value expected = normalized(Value::copy_of(each["object"]));
    const Value found = normalized(*decoded);
    EXPECT_TRUE(found.view() == expected.view()) << each["name"].string_or("") << "\n"
                                                 << objects::to_json(found) << "\n"
                                                 << objects::to_json(expected);
  }
}

TEST_F(ProtobufTest, every_cut_is_refused_or_read_without_harm) {
  const Value recorded = read_recorded();
  for (View each : recorded.view().elements()) {
    const std::string body = unbase64(each["protobuf"].string_or(""));
    for (std::size_t size = 0; size < body.size(); ++size) {
      const auto decoded = decode_protobuf(std::string_view(body).substr(0, size), registry_);
      if (!decoded) {
        EXPECT_FALSE(decoded.error().message.empty());
      }
    }
  }
}

std::string field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>((number << 3) | 2));
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7F) | 0x80);
  out += static_cast<char>(size);
  out += bytes;
  return out;
}

std::string body_of(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, raw);
}

TEST_F(ProtobufTest, what_has_no_such_form_is_refused_by_name) {
  const auto crd = decode_protobuf(body_of("kueue.x-k8s.io/v1beta2", "Workload", ""), registry_);
  EXPECT_EQ(crd.error().code, ErrorCode::unsupported_media_type);
  EXPECT_EQ(crd.error().message,
            "Workload in version \"kueue.x-k8s.io/v1beta2\" has no protobuf form here");
  EXPECT_EQ(decode_protobuf("{}", registry_).error().code, ErrorCode::bad_request);
}

TEST_F(ProtobufTest, options_of_a_deletion_are_understood_in_every_group) {
  const std::string raw = std::string("\x08\x00", 2) + field(4, "Background");
  const auto options = decode_protobuf(body_of("batch/v1", "DeleteOptions", raw), registry_);
  EXPECT_EQ(objects::to_json(options.value()),
            R"({"kind":"DeleteOptions","apiVersion":"batch/v1","gracePeriodSeconds":0,)"
            R"("propagationPolicy":"Background"})");
}

TEST_F(ProtobufTest, texts_must_be_utf8_and_counts_have_limits) {
  const std::string bad = field(1, field(1, "\xFF"));
  EXPECT_EQ(decode_protobuf(body_of("v1", "Pod", bad), registry_).error().code,
            ErrorCode::bad_request);
  std::string finalizers;
  for (int i = 0; i < 600'000; ++i) finalizers += std::string("\x72\x00", 2);
  EXPECT_EQ(decode_protobuf(body_of("v1", "Pod", field(1, finalizers)), registry_).error().code,
            ErrorCode::too_large);
  std::string dry_runs;
  for (int i = 0; i < 100; ++i) dry_runs += field(5, "All");
  EXPECT_EQ(decode_protobuf(body_of("v1", "DeleteOptions", dry_runs), registry_).error().code,
            ErrorCode::too_large);
}

}  // namespace
}  // namespace muster::server

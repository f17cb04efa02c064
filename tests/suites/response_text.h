// text_of: the text of an answer that is whole, as a transport would send it.
//
//   EXPECT_EQ(json(text_of(response))["message"].string_or(""), "…");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "server/request.h"
#include "server/stored_object.h"

namespace muster::server {

inline std::string text_of(const Response& response) {
  if (const auto* piece = std::get_if<Piece>(&response.body)) return std::string(piece->view());
  const auto* object = std::get_if<StoredPiece>(&response.body);
  if (object == nullptr) return "(a stream)";
  return std::string(shown_line(object->bytes.view(), object->revision).view());
}

}  // namespace muster::server

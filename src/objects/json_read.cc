// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "objects/builder.h"
#include "objects/json.h"

namespace muster::objects {

namespace {

class Reader {
 public:
  Reader(Builder& builder, const ParseOptions& options) : builder_(builder), options_(options) {}

  Result<Node> read(simdjson::dom::element element) {
    using simdjson::dom::element_type;
    switch (element.type()) {
      case element_type::NULL_VALUE:
        return Builder::null();
      case element_type::BOOL:
        return Builder::boolean(element.get_bool().value_unsafe());
      case element_type::INT64:
        return Builder::integer(element.get_int64().value_unsafe());
      case element_type::UINT64:
        return Builder::real(static_cast<double>(element.get_uint64().value_unsafe()));
      case element_type::DOUBLE:
        return Builder::real(element.get_double().value_unsafe());
      case element_type::STRING:
        return builder_.text(element.get_string().value_unsafe());
      case element_type::ARRAY:
        return read_array(element.get_array().value_unsafe());
      case element_type::OBJECT:
        return read_object(element.get_object().value_unsafe());
    }
    return Error::internal("simdjson returned a type that does not exist");
  }

 private:
  Result<Node> read_array(simdjson::dom::array array) {
    std::vector<Node> elements;
    elements.reserve(array.size());
    for (const simdjson::dom::element element : array) elements.push_back(TRY(read(element)));
    return builder_.array(elements);
  }

  Result<Node> read_object(simdjson::dom::object object) {
    std::vector<Node::Member> members;
    members.reserve(object.size());
    for (const auto& [key, element] : object) {
      const Node value = TRY(read(element));
      const auto same = [&key = key](const Node::Member& member) {
        return std::string_view(member.key.text, member.key.size) == key;
      };
      const auto found = std::find_if(members.begin(), members.end(), same);
      if (found == members.end()) {
        members.push_back({builder_.text(key), value});
        continue;
      }
      if (options_.duplicate_keys == DuplicateKeys::refuse) {
        return Error::bad_request(fmt::format("duplicate field \"{}\"", key));
      }
      if (options_.duplicate_fields != nullptr) {
        options_.duplicate_fields->push_back(std::string(key));
      }
      found->value = value;
    }
    return builder_.object(members);
  }

  Builder& builder_;
  const ParseOptions& options_;
};

}  // namespace

Result<Value> parse_json(std::string_view text, const ParseOptions& options) {
  if (text.size() > options.bytes_max) {
    return Error::too_large(fmt::format("{} bytes of JSON are more than the limit of {}",
                                        text.size(), options.bytes_max));
  }
  simdjson::dom::parser parser(options.bytes_max);
  if (parser.allocate(std::max<std::size_t>(text.size(), 64), options.depth_max) !=
      simdjson::SUCCESS) {
    return Error::internal("out of memory while reading JSON");
  }
  simdjson::dom::element root;
  const simdjson::error_code code = parser.parse(text.data(), text.size()).get(root);
  if (code != simdjson::SUCCESS) {
    return Error::bad_request(fmt::format("not JSON: {}", simdjson::error_message(code)));
  }
  Builder builder(text.size() * 2);
  const Node node = TRY(Reader(builder, options).read(root));
  return std::move(builder).finish(node);
}

}  // namespace muster::objects

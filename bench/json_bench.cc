// What reading, writing, copying and editing a pod costs, beside what the machine allows: simdjson
// alone, libyaml alone, and copying memory.
// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>
#include <yaml.h>

#include <cstring>
#include <map>

#include "base/check.h"
#include "bench/measure.h"
#include "bench/sample_pod.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/yaml.h"

namespace muster::bench {
namespace {

using objects::Value;

constexpr std::uint64_t times = 20'000;
constexpr std::uint64_t keys = 10'000;

// What the compiler may not leave out.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

template <class Body>
auto repeat(Body body) {
  return [body] {
    for (std::uint64_t i = 0; i < times; ++i) body();
  };
}

void parse(const std::string& text) {
  const simdjson::padded_string padded(text);
  simdjson::dom::parser parser;
  compare(fmt::format("parse {} bytes of pod into the value", text.size()), times,
          repeat([&] { keep(objects::parse_json(text).must()); }),
          "simdjson DOM, parser and text kept",
          repeat([&] { keep(parser.parse(padded).error()); }));
}

void write(const std::string& text, const Value& pod) {
  compare("write it rebuilt", times, repeat([&] { keep(objects::to_json(pod)); }),
          "copy the finished text", repeat([&] { keep(std::string(text)); }));
}

void copy(const Value& pod) {
  const std::size_t bytes = pod.memory();
  const auto source = std::make_unique<char[]>(bytes);
  compare(fmt::format("deep copy ({} bytes)", bytes), times,
          repeat([&] { keep(Value::copy_of(pod)); }), "copy as many bytes", repeat([&] {
            const auto target = std::make_unique<char[]>(bytes);
            std::memcpy(target.get(), source.get(), bytes);
            keep(target);
          }));
}

void edit(const Value& pod) {
  const Value node = Value::string("gpu-a3-04-018");
  compare("set spec.nodeName", times, repeat([&] {
            keep(objects::with(pod, {"spec", "nodeName"}, node).must());
          }),
          "deep copy instead", repeat([&] { keep(Value::copy_of(pod)); }));
}

void compare_values(const Value& pod) {
  const Value twin = Value::copy_of(pod);
  const std::size_t bytes = pod.memory();
  const auto a = std::make_unique<char[]>(bytes);
  const auto b = std::make_unique<char[]>(bytes);
  compare("equality with a copy", times, repeat([&] { keep(pod.view() == twin.view()); }),
          "memcmp as many bytes", repeat([&] { keep(std::memcmp(a.get(), b.get(), bytes)); }));
}

void read_yaml(const Value& pod) {
  const std::string text = objects::to_yaml(pod);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  compare(
      fmt::format("parse {} bytes of YAML", text.size()), times / 20,
      [&] {
        for (std::uint64_t i = 0; i < times / 20; ++i) keep(objects::parse_yaml(text).must());
      },
      "libyaml's events alone",
      [&] {
        for (std::uint64_t i = 0; i < times / 20; ++i) {
          yaml_parser_t parser;
          CHECK(yaml_parser_initialize(&parser) == 1);
          yaml_parser_set_input_string(&parser, bytes, text.size());
          bool more = true;
          while (more) {
            yaml_event_t event;
            CHECK(yaml_parser_parse(&parser, &event) == 1);
            more = event.type != YAML_STREAM_END_EVENT;
            yaml_event_delete(&event);
          }
          yaml_parser_delete(&parser);
        }
      });
}

void large_object() {
  std::string text = "{";
  std::map<std::string, std::int64_t> map;
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < keys; ++i) {
    names.push_back(fmt::format("key-{}.conf", i * 7919 % keys));
    map[names.back()] = 1;
    text += fmt::format("\"{}\":1,", names.back());
  }
  text.back() = '}';
  const Value value = objects::parse_json(text).must();
  compare(
      "look up each of 10,000 keys", keys,
      [&] {
        for (const std::string& name : names) keep(value[name].integer_or(0));
      },
      "std::map of strings",
      [&] {
        for (const std::string& name : names) keep(map.find(name)->second);
      });
}

}  // namespace
}  // namespace muster::bench

int main() {
  using namespace muster::bench;
  const std::string text = sample_pod();
  const auto pod = muster::objects::parse_json(text).must();
  CHECK(muster::objects::parse_json(muster::objects::to_json(pod)).must().view() == pod.view());
  parse(text);
  write(text, pod);
  copy(pod);
  edit(pod);
  compare_values(pod);
  read_yaml(pod);
  large_object();
}

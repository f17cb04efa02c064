// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/field_selector.h"
#include "objects/label_selector.h"

namespace muster::objects {
namespace {

using Labels = std::map<std::string, std::string>;

// Few words, so that labels and selectors meet.
rc::Gen<std::string> some_key() {
  return rc::gen::element<std::string>("a", "b", "in", "notin", "example.com/c", "D_e.f-g");
}

rc::Gen<std::string> some_value() {
  return rc::gen::element<std::string>("", "x", "y", "in", "1", "2", "30", "x-y");
}

struct Term {
  std::string key;
  std::string operation;
  std::vector<std::string> values;
};

Term some_term() {
  const auto operation =
      *rc::gen::element<std::string>("exists", "!", "=", "==", "!=", "in", "notin", ">", "<");
  Term term{*some_key(), operation, {}};
  if (operation == "in" || operation == "notin") {
    term.values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(some_value()));
  } else if (operation == ">" || operation == "<") {
    term.values = {std::to_string(*rc::gen::inRange(0, 40))};
  } else if (operation != "exists" && operation != "!") {
    term.values = {*some_value()};
  }
  return term;
}

std::string written(const Term& term) {
  if (term.operation == "exists") return term.key;
  if (term.operation == "!") return "!" + term.key;
  if (term.operation != "in" && term.operation != "notin") {
    return term.key + term.operation + term.values.front();
  }
  std::string text = term.key + " " + term.operation + " (";
  for (std::size_t i = 0; i < term.values.size(); ++i) {
    text += (i == 0 ? "" : ",") + term.values[i];
  }
  return text + ")";
}

std::optional<long> number(const std::string& text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), ::isdigit)) return std::nullopt;
  return std::stol(text);
}

// The meaning of a requirement in the plainest words.
bool model(const Term& term, const Labels& labels) {
  const auto label = labels.find(term.key);
  const bool present = label != labels.end();
  const bool listed = present && std::find(term.values.begin(), term.values.end(), label->second) !=
                                     term.values.end();
  if (term.operation == "exists") return present;
  if (term.operation == "!") return !present;
  if (term.operation == "!=" || term.operation == "notin") return !listed;
  if (term.operation == "=" || term.operation == "==" || term.operation == "in") return listed;
  const std::optional<long> value = present ? number(label->second) : std::nullopt;
  if (!value.has_value()) return false;
  const long bound = std::stol(term.values.front());
  return term.operation == ">" ? *value > bound : *value < bound;
}

Value object_of(const Labels& labels) {
  Builder builder;
  std::vector<Node::Member> members;
  for (const auto& [key, value] : labels)
    members.push_back({builder.text(key), builder.text(value)});
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

RC_GTEST_PROP(SelectorProperty, a_selector_means_the_conjunction_of_its_terms, ()) {
  const auto count = *rc::gen::inRange(0, 6);
  std::vector<Term> terms;
  std::string text;
  for (int i = 0; i < count; ++i) {
    terms.push_back(some_term());
    text += (i == 0 ? "" : " , ") + written(terms.back());
  }
  const auto labels = *rc::gen::container<Labels>(some_key(), some_value());
  const LabelSelector selector = LabelSelector::parse(text).must();
  const bool wanted = std::all_of(terms.begin(), terms.end(),
                                  [&labels](const Term& term) { return model(term, labels); });
  RC_ASSERT(selector.matches(object_of(labels)) == wanted);
  const LabelSelector again = LabelSelector::parse(selector.to_string()).must();
  RC_ASSERT(again == selector);
  RC_ASSERT(again.to_string() == selector.to_string());
}

RC_GTEST_PROP(SelectorProperty, any_value_of_a_field_comes_back_from_its_text, ()) {
  const auto value = *rc::gen::container<std::string>(rc::gen::element('a', ',', '=', '\\', '!'));
  std::string text = "f=";
  for (const char c : value) {
    if (c == ',' || c == '=' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  const FieldSelector selector = FieldSelector::parse(text).must();
  RC_ASSERT(selector.terms().front().value == value);
  RC_ASSERT(selector.to_string() == text);
  RC_ASSERT(selector.matches(object_of({{"f", value}})));
}

RC_GTEST_PROP(SelectorProperty, no_text_does_any_harm, (const std::string& text)) {
  (void)LabelSelector::parse(text);
  (void)FieldSelector::parse(text);
}

}  // namespace
}  // namespace muster::objects

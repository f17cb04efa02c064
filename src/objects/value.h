// Value: an immutable JSON value. One arena holds the nodes and strings of one object; a Value is
// a root in an arena that it keeps alive, and copying it copies a pointer. View is the same
// without ownership: a cheap handle for reading, valid as long as some Value keeps its arena.
//
//   auto pod = TRY(parse_json(body));                       // objects/json.h
//   std::string_view name = pod["metadata"]["name"].string_or("");
//   for (View container : pod["spec"]["containers"].elements()) …
//   Value edited = TRY(with(pod, {"spec", "suspend"}, Value::boolean(true)));  // objects/edit.h
//
// Assumes: reading never fails. An absent member, an index past the end and a step into a scalar
// all yield a View with is_absent(); is_null() is a JSON null that was written down. Members keep
// their order; equality ignores it. Integers are int64 (beyond that a JSON number is a double, as
// in Go). An edited value shares what it did not change (arenas_retained_max bounds how much old
// memory it may keep).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::objects {

class Arena;
class View;
class Value;

enum class Type : std::uint8_t { absent, null, boolean, integer, real, string, array, object };

// "string", "integer" … as error messages name it.
std::string_view type_name(Type type);

// How an object's members are found by key (objects/member_index.h). Only Builder sets it.
enum class Lookup : std::uint8_t { scan, sorted, indexed };

// Sixteen bytes. Strings, elements and members lie in an arena.
struct Node {
  struct Member;

  Type type = Type::absent;
  Lookup lookup = Lookup::scan;
  std::uint32_t size = 0;  // bytes of a string, elements of an array, members of an object
  union {
    bool boolean;
    std::int64_t integer;
    double real;
    const char* text;
    const Node* elements;
    const Member* members;
  };

  constexpr Node() : integer(0) {}
};

struct Node::Member {
  Node key;  // a string
  Node value;
};

static_assert(sizeof(Node) == 16);

class View {
 public:
  constexpr View() : node_(&absent_node) {}
  constexpr explicit View(const Node* node) : node_(node) {}

  Type type() const { return node_->type; }
  bool is_absent() const { return type() == Type::absent; }
  bool is_null() const { return type() == Type::null; }
  bool is_boolean() const { return type() == Type::boolean; }
  bool is_integer() const { return type() == Type::integer; }
  bool is_real() const { return type() == Type::real; }
  bool is_number() const { return is_integer() || is_real(); }
  bool is_string() const { return type() == Type::string; }
  bool is_array() const { return type() == Type::array; }
  bool is_object() const { return type() == Type::object; }
  explicit operator bool() const { return !is_absent(); }

  // The scalar, or nothing when the type is another.
  std::optional<bool> boolean() const {
    return is_boolean() ? std::optional(node_->boolean) : std::nullopt;
  }
  std::optional<std::int64_t> integer() const {
    return is_integer() ? std::optional(node_->integer) : std::nullopt;
  }
  std::optional<double> real() const;  // also of an integer
  std::optional<std::string_view> string() const {
    if (!is_string()) return std::nullopt;
    return std::string_view(node_->text, node_->size);
  }

  // The scalar, or the fallback when absent or of another type.
  bool boolean_or(bool fallback) const { return boolean().value_or(fallback); }
  std::int64_t integer_or(std::int64_t fallback) const { return integer().value_or(fallback); }
  std::string_view string_or(std::string_view fallback) const {
    return string().value_or(fallback);
  }

  // Elements of an array or members of an object; 0 for everything else.
  std::size_t size() const { return is_array() || is_object() ? node_->size : 0; }
  bool empty() const { return size() == 0; }

  View operator[](std::string_view key) const;
  View operator[](std::size_t index) const;

  class Elements;
  class Members;
  Elements elements() const;  // empty unless an array
  Members members() const;    // empty unless an object

  const Node& node() const { return *node_; }

 private:
  static const Node absent_node;
  const Node* node_;
};

// One member of an object, as iteration yields it.
struct MemberView {
  std::string_view key;
  View value;
};

class View::Elements {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node* at) : at_(at) {}
    View operator*() const { return View(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const Node* at_;
  };

  Elements(const Node* first, std::size_t count) : first_(first), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }
  std::size_t size() const { return count_; }

 private:
  const Node* first_;
  std::size_t count_;
};

class View::Members {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node::Member* at) : at_(at) {}
    MemberView operator*() const {
      return {std::string_view(at_->key.text, at_->key.size), View(&at_->value)};
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const Node::Member* at_;
  };

  Members(const Node::Member* first, std::size_t count) : first_(first), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }
  std::size_t size() const { return count_; }

 private:
  const Node::Member* first_;
  std::size_t count_;
};

inline View View::operator[](std::size_t index) const {
  if (!is_array() || index >= node_->size) return View();
  return View(&node_->elements[index]);
}

inline View::Elements View::elements() const {
  return is_array() ? Elements(node_->elements, node_->size) : Elements(nullptr, 0);
}

inline View::Members View::members() const {
  return is_object() ? Members(node_->members, node_->size) : Members(nullptr, 0);
}

class Value {
 public:
  Value() = default;  // absent

  static Value null();
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value real(double value);  // must be finite
  static Value string(std::string_view value);
  static Value array(std::initializer_list<Value> elements);
  static Value object(std::initializer_list<std::pair<std::string_view, Value>> members);

  // A copy of the view in an arena of its own: holds on to nothing else.
  static Value copy_of(View view);

  // The part of this value that the view points at, sharing this value's arena.
  // The view must come from this value.
  Value part(View inside) const { return Value(arena_, inside.node()); }

  View view() const { return View(&root_); }
  // As with std::string_view: fine as an argument, dangling when kept from a temporary.
  operator View() const { return view(); }

  // The readers of View, for convenience.
  Type type() const { return root_.type; }
  bool is_absent() const { return view().is_absent(); }
  bool is_object() const { return view().is_object(); }
  bool is_array() const { return view().is_array(); }
  explicit operator bool() const { return !is_absent(); }
  View operator[](std::string_view key) const { return view()[key]; }
  View operator[](std::size_t index) const { return view()[index]; }

  // It will be copied or dropped soon: the count of its owners is fetched meanwhile.
  void expect() const { __builtin_prefetch(arena_.get(), 1); }

  // Bytes of memory this value keeps alive, and in how many arenas they lie.
  std::size_t memory() const;
  std::size_t arenas() const;

 private:
  friend class Builder;
  Value(std::shared_ptr<const Arena> arena, const Node& root)
      : arena_(std::move(arena)), root_(root) {}

  std::shared_ptr<const Arena> arena_;
  Node root_;
};

// Same JSON value: member order does not matter, 1 and 1.0 differ.
bool operator==(View a, View b);

// Equal views have equal hashes. The same in every run of one build; not a promise between builds.
std::uint64_t hash(View view);

}  // namespace muster::objects

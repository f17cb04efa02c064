// ObjectSession: one run of a command about objects: the server, what it serves, where output goes,
// and which namespace is meant. The commands are functions of a session and their options; what
// they return as an Error is the line that kubectl would print, and the program ends with 1.
//
//   ObjectSession session = TRY(ObjectSession::open(open_talk, options, output));
//   for (const Target& target : TRY(session.targets({"pods", "a", "b"}))) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/resource_names.h"
#include "cli/talk.h"
#include "objects/value.h"

namespace muster::cli {

// What all of them take.
struct ObjectOptions {
  TalkOptions talk = {};
  std::string name_space = {};
  bool all_namespaces = false;
  std::string selector = {};
  std::string field_selector = {};
  std::string output = {};
  std::vector<std::string> words = {};  // TYPE NAME…, TYPE/NAME…
  std::vector<std::string> files = {};  // of -f: files, folders, -
  bool all = false;
  bool ignores_not_found = false;
};

struct Target {
  ServedKind kind;
  std::string name = {};        // empty: all, or those of the selectors
  std::string name_space = {};  // of a manifest; empty: the session's
};

struct Manifest {
  ServedKind kind;
  objects::Value object;
};

class ObjectSession {
 public:
  static Result<std::unique_ptr<ObjectSession>> open(const OpenTalk& open_talk,
                                                     const ObjectOptions& options,
                                                     const Output& output);

  // Prints warnings; the reply is as it came.
  Result<Reply> ask(const Question& question);
  Result<objects::Value> ask_value(const Question& question);
  Result<Reply> listen(const Question& question, const OnPiece& on_piece);
  bool is_on_terminal() const;

  // Its output goes to ours.
  Result<int> execute(const std::string& target, Conversation manner);

  // `pods a b`, `pods,jobs`, `pod/a job/b`, `all`.
  Result<std::vector<Target>> targets(const std::vector<std::string>& words) const;

  // The objects of files, folders and standard input, Lists taken apart.
  Result<std::vector<Manifest>> manifests(const std::vector<std::string>& files) const;

  // Where an object is; `with_name` false: its collection, with the selectors of the options.
  std::string object_path(const Target& target) const;
  std::string list_path(const ServedKind& kind) const;

  // All pages of a collection.
  Result<std::vector<objects::Value>> list(const ServedKind& kind);

  // What targets mean: the named ones, or all that the selectors choose.
  Result<std::vector<Target>> resolved(const std::vector<Target>& targets);

  const ObjectOptions& options() const { return options_; }
  const std::string& name_space() const { return name_space_; }
  const ResourceNames& names() const { return names_; }
  void out(std::string_view text) const { output_.out(text); }
  void error(std::string_view text) const { output_.error(text); }

 private:
  ObjectSession(std::unique_ptr<Talk> talk, ResourceNames names, ObjectOptions options,
                const Output& output);
  void tell(const Reply& reply) const;

  std::unique_ptr<Talk> talk_;
  ResourceNames names_;
  ObjectOptions options_;
  const Output& output_;
  std::string name_space_;
};

}  // namespace muster::cli

// Route: what a path and a query ask for. A path names a resource of a group and version, in a
// namespace or not, one object or all, perhaps a part of it; everything else (/version, /apis, …)
// is a path and no more.
//
//   Route route = TRY(parse_route("/apis/batch/v1/namespaces/a/jobs/train", "dryRun=All"));
//   route.plural, route.name_space, route.name;       // "jobs", "a", "train"
//   route.query.find("dryRun");                       // "All"
//
// Assumes: nothing about the texts. A trailing slash does not matter, nor do several in a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace muster::server {

class Query {
 public:
  // `a=1&b=x%20y`: percent-decoded, `+` is a blank. too_large beyond the limits.
  static Result<Query> parse(std::string_view text);

  // The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view text_or_empty(std::string_view name) const { return find(name).value_or(""); }
  std::vector<std::string_view> all(std::string_view name) const;

  // As the API reads them: everything but `false` and `0` is true.
  std::optional<bool> boolean(std::string_view name) const;
  // Fails with bad_request in Go's words.
  Result<std::optional<std::int64_t>> integer(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct Route {
  std::string path;     // decoded, without a trailing slash; "/" for the root
  std::string group;    // empty for the core group
  std::string version;  // empty where the path is no resource
  std::string plural;
  std::string name_space;
  std::string name;
  std::string subresource;
  bool too_deep = false;  // there is more behind the subresource
  bool watches = false;   // /api/v1/watch/…, the old way to ask for one
  Query query;

  bool is_resource() const { return !plural.empty(); }
};

// Fails with bad_request for a path that is no text, too_large for one that is too long.
Result<Route> parse_route(std::string_view path, std::string_view query);

}  // namespace muster::server

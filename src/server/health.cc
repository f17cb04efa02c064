// SPDX-License-Identifier: Apache-2.0
#include "server/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/answer.h"

namespace muster::server {

namespace {

struct HealthCheck {
  std::string_view name;
  bool is_for_life;  // a restart might help
};

// The peer's names where the meaning is the same: monitoring knows them.
constexpr HealthCheck checks[] = {{"ping", true},           {"log", true},
                                  {"etcd", true},           {"etcd-readiness", false},
                                  {"informer-sync", false}, {"shutdown", false}};

constexpr std::string_view endpoints[] = {"livez", "readyz", "healthz"};

std::string_view endpoint_of(std::string_view path) {
  for (const std::string_view endpoint : endpoints) {
    const std::string_view rest = path.substr(std::min<std::size_t>(1, path.size()));
    if (!rest.starts_with(endpoint)) continue;
    if (rest.size() == endpoint.size() || rest[endpoint.size()] == '/') return endpoint;
  }
  return {};
}

bool has(const HealthCheck& check, std::string_view endpoint) {
  return endpoint == "readyz" || check.is_for_life;
}

}  // namespace

bool Health::is_path(std::string_view path) {
  return path.starts_with('/') && !endpoint_of(path).empty();
}

// After a commit that failed, one that did not.
bool Health::store_writes() {
  const store::StoreStatistics now = context_.store.statistics();
  if (now.failed_commits > failures_seen_) {
    failures_seen_ = now.failed_commits;
    commits_then_ = now.commits;
    has_failed_ = true;
  }
  if (has_failed_ && now.commits > commits_then_) has_failed_ = false;
  return !has_failed_;
}

bool Health::passes(std::string_view check) {
  return check != "etcd-readiness" || store_writes();
}

Response Health::answer(std::string_view path, const Query& query) {
  const std::string_view endpoint = endpoint_of(path);
  const std::string_view one = path.substr(std::min(endpoint.size() + 2, path.size()));
  if (!one.empty()) {
    const auto known = std::ranges::find(checks, one, &HealthCheck::name);
    if (known == std::end(checks) || !has(*known, endpoint)) {
      return text_answer(404, "404 page not found\n");
    }
    if (passes(one)) return text_answer(200, "ok");
    return text_answer(500, fmt::format("internal server error: {} failed\n", one));
  }
  const std::vector<std::string_view> excluded = query.all("exclude");
  std::string lines;
  bool all_pass = true;
  for (const HealthCheck& check : checks) {
    if (!has(check, endpoint)) continue;
    if (std::ranges::find(excluded, check.name) != excluded.end()) {
      lines += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (passes(check.name)) {
      lines += fmt::format("[+]{} ok\n", check.name);
    } else {
      all_pass = false;
      lines += fmt::format("[-]{} failed: reason withheld\n", check.name);
    }
  }
  if (!all_pass) return text_answer(500, fmt::format("{}{} check failed\n", lines, endpoint));
  if (!query.find("verbose")) return text_answer(200, "ok");
  return text_answer(200, fmt::format("{}{} check passed\n", lines, endpoint));
}

}  // namespace muster::server

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "objects/cel/cel.h"
#include "objects/schema/formats.h"
#include "server/admission.h"
#include "server/hook_rule.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t match_conditions_max = 64;
constexpr std::string_view url_form = "; desired format: https://host[/path]";

using Words = std::vector<std::string>;

// The rules of one list of webhooks; errors come in the order of kube-apiserver's.
class WebhookRules {
 public:
  explicit WebhookRules(FieldErrors& errors) : errors_(errors) {}

  void check(View webhook, const std::string& path, bool is_mutating) {
    check_name(webhook["name"], path + ".name");
    const View rules = webhook["rules"];
    for (std::size_t i = 0; i < rules.size(); ++i) {
      check_rule(rules[i], fmt::format("{}.rules[{}]", path, i));
    }
    check_word(webhook["failurePolicy"], path + ".failurePolicy", {"Fail", "Ignore"});
    check_word(webhook["matchPolicy"], path + ".matchPolicy", {"Equivalent", "Exact"});
    const View effects = webhook["sideEffects"];
    if (!effects) {
      required(path + ".sideEffects", "must specify one of None, NoneOnDryRun");
    } else {
      check_word(effects, path + ".sideEffects", {"None", "NoneOnDryRun"});
    }
    const View timeout = webhook["timeoutSeconds"];
    const std::int64_t seconds = timeout.integer_or(1);
    if (seconds < 1 || seconds > 30) {
      invalid(path + ".timeoutSeconds", timeout,
              "the timeout value must be between 1 and 30 seconds");
    }
    if (is_mutating) {
      check_word(webhook["reinvocationPolicy"], path + ".reinvocationPolicy",
                 {"IfNeeded", "Never"});
    }
    check_client(webhook["clientConfig"], path + ".clientConfig");
    check_conditions(webhook["matchConditions"], path + ".matchConditions");
    check_review_versions(webhook["admissionReviewVersions"], path + ".admissionReviewVersions");
    check_unique(webhook["name"], path + ".name", names_);
  }

  void check_rule(View rule, const std::string& path) {
    const View operations = rule["operations"];
    check_list(operations, path + ".operations", "operations");
    for (std::size_t i = 0; i < operations.size(); ++i) {
      check_word(operations[i], fmt::format("{}.operations[{}]", path, i),
                 {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
    }
    check_list(rule["apiGroups"], path + ".apiGroups", "API groups");
    const View versions = rule["apiVersions"];
    check_list(versions, path + ".apiVersions", "API versions");
    for (std::size_t i = 0; i < versions.size(); ++i) {
      if (versions[i].string_or("").empty()) {
        required(fmt::format("{}.apiVersions[{}]", path, i));
      }
    }
    check_resources(rule["resources"], path + ".resources");
    check_word(rule["scope"], path + ".scope", {"*", "Cluster", "Namespaced"});
  }

 private:
  void required(std::string path, std::string why = {}) {
    errors_.add(FieldError::required(std::move(path), std::move(why)));
  }
  void invalid(std::string path, View value, std::string why) {
    errors_.add(FieldError::invalid(std::move(path), value, std::move(why)));
  }

  void check_word(View word, const std::string& path, const Words& supported) {
    if (!word) return;
    if (std::ranges::find(supported, word.string_or("")) != supported.end()) return;
    errors_.add(FieldError::not_supported(path, word, supported));
  }

  void check_unique(View name, const std::string& path, std::set<std::string>& seen) {
    const std::string text(name.string_or(""));
    if (text.empty() || seen.insert(text).second) return;
    errors_.add(FieldError::duplicate(path, name));
  }

  void check_name(View name, const std::string& path) {
    const std::string_view text = name.string_or("");
    if (text.empty()) return required(path);
    const auto wrong = objects::dns_subdomain_violations(text);
    if (!wrong.empty()) return invalid(path, name, fmt::format("{}", fmt::join(wrong, ",")));
    if (std::ranges::count(text, '.') < 2) {
      invalid(path, name, "should be a domain with at least three segments separated by dots");
    }
  }

  // A list that must say something, and nothing else where it says everything.
  void check_list(View list, const std::string& path, std::string_view others) {
    if (list.empty()) required(path);
    bool everything = false;
    for (View each : list.elements()) everything = everything || each.string_or("") == "*";
    if (everything && list.size() > 1) {
      invalid(path, list, fmt::format("if '*' is present, must not specify other {}", others));
    }
  }

  void check_resources(View resources, const std::string& path) {
    if (resources.empty()) required(path);
    std::set<std::string, std::less<>> whole;         // resources with all their subresources
    std::set<std::string, std::less<>> subresources;  // of all resources
    bool everything = false;
    bool all_plain = false;
    bool some_plain = false;
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const std::string_view text = resources[i].string_or("");
      const std::string place = fmt::format("{}[{}]", path, i);
      if (text.empty()) {
        required(place);
        continue;
      }
      everything = everything || text == "*/*";
      all_plain = all_plain || text == "*";
      const std::size_t slash = text.find('/');
      if (slash == std::string_view::npos) {
        some_plain = text != "*";
        continue;
      }
      const std::string resource(text.substr(0, slash));
      const std::string subresource(text.substr(slash + 1));
      if (whole.contains(resource)) {
        invalid(place, resources[i],
                fmt::format("if '{}/*' is present, must not specify {}", resource, text));
      }
      if (subresources.contains(subresource)) {
        invalid(place, resources[i],
                fmt::format("if '*/{}' is present, must not specify {}", subresource, text));
      }
      if (subresource == "*") whole.insert(resource);
      if (resource == "*") subresources.insert(subresource);
    }
    if (everything && resources.size() > 1) {
      invalid(path, resources, "if '*/*' is present, must not specify other resources");
    }
    if (all_plain && some_plain) {
      invalid(path, resources,
              "if '*' is present, must not specify other resources without subresources");
    }
  }

  void check_client(View config, const std::string& path) {
    const bool has_url = config["url"].is_string();
    const bool has_service = config["service"].is_object();
    if (has_url == has_service) {
      return required(path, "exactly one of url or service is required");
    }
    if (has_url) return check_url(config["url"].string_or(""), path + ".url");
    check_service(config["service"], path + ".service");
  }

  void check_url(std::string_view url, const std::string& path) {
    const auto refuse = [&](std::string_view part, std::string why) {
      errors_.add(FieldError::invalid(path, Value::string(part), std::move(why)));
    };
    const std::size_t colon = url.find("://");
    const std::string_view scheme =
        colon == std::string_view::npos ? std::string_view() : url.substr(0, colon);
    std::string_view rest = colon == std::string_view::npos ? url : url.substr(colon + 3);
    if (scheme != "https") {
      refuse(scheme, fmt::format("'https' is the only allowed URL scheme{}", url_form));
    }
    const auto cut = [&rest](char mark) {
      const std::size_t at = std::min(rest.find(mark), rest.size());
      const std::string_view behind = rest.substr(std::min(at + 1, rest.size()));
      rest = rest.substr(0, at);
      return behind;
    };
    const std::string_view fragment = cut('#');
    const std::string_view query = cut('?');
    std::string_view host = scheme.empty() ? std::string_view() : rest.substr(0, rest.find('/'));
    std::string_view user;
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
      user = host.substr(0, at);
      host = host.substr(at + 1);
    }
    if (host.empty()) refuse("", fmt::format("host must be specified{}", url_form));
    if (!user.empty()) refuse(user, "user information is not permitted in the URL");
    if (!fragment.empty()) refuse(fragment, "fragments are not permitted in the URL");
    if (!query.empty()) refuse(query, "query parameters are not permitted in the URL");
  }

  void check_service(View service, const std::string& path) {
    if (service["name"].string_or("").empty()) required(path + ".name");
    if (service["namespace"].string_or("").empty()) required(path + ".namespace");
    const std::int64_t port = service["port"].integer_or(443);
    if (port < 1 || port > 65535) {
      invalid(path + ".port", service["port"],
              "port is not valid: must be between 1 and 65535, inclusive");
    }
    const View url_path = service["path"];
    std::string_view text = url_path.string_or("");
    if (text.empty() || text == "/") return;
    if (text == "//") return invalid(path + ".path", url_path, "segment[0] may not be empty");
    if (!text.starts_with('/')) invalid(path + ".path", url_path, "must start with a '/'");
    text.remove_prefix(1);
    if (text.ends_with('/')) text.remove_suffix(1);
    for (std::size_t i = 0; true; ++i) {
      const std::size_t end = std::min(text.find('/'), text.size());
      check_segment(text.substr(0, end), i, url_path, path + ".path");
      if (end == text.size()) return;
      text.remove_prefix(end + 1);
    }
  }

  void check_segment(std::string_view segment, std::size_t at, View whole,
                     const std::string& path) {
    if (segment.empty())
      return invalid(path, whole, fmt::format("segment[{}] may not be empty", at));
    for (const std::string& wrong : objects::dns_subdomain_violations(segment)) {
      invalid(path, whole, fmt::format("segment[{}]: {}", at, wrong));
    }
  }

  void check_conditions(View conditions, const std::string& path) {
    if (conditions.size() > match_conditions_max) {
      errors_.add(FieldError::too_many(path, conditions.size(), match_conditions_max));
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", path, i);
      const View expression = conditions[i]["expression"];
      if (expression.string_or("").empty()) {
        required(place + ".expression");
      } else if (auto program = objects::compile_cel(
                     expression.string_or(""), {.variables = {"object", "oldObject", "request"}});
                 !program) {
        invalid(place + ".expression", expression,
                fmt::format("compilation failed: {}", program.error().message));
      }
      const View name = conditions[i]["name"];
      if (name.string_or("").empty()) {
        required(place + ".name");
      } else {
        for (const std::string& wrong : objects::qualified_name_violations(name.string_or(""))) {
          invalid(place + ".name", name, wrong);
        }
      }
      check_unique(name, place + ".name", names);
    }
  }

  void check_review_versions(View versions, const std::string& path) {
    if (versions.empty()) return required(path, "must specify one of v1, v1beta1");
    std::set<std::string> seen;
    bool known = false;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const std::string text(versions[i].string_or(""));
      const std::string place = fmt::format("{}[{}]", path, i);
      if (!seen.insert(text).second) {
        invalid(place, versions[i], "duplicate version");
        continue;
      }
      for (const std::string& wrong : objects::dns1035_label_violations(text)) {
        invalid(place, versions[i], wrong);
      }
      known = known || text == "v1" || text == "v1beta1";
    }
    if (!known) invalid(path, versions, "must include at least one of v1, v1beta1");
  }

  FieldErrors& errors_;
  std::set<std::string> names_;
};

// What the schema says about webhooks is said here as well, in the peer's order; only what it says
// about label selectors is its own.
FieldErrors without_webhooks(const FieldErrors& errors) {
  FieldErrors kept;
  for (const FieldError& error : errors) {
    const bool is_selector = error.path.find("Selector") != std::string::npos;
    if (!error.path.starts_with("webhooks") || is_selector) kept.add(error);
  }
  return kept;
}

}  // namespace

void check_hook_rule(View rule, const std::string& path, FieldErrors& errors) {
  WebhookRules(errors).check_rule(rule, path);
}

Outcome<> admit_webhook_configuration(Admission& admission) {
  const bool is_mutating = admission.target.kind->plural == "mutatingwebhookconfigurations";
  admission.errors = without_webhooks(admission.errors);
  WebhookRules rules(admission.errors);
  const View webhooks = admission.object["webhooks"];
  for (std::size_t i = 0; i < webhooks.size(); ++i) {
    rules.check(webhooks[i], fmt::format("webhooks[{}]", i), is_mutating);
  }
  return {};
}

}  // namespace muster::server

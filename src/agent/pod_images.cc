// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

// A kubelet's: ten seconds after the first failure, then twice as long, up to five minutes. It says
// ErrImagePull when a pull has failed and ImagePullBackOff when it looks again.
constexpr std::int64_t back_off_seconds_min = 10;
constexpr std::int64_t back_off_seconds_max = 300;
constexpr Span back_off_told_after = Span::of_seconds(4);
// Whether somebody imported it meanwhile costs little to ask.
constexpr Span look_every = Span::of_seconds(2);

Span pause_after(int failures) {
  const std::int64_t doubled = back_off_seconds_min << std::min(failures - 1, 10);
  return Span::of_seconds(std::min(doubled, back_off_seconds_max));
}

std::string duration_text(Span span) {
  constexpr std::int64_t millisecond = 1'000'000;
  return format_duration({span.nanoseconds / millisecond * millisecond});
}

}  // namespace

bool PodImages::ensure(const Value& pod, FindSecret find_secret) {
  if (images_ == nullptr) return true;
  find_secret_ = std::move(find_secret);
  bool complete = true;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (View container : pod["spec"][list].elements()) {
      const std::string_view name = container["image"].string_or("");
      if (images_->is_of_machine(name)) continue;
      const std::string key(container["name"].string_or(""));
      Image& image = found_[key];
      if (image.stage == Stage::unknown) {
        image.name = name;
        image.policy = container["imagePullPolicy"].string_or("IfNotPresent");
        look(pod, key);
      } else if (image.stage == Stage::failed) {
        if (image.waiting.reason == "ErrImagePull" && now() >= image.back_off_at) {
          back_off(pod, key);
        }
        if (now() >= image.look_at) look(pod, key);
      }
      complete = complete && image.stage == Stage::here;
    }
  }
  return complete;
}

std::map<std::string, ImageFacts, std::less<>> PodImages::facts() const {
  std::map<std::string, ImageFacts, std::less<>> facts;
  for (const auto& [container, image] : found_) {
    if (image.stage == Stage::here) facts.emplace(container, image.facts);
  }
  return facts;
}

std::map<std::string, Waiting, std::less<>> PodImages::waits() const {
  std::map<std::string, Waiting, std::less<>> waits;
  for (const auto& [container, image] : found_) {
    if (image.stage != Stage::here && image.failures > 0) waits.emplace(container, image.waiting);
  }
  return waits;
}

std::optional<MonotonicInstant> PodImages::due() const {
  std::optional<MonotonicInstant> first;
  for (const auto& [container, image] : found_) {
    if (image.stage != Stage::failed) continue;
    MonotonicInstant next = image.look_at;
    if (image.waiting.reason == "ErrImagePull") next = std::min(next, image.back_off_at);
    if (!first || next < *first) first = next;
  }
  return first;
}

bool PodImages::take_pulled(std::string_view container) {
  const auto found = found_.find(container);
  return found != found_.end() && std::exchange(found->second.is_told, false);
}

void PodImages::look(const Value& pod, const std::string& container) {
  Image& image = found_[container];
  image.stage = Stage::looking;
  images_->look_up(image.name, lifeline_.guard([this, pod, container](Result<ImageFacts> found) {
    on_found(pod, container, std::move(found));
  }));
}

void PodImages::on_found(const Value& pod, const std::string& container, Result<ImageFacts> found) {
  Image& image = found_[container];
  image.stage = Stage::failed;
  if (found) {
    // A registry may have a newer one, unless none knows it at all.
    const bool must_ask = image.policy == "Always" && !found->is_imported;
    if (must_ask && now() >= image.pull_at) return pull(pod, container);
    if (!must_ask) {
      image.facts = std::move(*found);
      image.stage = Stage::here;
    }
  } else if (found.error().code == ErrorCode::bad_request) {
    const std::string message = fmt::format(
        "Failed to apply default image tag \"{}\": couldn't parse image name \"{}\": {}",
        image.name, image.name, found.error().message);
    if (image.failures == 0) events_.warning(pod, container, "InspectFailed", message);
    fail(pod, container, "InvalidImageName", message);
  } else if (found.error().code != ErrorCode::not_found) {
    fail(pod, container, "CreateContainerError", found.error().message);
  } else if (image.policy == "Never") {
    const std::string message =
        fmt::format("Container image \"{}\" is not present with pull policy of Never", image.name);
    if (image.failures == 0) events_.warning(pod, container, "ErrImageNeverPull", message);
    fail(pod, container, "ErrImageNeverPull", message);
  } else if (now() >= image.pull_at) {
    return pull(pod, container);
  }
  image.look_at = now() + look_every;
  on_change_();
}

void PodImages::pull(const Value& pod, const std::string& container) {
  Image& image = found_[container];
  image.stage = Stage::pulling;
  image.begun = now();
  const RegistryCredentials credentials = registry_credentials(pod, find_secret_);
  if (!credentials.missing.empty()) {
    events_.warning(pod, "", "FailedToRetrieveImagePullSecret",
                    fmt::format("Unable to retrieve some image pull secrets ({}); attempting to "
                                "pull the image may not succeed.",
                                fmt::join(credentials.missing, ", ")));
  }
  events_.normal(pod, container, "Pulling", fmt::format("Pulling image \"{}\"", image.name));
  images_->pull(image.name, credentials.config,
                lifeline_.guard([this, pod, container](Result<ImageFacts> pulled) {
                  on_pulled(pod, container, std::move(pulled));
                }));
}

void PodImages::on_pulled(const Value& pod, const std::string& container,
                          Result<ImageFacts> pulled) {
  Image& image = found_[container];
  if (pulled) {
    const std::string span = duration_text(now() - image.begun);
    events_.normal(pod, container, "Pulled",
                   fmt::format("Successfully pulled image \"{}\" in {} ({} including waiting). "
                               "Image size: {} bytes.",
                               image.name, span, span, pulled->bytes));
    image.facts = std::move(*pulled);
    image.stage = Stage::here;
    image.is_told = true;
    return on_change_();
  }
  image.stage = Stage::failed;
  image.cause = pulled.error().message;
  events_.warning(pod, container, "Failed",
                  fmt::format("Failed to pull image \"{}\": {}", image.name, image.cause));
  image.waiting.reason.clear();  // each failed pull is told
  fail(pod, container, "ErrImagePull", image.cause);
  image.pull_at = now() + pause_after(image.failures);
  image.back_off_at = now() + back_off_told_after;
  image.look_at = now() + look_every;
  on_change_();
}

void PodImages::fail(const Value& pod, const std::string& container, std::string reason,
                     std::string message) {
  Image& image = found_[container];
  ++image.failures;
  if (image.waiting.reason != reason) {
    events_.warning(pod, container, "Failed", "Error: " + reason);
  }
  image.waiting = {.reason = std::move(reason), .message = std::move(message)};
}

void PodImages::back_off(const Value& pod, const std::string& container) {
  Image& image = found_[container];
  const std::string message = fmt::format("Back-off pulling image \"{}\"", image.name);
  events_.normal(pod, container, "BackOff", message);
  events_.warning(pod, container, "Failed", "Error: ImagePullBackOff");
  image.waiting = {.reason = "ImagePullBackOff",
                   .message = fmt::format("{}: ErrImagePull: {}", message, image.cause)};
}

}  // namespace muster::agent

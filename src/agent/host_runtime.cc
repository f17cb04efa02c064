// SPDX-License-Identifier: Apache-2.0
#include "agent/host_runtime.h"

#include <fmt/format.h>

#include <utility>

#include "base/os/control_group.h"

namespace muster::agent {

std::string describe_isolation(const HostOptions& options) {
  const std::string network = options.network.has_bridge()
                                  ? fmt::format("own, by bridge {}", options.network.bridge)
                                  : fmt::format("shared, by addresses of {} ({})",
                                                options.network.cidr, options.network.reason);
  return fmt::format("namespaces: {}; network: {}; limits: {}", to_string(options.isolation),
                     network, ControlGroups::find().describe());
}

HostRuntime::HostRuntime(Executor& house, PollLoop& machine, HostOptions options, const Log& log)
    : executor_(house),
      machine_(machine),
      pods_folder_(options.pods_folder),
      acts_(house, machine),
      house_(std::make_shared<House>()) {
  auto report = [&house, weak = std::weak_ptr<House>(house_)](PodState state) {
    house.post([weak, state = std::move(state)] {
      const auto here = weak.lock();
      if (here == nullptr || !here->listener || here->removed.contains(state.uid)) return;
      here->listener(state);
    });
  };
  pods_ =
      std::make_unique<HostPods>(machine, std::move(options), log.child("host"), std::move(report));
}

HostRuntime::~HostRuntime() = default;

void HostRuntime::set_listener(Listener listener) {
  house_->listener = std::move(listener);
}

void HostRuntime::adopt(Adopted adopted) {
  machine_.post([this, adopted = std::move(adopted)]() mutable {
    pods_->adopt([&house = executor_, adopted = std::move(adopted)](auto found) mutable {
      house.post([adopted = std::move(adopted), found = std::move(found)]() mutable {
        adopted(std::move(found));
      });
    });
  });
}

void HostRuntime::start(PodSpec spec) {
  machine_.post([this, spec = std::move(spec)]() mutable { pods_->start(std::move(spec)); });
}

void HostRuntime::run(std::string_view uid, std::string_view container) {
  machine_.post([this, uid = std::string(uid), container = std::string(container)] {
    pods_->run(uid, container);
  });
}

void HostRuntime::stop_container(std::string_view uid, std::string_view container, Span grace) {
  machine_.post([this, uid = std::string(uid), container = std::string(container), grace] {
    pods_->stop_container(uid, container, grace);
  });
}

void HostRuntime::act(std::string_view uid, std::string_view container, ContainerAct act,
                      Acted acted) {
  acts_.begin(fmt::format("{}/{}", pods_folder_, uid), std::string(container), std::move(act),
              std::move(acted));
}

void HostRuntime::stop(std::string_view uid, Span grace) {
  machine_.post([this, uid = std::string(uid), grace] { pods_->stop(uid, grace); });
}

void HostRuntime::remove(std::string_view uid) {
  ++house_->removed[std::string(uid)];
  machine_.post([this, uid = std::string(uid), weak = std::weak_ptr<House>(house_)] {
    pods_->remove(uid);
    executor_.post([weak, uid] {
      const auto here = weak.lock();
      if (here == nullptr) return;
      const auto at = here->removed.find(uid);
      if (--at->second == 0) here->removed.erase(at);
    });
  });
}

}  // namespace muster::agent

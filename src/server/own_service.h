// OwnService: the Service `kubernetes` in the namespace `default`, by which programs in pods find
// this server, and its Endpoints and EndpointSlice. They are made when they are missing and put
// right when they say something else.
//
//   OwnService own(context, {.address = "10.71.0.1", .port = 443});
//   own.start();                                              // the cache is loaded
//   cache.set_on_change([&](const CacheChange& change) { own.on_change(change); });
//
// Assumes: the house thread. The address is one that we listen on ourselves: nothing translates
// it. A loopback address has no Endpoints, which may not hold one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/admission.h"
#include "server/context.h"
#include "server/object_cache.h"

namespace muster::server {

struct ServiceAddress {
  std::string address = {};  // empty: there is no such Service
  std::uint16_t port = 443;
};

// Whether the Service is ours, which needs nobody else to serve its address.
bool is_own_service(const Admission& admission);

class OwnService {
 public:
  OwnService(Context& context, ServiceAddress where)
      : context_(context), where_(std::move(where)) {}
  OwnService(const OwnService&) = delete;
  OwnService& operator=(const OwnService&) = delete;
  ~OwnService() { *alive_ = false; }

  void start();
  void on_change(const CacheChange& change);

 private:
  void look();
  void turn();
  void keep(std::string_view group, std::string_view plural, objects::Value wanted);

  Context& context_;
  const ServiceAddress where_;
  bool turn_posted_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server

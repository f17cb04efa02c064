// QuotaBook: what each ResourceQuota allows and what is used of it. Sums follow the cache; a write
// that was admitted and is not yet durable has its part set aside, so that any number of writes at
// once never pass a limit. status.hard and status.used are written before the object that uses
// them: who has an answer reads a quota that counts it. One status write is under way at a time in
// a namespace, for all who wait.
//
//   quota.admit(admission, [](Outcome<> admitted) { … });       // the last step of admission
//   cache.set_on_change([&](const CacheChange& change) { quota.on_change(change); });
//
//                  check: used + set aside + asked ≤ hard            status durable
//   admit ─────────────────────────────────────────────► waiting ─────────────────► admitted
//     │ 403 exceeded quota                                  │ the store refuses: its error
//
// Assumes: the house thread. What was set aside counts until its write is seen in the cache or its
// hold is dropped, whichever is first: never twice, never not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/admission.h"
#include "server/admission_chain.h"
#include "server/context.h"
#include "server/object_cache.h"
#include "server/quota_usage.h"
#include "server/resource_list.h"
#include "server/write.h"

namespace muster::server {

class QuotaBook {
 public:
  explicit QuotaBook(Context& context);
  QuotaBook(const QuotaBook&) = delete;
  QuotaBook& operator=(const QuotaBook&) = delete;

  // The cache is loaded.
  void start();

  void on_change(const CacheChange& change);

  void admit(Admission& admission, AdmitAnswer done);

 private:
  struct Quota {
    ResourceList hard;
    std::vector<QuotaScope> scopes;
    ResourceList used = {};  // of what is durable, under the names in hard
  };
  using Amounts = std::map<std::string, ResourceList>;  // by quota

  // A write that was admitted.
  struct SetAside {
    objects::KindRegistry::Found kind;
    std::string name;
    std::string uid;           // of a new object
    store::Revision replaces;  // of an update: the version it was decided on
    Amounts amounts;
  };

  // One namespace that has quotas.
  struct Page {
    std::map<std::string, Quota> quotas = {};
    std::list<SetAside> set_aside = {};
    std::vector<AdmitAnswer> waiting = {};    // for the next round of writes
    std::vector<AdmitAnswer> answering = {};  // for the round under way
    std::size_t writes_under_way = 0;
    std::optional<Failure> failure = {};  // of the round under way
    int attempts = 0;
    bool is_dirty = false;
  };

  Outcome<Amounts> check(const Admission& admission, const Page& page) const;
  Outcome<ResourceList> check_quota(const Admission& admission, const Page& page,
                                    const std::string& name, const Quota& quota) const;
  ResourceList used_and_set_aside(const Page& page, const std::string& name, const Quota& quota,
                                  std::string_view name_space) const;
  bool still_counts(const SetAside& part, std::string_view name_space) const;
  std::shared_ptr<void> set_aside(const Admission& admission, Page& page, Amounts amounts);

  void read_quotas(const std::string& name_space);
  ResourceList used_by(const Quota& quota, const CachedObject* object) const;
  void post_settle();
  void settle();
  void write_statuses(const std::string& name_space);
  bool write_status(const Page& page, const std::string& name_space, const std::string& name);
  void on_written(const std::string& name_space, const Outcome<Written>& written);
  void end_round(const std::string& name_space);
  void retry_later(Page& page);

  Context& context_;
  std::map<std::string, Page, std::less<>> pages_;
  std::set<std::string> unread_;  // namespaces whose quotas have changed
  bool settle_posted_ = false;
  // Answers of the store, and holds, may come when this is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server

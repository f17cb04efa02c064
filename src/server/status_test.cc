// SPDX-License-Identifier: Apache-2.0
#include "server/status.h"

#include <gtest/gtest.h>

#include "objects/json.h"

namespace muster::server {
namespace {

std::string text_of(const Failure& failure) {
  return objects::to_json(status_of(failure));
}

// The expected texts are answers of kube-apiserver 1.36.3.
TEST(Status, an_object_that_is_not_there) {
  EXPECT_EQ(text_of(failures::not_found({.resource = "pods"}, "nope")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"pods \"nope\" not found","reason":"NotFound",)"
            R"("details":{"name":"nope","kind":"pods"},"code":404})");
  EXPECT_EQ(text_of(failures::not_found({.group = "batch", .resource = "jobs"}, "nope")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"jobs.batch \"nope\" not found","reason":"NotFound",)"
            R"("details":{"name":"nope","group":"batch","kind":"jobs"},"code":404})");
}

TEST(Status, a_path_that_is_not_there_and_a_method_that_is_not_allowed) {
  EXPECT_EQ(text_of(failures::unknown_resource()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"the server could not find the requested resource",)"
            R"("reason":"NotFound","details":{},"code":404})");
  EXPECT_EQ(text_of(failures::method_not_allowed()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"the server does not allow this method on the requested resource",)"
            R"("reason":"MethodNotAllowed","details":{},"code":405})");
}

TEST(Status, a_media_type_that_nobody_reads) {
  EXPECT_EQ(text_of(failures::unsupported_patch()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"415: Unsupported Media Type","reason":"UnsupportedMediaType",)"
            R"("details":{},"code":415})");
  EXPECT_EQ(text_of(failures::unsupported_body()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"the body of the request was in an unknown format - accepted media types )"
            R"(include: application/json, application/yaml, application/vnd.kubernetes.protobuf",)"
            R"("reason":"UnsupportedMediaType","code":415})");
}

TEST(Status, a_precondition_that_does_not_hold) {
  EXPECT_EQ(text_of(failures::uid_precondition("ConfigMap", "a", "abc", "7e97")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Operation cannot be fulfilled on ConfigMap \"a\": the UID in the )"
            R"(precondition (abc) does not match the UID in record (7e97). The object might have )"
            R"(been deleted and then recreated","reason":"Conflict",)"
            R"("details":{"name":"a","kind":"ConfigMap"},"code":409})");
  EXPECT_EQ(failures::resource_version_precondition("ConfigMap", "a", "1", "293").message,
            "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the "
            "precondition (1) does not match the ResourceVersion in record (293). The object might "
            "have been modified");
}

TEST(Status, a_pod_that_has_a_node_already) {
  EXPECT_EQ(text_of(failures::conflict({.resource = "pods/binding"}, "bp",
                                       "pod bp is already assigned to node \"node-0\"")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Operation cannot be fulfilled on pods/binding \"bp\": pod bp is already )"
            R"(assigned to node \"node-0\"","reason":"Conflict",)"
            R"("details":{"name":"bp","kind":"pods/binding"},"code":409})");
}

TEST(Status, a_namespace_that_ends) {
  EXPECT_EQ(text_of(failures::namespace_terminating({.resource = "configmaps"}, "late", "t")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"configmaps \"late\" is forbidden: unable to create new content in )"
            R"(namespace t because it is being terminated","reason":"Forbidden",)"
            R"("details":{"name":"late","kind":"configmaps","causes":[)"
            R"({"reason":"NamespaceTerminating","message":"namespace t is being terminated",)"
            R"("field":"metadata.namespace"}]},"code":403})");
}

TEST(Status, somebody_who_may_not) {
  EXPECT_EQ(text_of(failures::denied(
                {.user = "system:anonymous", .verb = "list", .resource = {.resource = "pods"}})),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"pods is forbidden: User \"system:anonymous\" cannot list resource )"
            R"(\"pods\" in API group \"\" at the cluster scope","reason":"Forbidden",)"
            R"("details":{"kind":"pods"},"code":403})");
  EXPECT_EQ(failures::denied({.user = "u",
                              .verb = "get",
                              .resource = {.resource = "pods/log"},
                              .name = "p",
                              .name_space = "a"})
                .message,
            "pods \"p\" is forbidden: User \"u\" cannot get resource \"pods/log\" in API group "
            "\"\" in the namespace \"a\"");
}

TEST(Status, fields_that_are_wrong_become_causes) {
  objects::FieldErrors errors;
  errors.add(objects::FieldError::required("spec.x"));
  errors.add(objects::FieldError::forbidden("", "no"));
  EXPECT_EQ(text_of(failures::invalid("kueue.x-k8s.io", "Workload", "w", errors)),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Workload.kueue.x-k8s.io \"w\" is invalid: [spec.x: Required value, )"
            R"(\u003cnil\u003e: Forbidden: no]","reason":"Invalid",)"
            R"("details":{"name":"w","group":"kueue.x-k8s.io","kind":"Workload","causes":[)"
            R"({"reason":"FieldValueRequired","message":"Required value","field":"spec.x"},)"
            R"({"reason":"FieldValueForbidden","message":"Forbidden: no",)"
            R"("field":"\u003cnil\u003e"}]},"code":422})");
}

TEST(Status, a_version_of_the_future_and_a_body_without_end) {
  EXPECT_EQ(text_of(failures::too_large_resource_version(99'999'999, 1419)),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Timeout: Too large resource version: 99999999, current: 1419",)"
            R"("reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge",)"
            R"("message":"Too large resource version"}],"retryAfterSeconds":1},"code":504})");
  EXPECT_EQ(text_of(failures::body_too_large()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Request entity too large: limit is 3145728",)"
            R"("reason":"RequestEntityTooLarge","code":413})");
}

TEST(Status, patches_that_cannot_be_read_or_do_not_apply) {
  EXPECT_EQ(text_of(failures::patch_rejected()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"the server rejected our request due to an error in our request",)"
            R"("reason":"Invalid","details":{},"code":422})");
  EXPECT_EQ(failures::unsupported_custom_patch().message,
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
}

TEST(Status, success_says_what_is_gone) {
  EXPECT_EQ(objects::to_json(success_status({.name = "a", .kind = "configmaps", .uid = "7e97"})),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
            R"("details":{"name":"a","kind":"configmaps","uid":"7e97"}})");
  EXPECT_EQ(objects::to_json(success_status(201)),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})");
}

TEST(Status, an_error_keeps_its_code_there_and_back) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::insufficient_storage); ++code) {
    const Error error{static_cast<ErrorCode>(code), "why"};
    EXPECT_EQ(Failure(error).to_error(), error);
    EXPECT_EQ(Failure(error).code, http_status(error.code));
  }
}

}  // namespace
}  // namespace muster::server

// SPDX-License-Identifier: Apache-2.0
#include "server/negotiation.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

constexpr std::string_view kubectl_table =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
    "g=meta.k8s.io,application/json";
constexpr std::string_view kubectl_discovery =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;"
    "g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

TEST(Negotiation, kubectl_gets_tables_where_there_are_objects) {
  EXPECT_EQ(accepted_form(kubectl_table, Answerable::lists).form,
            (Form{Encoding::json, Shape::table_v1}));
  EXPECT_EQ(accepted_form(kubectl_table, Answerable::objects).form,
            (Form{Encoding::json, Shape::table_v1}));
  EXPECT_EQ(accepted_form(kubectl_table, Answerable::plain).form, Form());
}

TEST(Negotiation, an_old_kubectl_gets_the_discovery_that_it_reads) {
  EXPECT_EQ(accepted_form(kubectl_discovery, Answerable::discovery).form->shape,
            Shape::discovery_v2);
  EXPECT_EQ(accepted_form("application/json;g=apidiscovery.k8s.io;v=v2beta1;"
                          "as=APIGroupDiscoveryList,application/json",
                          Answerable::discovery)
                .form->shape,
            Shape::discovery_v2beta1);
  EXPECT_EQ(accepted_form(kubectl_discovery, Answerable::lists).form, Form());
}

TEST(Negotiation, protobuf_clients_get_json_if_they_name_it) {
  EXPECT_EQ(
      accepted_form("application/vnd.kubernetes.protobuf,application/json", Answerable::objects)
          .form,
      Form());
  EXPECT_EQ(accepted_form("application/vnd.kubernetes.protobuf, */*", Answerable::objects).form,
            Form());
  const Accepted none = accepted_form("application/vnd.kubernetes.protobuf", Answerable::objects);
  EXPECT_FALSE(none.form);
  EXPECT_FALSE(none.form_unknown);
}

TEST(Negotiation, an_unknown_form_is_told_from_an_unknown_type) {
  const Accepted table =
      accepted_form("application/json;as=Table;v=v9;g=meta.k8s.io", Answerable::lists);
  EXPECT_FALSE(table.form);
  EXPECT_TRUE(table.form_unknown);
  EXPECT_FALSE(accepted_form("application/foo", Answerable::lists).form_unknown);
}

TEST(Negotiation, the_order_is_that_of_quality) {
  EXPECT_EQ(accepted_form("application/json;q=0.5, application/yaml;q=0.9", Answerable::plain).form,
            (Form{Encoding::yaml, Shape::plain}));
  EXPECT_EQ(accepted_form("application/json;q=0", Answerable::plain).form, std::nullopt);
  EXPECT_EQ(accepted_form("", Answerable::plain).form, Form());
  EXPECT_EQ(accepted_form(" , ;;= , APPLICATION/JSON ; Q=x", Answerable::plain).form, Form());
}

TEST(Negotiation, metadata_alone_may_be_asked_for) {
  EXPECT_EQ(accepted_form("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                          Answerable::lists)
                .form->shape,
            Shape::partial_metadata);
  EXPECT_TRUE(accepted_form("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                            Answerable::objects)
                  .form->of_many);
  EXPECT_EQ(accepted_form("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
                          Answerable::objects)
                .form->shape,
            Shape::partial_metadata_v1beta1);
}

TEST(Negotiation, people_get_indented_text) {
  EXPECT_TRUE(wants_pretty("", "curl/7.88.1"));
  EXPECT_TRUE(wants_pretty("true", "kubectl"));
  EXPECT_FALSE(wants_pretty("nonsense", "curl/7.88.1"));
  EXPECT_FALSE(wants_pretty("", "kubectl/v1.36"));
}

TEST(Negotiation, bodies_are_known_by_their_content_type) {
  EXPECT_EQ(body_form(""), BodyForm::json);
  EXPECT_EQ(body_form("application/json; charset=utf-8"), BodyForm::json);
  EXPECT_EQ(body_form("application/yaml"), BodyForm::yaml);
  EXPECT_EQ(body_form("application/vnd.kubernetes.protobuf"), BodyForm::protobuf);
  EXPECT_EQ(body_form("application/x-www-form-urlencoded"), std::nullopt);
  EXPECT_EQ(patch_form("application/strategic-merge-patch+json"), PatchForm::strategic_merge);
  EXPECT_EQ(patch_form("application/apply-patch+yaml"), PatchForm::apply);
  EXPECT_EQ(patch_form("application/json"), std::nullopt);
}

TEST(Negotiation, booleans_are_those_of_go) {
  EXPECT_EQ(parse_query_boolean("True"), true);
  EXPECT_EQ(parse_query_boolean("0"), false);
  EXPECT_EQ(parse_query_boolean("yes"), std::nullopt);
}

}  // namespace
}  // namespace muster::server

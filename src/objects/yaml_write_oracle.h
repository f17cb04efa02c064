// What kubectl's YAML writer makes of JSON, asked of sigs.k8s.io/yaml v1.6.0 (JSONToYAML) on
// 2026-11-15. Left out is what that writer loses: line separators of Unicode, byte order marks,
// and the key <<, which it would read back as a merge.
//
//   for (const auto& [json, yaml] : yaml_write_oracle) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace muster::objects {

struct YamlWriteFact {
  std::string_view json;
  std::string_view yaml;
};

// clang-format off
inline constexpr auto yaml_write_oracle = std::to_array<YamlWriteFact>({
    {"{\"k\": \"\"}", "k: \"\"\n"},
    {"{\"k\": \"a\"}", "k: a\n"},
    {"{\"k\": \"yes\"}", "k: \"yes\"\n"},
    {"{\"k\": \"No\"}", "k: \"No\"\n"},
    {"{\"k\": \"on\"}", "k: \"on\"\n"},
    {"{\"k\": \"y\"}", "k: \"y\"\n"},
    {"{\"k\": \"null\"}", "k: \"null\"\n"},
    {"{\"k\": \"~\"}", "k: \"~\"\n"},
    {"{\"k\": \"true\"}", "k: \"true\"\n"},
    {"{\"k\": \"0644\"}", "k: \"0644\"\n"},
    {"{\"k\": \"0o14\"}", "k: \"0o14\"\n"},
    {"{\"k\": \"1_000\"}", "k: \"1_000\"\n"},
    {"{\"k\": \"1e3\"}", "k: \"1e3\"\n"},
    {"{\"k\": \".5\"}", "k: \".5\"\n"},
    {"{\"k\": \"-.inf\"}", "k: \"-.inf\"\n"},
    {"{\"k\": \"123\"}", "k: \"123\"\n"},
    {"{\"k\": \"-1\"}", "k: \"-1\"\n"},
    {"{\"k\": \"0x1F\"}", "k: \"0x1F\"\n"},
    {"{\"k\": \"2001-01-01\"}", "k: \"2001-01-01\"\n"},
    {"{\"k\": \"2001-1-1\"}", "k: \"2001-1-1\"\n"},
    {"{\"k\": \"2001-12-14t21:59:43.10-05:00\"}", "k: \"2001-12-14t21:59:43.10-05:00\"\n"},
    {"{\"k\": \"2001-02-30\"}", "k: 2001-02-30\n"},
    {"{\"k\": \"1:30\"}", "k: \"1:30\"\n"},
    {"{\"k\": \"190:20:30\"}", "k: \"190:20:30\"\n"},
    {"{\"k\": \"1:30.5\"}", "k: \"1:30.5\"\n"},
    {"{\"k\": \"<<\"}", "k: <<\n"},
    {"{\"k\": \"=\"}", "k: =\n"},
    {"{\"k\": \"-\"}", "k: '-'\n"},
    {"{\"k\": \"- a\"}", "k: '- a'\n"},
    {"{\"k\": \"-a\"}", "k: -a\n"},
    {"{\"k\": \"a: b\"}", "k: 'a: b'\n"},
    {"{\"k\": \"a:b\"}", "k: a:b\n"},
    {"{\"k\": \"a:\"}", "k: 'a:'\n"},
    {"{\"k\": \"a #b\"}", "k: 'a #b'\n"},
    {"{\"k\": \"a#b\"}", "k: a#b\n"},
    {"{\"k\": \"#a\"}", "k: '#a'\n"},
    {"{\"k\": \"a\\nb\"}", "k: |-\n  a\n  b\n"},
    {"{\"k\": \"a\\nb\\n\"}", "k: |\n  a\n  b\n"},
    {"{\"k\": \"\\na\"}", "k: |2-\n\n  a\n"},
    {"{\"k\": \"a\\n\\n\"}", "k: |+\n  a\n\n"},
    {"{\"k\": \"\\n\"}", "k: |2+\n\n"},
    {"{\"k\": \"\\n\\n\"}", "k: |2+\n\n\n"},
    {"{\"k\": \" a\"}", "k: ' a'\n"},
    {"{\"k\": \"a \"}", "k: 'a '\n"},
    {"{\"k\": \" a\\nb\"}", "k: |2-\n   a\n  b\n"},
    {"{\"k\": \"a \\nb\"}", "k: \"a \\nb\"\n"},
    {"{\"k\": \"a\\n b\"}", "k: |-\n  a\n   b\n"},
    {"{\"k\": \"a\\nb \"}", "k: \"a\\nb \"\n"},
    {"{\"k\": \"\\t\"}", "k: \"\\t\"\n"},
    {"{\"k\": \"a\\tb\"}", "k: \"a\\tb\"\n"},
    {"{\"k\": \"a\\tb\\nc\"}", "k: \"a\\tb\\nc\"\n"},
    {"{\"k\": \"---\"}", "k: '---'\n"},
    {"{\"k\": \"--- a\"}", "k: '--- a'\n"},
    {"{\"k\": \"...\"}", "k: '...'\n"},
    {"{\"k\": \"&a\"}", "k: '&a'\n"},
    {"{\"k\": \"*a\"}", "k: '*a'\n"},
    {"{\"k\": \"!a\"}", "k: '!a'\n"},
    {"{\"k\": \"%a\"}", "k: '%a'\n"},
    {"{\"k\": \"@a\"}", "k: '@a'\n"},
    {"{\"k\": \"`a\"}", "k: '`a'\n"},
    {"{\"k\": \"|\"}", "k: '|'\n"},
    {"{\"k\": \"|a\"}", "k: '|a'\n"},
    {"{\"k\": \">a\"}", "k: '>a'\n"},
    {"{\"k\": \"'a\"}", "k: '''a'\n"},
    {"{\"k\": \"it's\"}", "k: it's\n"},
    {"{\"k\": \"\\\"a\"}", "k: '\"a'\n"},
    {"{\"k\": \"a\\\"b\"}", "k: a\"b\n"},
    {"{\"k\": \"a\\\\b\"}", "k: a\\b\n"},
    {"{\"k\": \"[a\"}", "k: '[a'\n"},
    {"{\"k\": \"{a\"}", "k: '{a'\n"},
    {"{\"k\": \"a,b\"}", "k: a,b\n"},
    {"{\"k\": \"a[b]\"}", "k: a[b]\n"},
    {"{\"k\": \"?\"}", "k: '?'\n"},
    {"{\"k\": \"? a\"}", "k: '? a'\n"},
    {"{\"k\": \"?a\"}", "k: ?a\n"},
    {"{\"k\": \":\"}", "k: ':'\n"},
    {"{\"k\": \"::\"}", "k: '::'\n"},
    {"{\"k\": \": a\"}", "k: ': a'\n"},
    {"{\"k\": \":a\"}", "k: :a\n"},
    {"{\"k\": \"\303\251\"}", "k: \303\251\n"},
    {"{\"k\": \"\360\237\230\200\"}", "k: \"\\U0001F600\"\n"},
    {"{\"k\": \"a\360\237\230\200b\"}", "k: \"a\\U0001F600b\"\n"},
    {"{\"k\": \"\357\277\275\"}", "k: \357\277\275\n"},
    {"{\"k\": \"\\u0000\"}", "k: \"\\0\"\n"},
    {"{\"k\": \"\\u0007\\b\\u001b\"}", "k: \"\\a\\b\\e\"\n"},
    {"{\"k\": \"\\r\"}", "k: \"\\r\"\n"},
    {"{\"k\": \"a\\rb\"}", "k: \"a\\rb\"\n"},
    {"{\"k\": \"a\\r\\nb\"}", "k: \"a\\r\\nb\"\n"},
    {"{\"k\": \"a\302\240b\"}", "k: a\302\240b\n"},
    {"{\"k\": \"http://example.com:80/x?y=z#w\"}", "k: http://example.com:80/x?y=z#w\n"},
    {"{\"k\": \"10.0.0.1\"}", "k: 10.0.0.1\n"},
    {"{\"k\": \"100m\"}", "k: 100m\n"},
    {"{\"k\": \"1Gi\"}", "k: 1Gi\n"},
    {"{\"k\": \"v1\"}", "k: v1\n"},
    {"{\"k\": \"{}\"}", "k: '{}'\n"},
    {"{\"k\": \"[]\"}", "k: '[]'\n"},
    {"{\"k\": \"key=value\"}", "k: key=value\n"},
    {"{\"k\": \"foo@bar\"}", "k: foo@bar\n"},
    {"{\"k\": \"a & b\"}", "k: a & b\n"},
    {"{\"k\": \"$(VAR)\"}", "k: $(VAR)\n"},
    {"{\"k\": \"/bin/sh\"}", "k: /bin/sh\n"},
    {"{\"k\": \"-c\"}", "k: -c\n"},
    {"{\"k\": \"--flag\"}", "k: --flag\n"},
    {"{\"k\": \"--flag=value\"}", "k: --flag=value\n"},
    {"{\"k\": \"* * * * *\"}", "k: '* * * * *'\n"},
    {"{\"k\": \"0 0 * * *\"}", "k: 0 0 * * *\n"},
    {"{\"k\": \"2001-12-14 21:59:43.10\"}", "k: \"2001-12-14 21:59:43.10\"\n"},
    {"{\"k\": \"3.14\"}", "k: \"3.14\"\n"},
    {"{\"k\": \"1.2.3\"}", "k: 1.2.3\n"},
    {"{\"k\": \"1e\"}", "k: 1e\n"},
    {"{\"k\": \"0b1\"}", "k: \"0b1\"\n"},
    {"{\"k\": \"0b2\"}", "k: 0b2\n"},
    {"{\"k\": \"08\"}", "k: \"08\"\n"},
    {"{\"k\": \"089\"}", "k: \"089\"\n"},
    {"{\"k\": \"+1\"}", "k: \"+1\"\n"},
    {"{\"k\": \"+\"}", "k: +\n"},
    {"{\"k\": \"1,000\"}", "k: 1,000\n"},
    {"{\"k\": \"a  b\"}", "k: a  b\n"},
    {"{\"k\": \"a\\n\\nb\"}", "k: |-\n  a\n\n  b\n"},
    {"{\"k\": \"a\\n\\n\\nb\\n\\n\\n\"}", "k: |+\n  a\n\n\n  b\n\n\n"},
    {"{\"k\": \"line one\\n  indented\\nline three\\n\"}",
     "k: |\n  line one\n    indented\n  line three\n"},
    {"{\"k\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxx\"}",
     "k: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxx\n"},
    {"{\"k\": \"word word word word word word word word word word word word word word word word "
     "word word word word word word word word word word word word word word \"}",
     "k: 'word word word word word word word word word word word word word word word word\n  wor"
     "d word word word word word word word word word word word word word '\n"},
    {"{\"k\": \"word word word word word word word word word word word word word word word word "
     "word word word word word word word word word word word word word word\"}",
     "k: word word word word word word word word word word word word word word word word\n  word"
     " word word word word word word word word word word word word word\n"},
    {"{\"k\": \"a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b "
     "a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"}",
     "k: a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n  a  b"
     " a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n"},
    {"{\"k\": \"'word word word word word word word word word word word word word word word word"
     " word word word word word word word word word word word word word word\"}",
     "k: '''word word word word word word word word word word word word word word word word\n  w"
     "ord word word word word word word word word word word word word word'\n"},
    {"{\"k\": \"yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word "
     "yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word "
     "yes: word yes: word yes: word\"}",
     "k: 'yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes"
     ": word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes: word "
     "yes: word yes: word yes: word'\n"},
    {"{\"k\": \"\\tword word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word word word\"}",
     "k: \"\\tword word word word word word word word word word word word word word word word\n "
     " word word word word word word word word word word word word word word\"\n"},
    {"{\"k\": \"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a "
     " b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"}",
     "k: \"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a\n  \\"
     " b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"\n"},
    {"{\"k\": \"word word word word word word word word word word word word word word word word "
     "word word word word word word word word word word word word word word\\nnext word word wor"
     "d word word word word word word word word word word word word word word word word word wor"
     "d word word word word word word word word word\"}",
     "k: |-\n  word word word word word word word word word word word word word word word word w"
     "ord word word word word word word word word word word word word word\n  next word word wor"
     "d word word word word word word word word word word word word word word word word word wor"
     "d word word word word word word word word word\n"},
    {"{\"k\": \"\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251"
     " \303\251 x\"}",
     "k: \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251\n  \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 x\n"},
    {"[\"a\\nb\"]", "- |-\n  a\n  b\n"},
    {"[\"a\\nb\\n\"]", "- |\n  a\n  b\n"},
    {"[\"\\na\"]", "- |2-\n\n  a\n"},
    {"[\"a\\n\\n\"]", "- |+\n  a\n\n"},
    {"[\"\\n\"]", "- |2+\n\n"},
    {"[\"\\n\\n\"]", "- |2+\n\n\n"},
    {"[\" a\\nb\"]", "- |2-\n   a\n  b\n"},
    {"[\"a \\nb\"]", "- \"a \\nb\"\n"},
    {"[\"a\\n b\"]", "- |-\n  a\n   b\n"},
    {"[\"a\\nb \"]", "- \"a\\nb \"\n"},
    {"[\"a\\tb\\nc\"]", "- \"a\\tb\\nc\"\n"},
    {"[\"a\\r\\nb\"]", "- \"a\\r\\nb\"\n"},
    {"[\"a\\n\\nb\"]", "- |-\n  a\n\n  b\n"},
    {"[\"a\\n\\n\\nb\\n\\n\\n\"]", "- |+\n  a\n\n\n  b\n\n\n"},
    {"[\"line one\\n  indented\\nline three\\n\"]",
     "- |\n  line one\n    indented\n  line three\n"},
    {"[\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxx\"]",
     "- xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxx\n"},
    {"[\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word \"]",
     "- 'word word word word word word word word word word word word word word word word\n  word"
     " word word word word word word word word word word word word word '\n"},
    {"[\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word\"]",
     "- word word word word word word word word word word word word word word word word\n  word "
     "word word word word word word word word word word word word word\n"},
    {"[\"a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a "
     " b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"]",
     "- a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n  a  b "
     "a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n"},
    {"[\"'word word word word word word word word word word word word word word word word word w"
     "ord word word word word word word word word word word word word\"]",
     "- '''word word word word word word word word word word word word word word word word\n  wo"
     "rd word word word word word word word word word word word word word'\n"},
    {"[\"yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: wo"
     "rd yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: wo"
     "rd yes: word yes: word\"]",
     "- 'yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes:"
     " word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes: word y"
     "es: word yes: word yes: word'\n"},
    {"[\"\\tword word word word word word word word word word word word word word word word word"
     " word word word word word word word word word word word word word\"]",
     "- \"\\tword word word word word word word word word word word word word word word word\n  "
     "word word word word word word word word word word word word word word\"\n"},
    {"[\"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b"
     " a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"]",
     "- \"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a\n  \\ "
     "b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"\n"},
    {"[\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word\\nnext word word word word "
     "word word word word word word word word word word word word word word word word word word "
     "word word word word word word word word\"]",
     "- |-\n  word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word word\n  next word word word"
     " word word word word word word word word word word word word word word word word word word"
     " word word word word word word word word word\n"},
    {"[\"\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 x\"]",
     "- \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251\n  \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 x\n"},
    {"{\"\": \"v\"}", "\"\": v\n"},
    {"{\"a\": \"v\"}", "a: v\n"},
    {"{\"No\": \"v\"}", "\"No\": v\n"},
    {"{\"on\": \"v\"}", "\"on\": v\n"},
    {"{\"y\": \"v\"}", "\"y\": v\n"},
    {"{\"~\": \"v\"}", "\"~\": v\n"},
    {"{\".5\": \"v\"}", "\".5\": v\n"},
    {"{\"-1\": \"v\"}", "\"-1\": v\n"},
    {"{\"=\": \"v\"}", "=: v\n"},
    {"{\"-\": \"v\"}", "'-': v\n"},
    {"{\"- a\": \"v\"}", "'- a': v\n"},
    {"{\"-a\": \"v\"}", "-a: v\n"},
    {"{\"a: b\": \"v\"}", "'a: b': v\n"},
    {"{\"a:\": \"v\"}", "'a:': v\n"},
    {"{\"a #b\": \"v\"}", "'a #b': v\n"},
    {"{\"#a\": \"v\"}", "'#a': v\n"},
    {"{\"a\\nb\": \"v\"}", "? |-\n  a\n  b\n: v\n"},
    {"{\"a\\nb\\n\": \"v\"}", "? |\n  a\n  b\n: v\n"},
    {"{\"\\na\": \"v\"}", "? |2-\n\n  a\n: v\n"},
    {"{\"a\\n\\n\": \"v\"}", "? |+\n  a\n\n: v\n"},
    {"{\"\\n\": \"v\"}", "? |2+\n\n: v\n"},
    {"{\"\\n\\n\": \"v\"}", "? |2+\n\n\n: v\n"},
    {"{\" a\": \"v\"}", "' a': v\n"},
    {"{\"a \": \"v\"}", "'a ': v\n"},
    {"{\" a\\nb\": \"v\"}", "? |2-\n   a\n  b\n: v\n"},
    {"{\"a \\nb\": \"v\"}", "? \"a \\nb\"\n: v\n"},
    {"{\"a\\n b\": \"v\"}", "? |-\n  a\n   b\n: v\n"},
    {"{\"a\\nb \": \"v\"}", "? \"a\\nb \"\n: v\n"},
    {"{\"\\t\": \"v\"}", "\"\\t\": v\n"},
    {"{\"a\\tb\\nc\": \"v\"}", "? \"a\\tb\\nc\"\n: v\n"},
    {"{\"--- a\": \"v\"}", "'--- a': v\n"},
    {"{\"&a\": \"v\"}", "'&a': v\n"},
    {"{\"*a\": \"v\"}", "'*a': v\n"},
    {"{\"!a\": \"v\"}", "'!a': v\n"},
    {"{\"%a\": \"v\"}", "'%a': v\n"},
    {"{\"@a\": \"v\"}", "'@a': v\n"},
    {"{\"`a\": \"v\"}", "'`a': v\n"},
    {"{\"|\": \"v\"}", "'|': v\n"},
    {"{\"|a\": \"v\"}", "'|a': v\n"},
    {"{\">a\": \"v\"}", "'>a': v\n"},
    {"{\"'a\": \"v\"}", "'''a': v\n"},
    {"{\"\\\"a\": \"v\"}", "'\"a': v\n"},
    {"{\"[a\": \"v\"}", "'[a': v\n"},
    {"{\"{a\": \"v\"}", "'{a': v\n"},
    {"{\"?\": \"v\"}", "'?': v\n"},
    {"{\"? a\": \"v\"}", "'? a': v\n"},
    {"{\"?a\": \"v\"}", "?a: v\n"},
    {"{\":\": \"v\"}", "':': v\n"},
    {"{\"::\": \"v\"}", "'::': v\n"},
    {"{\": a\": \"v\"}", "': a': v\n"},
    {"{\":a\": \"v\"}", ":a: v\n"},
    {"{\"\303\251\": \"v\"}", "\303\251: v\n"},
    {"{\"\360\237\230\200\": \"v\"}", "\"\\U0001F600\": v\n"},
    {"{\"\357\277\275\": \"v\"}", "\357\277\275: v\n"},
    {"{\"\\u0000\": \"v\"}", "\"\\0\": v\n"},
    {"{\"\\r\": \"v\"}", "? \"\\r\"\n: v\n"},
    {"{\"a\\r\\nb\": \"v\"}", "? \"a\\r\\nb\"\n: v\n"},
    {"{\"v1\": \"v\"}", "v1: v\n"},
    {"{\"{}\": \"v\"}", "'{}': v\n"},
    {"{\"[]\": \"v\"}", "'[]': v\n"},
    {"{\"a & b\": \"v\"}", "a & b: v\n"},
    {"{\"-c\": \"v\"}", "-c: v\n"},
    {"{\"* * * * *\": \"v\"}", "'* * * * *': v\n"},
    {"{\"0 0 * * *\": \"v\"}", "0 0 * * *: v\n"},
    {"{\"2001-12-14 21:59:43.10\": \"v\"}", "\"2001-12-14 21:59:43.10\": v\n"},
    {"{\"1e\": \"v\"}", "1e: v\n"},
    {"{\"08\": \"v\"}", "\"08\": v\n"},
    {"{\"+1\": \"v\"}", "\"+1\": v\n"},
    {"{\"+\": \"v\"}", "+: v\n"},
    {"{\"a  b\": \"v\"}", "a  b: v\n"},
    {"{\"a\\n\\nb\": \"v\"}", "? |-\n  a\n\n  b\n: v\n"},
    {"{\"a\\n\\n\\nb\\n\\n\\n\": \"v\"}", "? |+\n  a\n\n\n  b\n\n\n: v\n"},
    {"{\"line one\\n  indented\\nline three\\n\": \"v\"}",
     "? |\n  line one\n    indented\n  line three\n: v\n"},
    {"{\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word \": \"v\"}",
     "? 'word word word word word word word word word word word word word word word word\n  word"
     " word word word word word word word word word word word word word '\n: v\n"},
    {"{\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word\": \"v\"}",
     "? word word word word word word word word word word word word word word word word\n  word "
     "word word word word word word word word word word word word word\n: v\n"},
    {"{\"a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a "
     " b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\": \"v\"}",
     "? a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n  a  b "
     "a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\n: v\n"},
    {"{\"'word word word word word word word word word word word word word word word word word w"
     "ord word word word word word word word word word word word word\": \"v\"}",
     "? '''word word word word word word word word word word word word word word word word\n  wo"
     "rd word word word word word word word word word word word word word'\n: v\n"},
    {"{\"yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: wo"
     "rd yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: wo"
     "rd yes: word yes: word\": \"v\"}",
     "? 'yes: word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes:"
     " word yes: word yes: word yes: word yes: word yes: word yes: word yes: word\n  yes: word y"
     "es: word yes: word yes: word'\n: v\n"},
    {"{\"\\tword word word word word word word word word word word word word word word word word"
     " word word word word word word word word word word word word word\": \"v\"}",
     "? \"\\tword word word word word word word word word word word word word word word word\n  "
     "word word word word word word word word word word word word word word\"\n: v\n"},
    {"{\"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b"
     " a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\": \"v\"}",
     "? \"\\ta  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a\n  \\ "
     "b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b a  b\"\n: v\n"},
    {"{\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word\\nnext word word word word "
     "word word word word word word word word word word word word word word word word word word "
     "word word word word word word word word\": \"v\"}",
     "? |-\n  word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word word\n  next word word word"
     " word word word word word word word word word word word word word word word word word word"
     " word word word word word word word word word\n: v\n"},
    {"{\"\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 x\": \"v\"}",
     "? \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303"
     "\251\n  \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 "
     "\303\251 x\n: v\n"},
    {"\"root\"", "root\n"},
    {"\"yes\"", "\"yes\"\n"},
    {"\"a\\nb\\n\"", "|\n  a\n  b\n"},
    {"1", "1\n"},
    {"1.5", "1.5\n"},
    {"null", "null\n"},
    {"true", "true\n"},
    {"[]", "[]\n"},
    {"{}", "{}\n"},
    {"[[]]", "- []\n"},
    {"[{}]", "- {}\n"},
    {"{\"a\": {}}", "a: {}\n"},
    {"{\"a\": []}", "a: []\n"},
    {"[[1, 2], [3, [4, 5]]]", "- - 1\n  - 2\n- - 3\n  - - 4\n    - 5\n"},
    {"{\"a\": [1, 2]}", "a:\n- 1\n- 2\n"},
    {"{\"a\": {\"b\": [{\"c\": 1, \"d\": [1]}, {\"e\": null}]}}",
     "a:\n  b:\n  - c: 1\n    d:\n    - 1\n  - e: null\n"},
    {"[{\"a\": 1, \"b\": 2}, {\"c\": [{\"d\": 1}]}]", "- a: 1\n  b: 2\n- c:\n  - d: 1\n"},
    {"{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": 1}",
     "? xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n: 1\n"},
    {"{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": {\"a\": 1}}",
     "? xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n: a: 1\n"},
    {"{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": [1, 2]}",
     "? xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n: - 1\n  - 2\n"},
    {"{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": 1}",
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n"},
    {"{\"a\\nb\": {\"c\": 1}}", "? |-\n  a\n  b\n: c: 1\n"},
    {"{\"a\\nb\": [1]}", "? |-\n  a\n  b\n: - 1\n"},
    {"{\"a10\": 1, \"a9\": 1, \"a1\": 1, \"b\": 1, \"A\": 1, \"_\": 1, \"1\": 1, \"10\": 1, \"2"
     "\": 1, \"a-b\": 1, \"a.b\": 1, \"ab\": 1, \"a0\": 1, \"a00\": 1, \"a01\": 1, \"\303\251\":"
     " 1, \"\": 1}",
     "\"\": 1\n_: 1\n\"1\": 1\n\"2\": 1\n\"10\": 1\nA: 1\na-b: 1\na.b: 1\na0: 1\na00: 1\na1: 1\n"
     "a01: 1\na9: 1\na10: 1\nab: 1\nb: 1\n\303\251: 1\n"},
    {"{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"x\"}, \"spec\": {},"
     " \"status\": {}}",
     "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec: {}\nstatus: {}\n"},
    {"{\"f\": [0.1, 1e+21, 1e-07, 1e-05, 123456.5, 1234567.5, 123456789.5, 1e+20, 10000000000000"
     "000000, 9300000000000000000, 1.5e+300, 5e-324, -0.5, 100000.5]}",
     "f:\n- 0.1\n- 1e+21\n- 1e-07\n- 1e-05\n- 123456.5\n- 1.2345675e+06\n- 1.234567895e+08\n- 1e"
     "+20\n- 10000000000000000000\n- 9300000000000000000\n- 1.5e+300\n- 5e-324\n- -0.5\n- 100000"
     ".5\n"},
    {"{\"i\": [0, -1, 9223372036854775807, -9223372036854775808]}",
     "i:\n- 0\n- -1\n- 9223372036854775807\n- -9223372036854775808\n"},
    {"{\"deep\": {\"deeper\": {\"text\": \"one\\ntwo\\n\", \"list\": [\"one\\ntwo\", \"three\"],"
     " \"long\": \"word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word word word\", \"q\": \"'word"
     " word word word word word word word word word word word word word word word word word word"
     " word word word word word word word word word word word\"}}}",
     "deep:\n  deeper:\n    list:\n    - |-\n      one\n      two\n    - three\n    long: word w"
     "ord word word word word word word word word word word word word word\n      word word word"
     " word word word word word word word word word word word word\n    q: '''word word word wor"
     "d word word word word word word word word word word word\n      word word word word word w"
     "ord word word word word word word word word word'\n    text: |\n      one\n      two\n"},
    {"[[\"a\\nb\", [\"c\\nd\\n\"]]]", "- - |-\n    a\n    b\n  - - |\n      c\n      d\n"},
    {"[\"word word word word word word word word word word word word word word word word word wo"
     "rd word word word word word word word word word word word word\", [\"word word word word w"
     "ord word word word word word word word word word word word word word word word word word w"
     "ord word word word word word word word\"]]",
     "- word word word word word word word word word word word word word word word word\n  word "
     "word word word word word word word word word word word word word\n- - word word word word "
     "word word word word word word word word word word word word\n    word word word word word "
     "word word word word word word word word word\n"},
});
// clang-format on

}  // namespace muster::objects

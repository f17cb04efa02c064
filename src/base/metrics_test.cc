// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A reader of the text format that knows nothing of the writer: families with HELP, TYPE and
// contiguous samples, escapes in label values, no series twice, histograms that add up.
struct Exposition {
  std::map<std::string, std::string> types;
  std::map<std::string, double> samples;  // "name{a=x,b=y}" with unescaped values
  std::vector<std::string> faults;
};

class ExpositionReader {
 public:
  static Exposition read(const std::string& text) {
    ExpositionReader reader;
    if (!text.empty() && text.back() != '\n') reader.fault("no line end at the end");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) reader.read_line(line);
    reader.check_histograms();
    return reader.result_;
  }

 private:
  void fault(const std::string& what) { result_.faults.push_back(what); }

  void read_line(const std::string& line) {
    std::istringstream words(line);
    std::string hash, keyword, name, rest;
    if (line.starts_with("# ")) {
      words >> hash >> keyword >> name >> rest;
      if (keyword == "HELP") {
        if (!helped_.insert(name).second) fault("HELP twice: " + name);
      } else if (keyword == "TYPE") {
        if (!helped_.contains(name)) fault("TYPE before HELP: " + name);
        if (!result_.types.emplace(name, rest).second) fault("TYPE twice: " + name);
        family_ = name;
      } else {
        fault("unknown comment: " + line);
      }
      return;
    }
    read_sample(line);
  }

  void read_sample(const std::string& line) {
    const std::size_t name_end = line.find_first_of("{ ");
    if (name_end == std::string::npos) return fault("no value: " + line);
    const std::string name = line.substr(0, name_end);
    if (!belongs(name)) fault(name + " stands in the family of " + family_);
    std::string series = name + "{";
    std::size_t at = name_end;
    if (line[at] == '{') {
      for (++at; at < line.size() && line[at] != '}';) {
        const std::size_t equals = line.find("=\"", at);
        if (equals == std::string::npos) return fault("no label value: " + line);
        series += line.substr(at, equals - at) + "=";
        at = equals + 2;
        for (; at < line.size() && line[at] != '"'; ++at) {
          if (line[at] == '\\') ++at;
          series += line[at - 1] == '\\' && line[at] == 'n' ? '\n' : line[at];
        }
        if (++at < line.size() && line[at] == ',') ++at;
        series += ',';
      }
      ++at;
    }
    char* end = nullptr;
    const double value = std::strtod(line.c_str() + at, &end);
    if (end == line.c_str() + at || *end != '\0') fault("not a number: " + line);
    if (!result_.samples.emplace(series + "}", value).second) fault("series twice: " + series);
  }

  bool belongs(const std::string& name) const {
    if (result_.types.at(family_) != "histogram") return name == family_;
    return name == family_ + "_bucket" || name == family_ + "_sum" || name == family_ + "_count";
  }

  void check_histograms() {
    for (const auto& [series, value] : result_.samples) {
      const std::size_t infinity = series.find("le=+Inf,");
      if (infinity == std::string::npos) continue;
      std::string count = series;
      count.erase(infinity, std::string("le=+Inf,").size());
      count.replace(count.find("_bucket"), 7, "_count");
      if (!result_.samples.contains(count) || result_.samples.at(count) != value) {
        fault("count differs from the last bucket: " + series);
      }
    }
  }

  Exposition result_;
  std::set<std::string> helped_;
  std::string family_;
};

Exposition read(const MetricRegistry& registry) {
  Exposition result = ExpositionReader::read(registry.to_text());
  EXPECT_THAT(result.faults, ::testing::IsEmpty());
  return result;
}

TEST(Metrics, text_is_sorted_and_complete) {
  MetricRegistry registry;
  const auto queues = registry.gauge({"muster_pending", "Waiting workloads.", {"queue"}}).must();
  registry.counter({"muster_cycles_total", "Planning cycles."}).must().single().increment(3);
  queues.with({"team-b"}).set(2.5);
  queues.with({"team-a"}).set(-1);
  EXPECT_EQ(registry.to_text(),
            "# HELP muster_cycles_total Planning cycles.\n"
            "# TYPE muster_cycles_total counter\n"
            "muster_cycles_total 3\n"
            "# HELP muster_metrics_dropped_series_total Series refused because their family is "
            "full, counted as \"other\" instead.\n"
            "# TYPE muster_metrics_dropped_series_total counter\n"
            "muster_metrics_dropped_series_total{family=\"muster_pending\"} 0\n"
            "# HELP muster_pending Waiting workloads.\n"
            "# TYPE muster_pending gauge\n"
            "muster_pending{queue=\"team-a\"} -1\n"
            "muster_pending{queue=\"team-b\"} 2.5\n");
  read(registry);
}

TEST(Metrics, histograms_are_cumulative_and_bounds_are_inclusive) {
  MetricRegistry registry;
  const auto family = registry.histogram({"wait_seconds", "Wait.", {"queue"}}, {0.5, 1, 10}).must();
  const Histogram histogram = family.with({"a"});
  for (const double value : {0.5, 0.6, 1.0, 99.0}) histogram.observe(value);
  histogram.observe(std::numeric_limits<double>::quiet_NaN());
  const auto samples = read(registry).samples;
  EXPECT_EQ(samples.at("wait_seconds_bucket{queue=a,le=0.5,}"), 1);
  EXPECT_EQ(samples.at("wait_seconds_bucket{queue=a,le=1,}"), 3);
  EXPECT_EQ(samples.at("wait_seconds_bucket{queue=a,le=10,}"), 3);
  EXPECT_EQ(samples.at("wait_seconds_bucket{queue=a,le=+Inf,}"), 4);
  EXPECT_EQ(samples.at("wait_seconds_count{queue=a,}"), 4);
  EXPECT_EQ(samples.at("wait_seconds_sum{queue=a,}"), 101.1);
  EXPECT_EQ(histogram.count(), 4U);
}

TEST(Metrics, label_values_and_help_are_escaped) {
  MetricRegistry registry;
  const auto family = registry.gauge({"g", "Back\\slash\nand \"quotes\".", {"path"}}).must();
  family.with({"C:\\dir\n\"x\",y=\"z\"}"}).set(1);
  family.with({"a\xFF"}).set(2);
  EXPECT_THAT(registry.to_text(), HasSubstr("# HELP g Back\\\\slash\\nand \"quotes\".\n"));
  EXPECT_THAT(registry.to_text(), HasSubstr(R"(g{path="C:\\dir\n\"x\",y=\"z\"}"} 1)"));
  EXPECT_EQ(read(registry).samples.at("g{path=C:\\dir\n\"x\",y=\"z\"},}"), 1);
  EXPECT_EQ(read(registry).samples.at("g{path=a\xEF\xBF\xBD,}"), 2);
}

TEST(Metrics, a_full_family_counts_the_rest_as_other) {
  MetricRegistry registry;
  const auto family =
      registry.counter({.name = "c_total", .help = "C.", .labels = {"a", "b"}, .series_max = 2})
          .must();
  family.with({"1", "x"}).increment();
  family.with({"2", "x"}).increment();
  family.with({"3", "x"}).increment(10);
  family.with({"4", "x"}).increment(20);
  family.with({"1", "x"}).increment();
  const auto samples = read(registry).samples;
  EXPECT_EQ(samples.at("c_total{a=1,b=x,}"), 2);
  EXPECT_EQ(samples.at("c_total{a=other,b=other,}"), 30);
  EXPECT_EQ(samples.at("muster_metrics_dropped_series_total{family=c_total,}"), 2);
  EXPECT_EQ(family.size(), 3U);
  family.remove({"1", "x"});
  family.with({"5", "x"}).increment();
  EXPECT_EQ(read(registry).samples.at("c_total{a=5,b=x,}"), 1);
}

TEST(Metrics, a_label_value_that_is_too_long_counts_as_other) {
  MetricRegistry registry;
  const auto family = registry.gauge({"g", "G.", {"a"}}).must();
  family.with({std::string(metric_label_value_bytes_max + 1, 'x')}).set(7);
  EXPECT_EQ(read(registry).samples.at("g{a=other,}"), 7);
  EXPECT_EQ(read(registry).samples.at("muster_metrics_dropped_series_total{family=g,}"), 1);
}

TEST(Metrics, a_removed_series_leaves_the_output_and_its_handle_stays_safe) {
  MetricRegistry registry;
  const auto family = registry.gauge({"g", "G.", {"queue"}}).must();
  const Gauge gauge = family.with({"gone"});
  family.remove({"gone"});
  gauge.set(5);
  EXPECT_THAT(registry.to_text(), Not(HasSubstr("gone")));
  family.clear();
  EXPECT_EQ(family.size(), 0U);
}

TEST(Metrics, names_are_validated_at_registration) {
  MetricRegistry registry;
  for (const std::string name : {"", "1a", "a-b", "a b", "a\n", "\xC2\xB5"}) {
    EXPECT_EQ(registry.counter({name, "Help."}).error().code, ErrorCode::invalid) << name;
  }
  for (const std::string label : {"", "__x", "a:b", "1", "a\""}) {
    EXPECT_EQ(registry.counter({"ok", "Help.", {label}}).error().code, ErrorCode::invalid) << label;
  }
  EXPECT_FALSE(registry.counter({"ok", "Help.", {"a", "a"}}).has_value());
  EXPECT_FALSE(registry.counter({"ok", ""}).has_value());
  EXPECT_FALSE(registry.gauge({"ok", "Help.", std::vector<std::string>(13, "a")}).has_value());
  EXPECT_FALSE(registry.histogram({"ok", "Help.", {"le"}}, {1}).has_value());
  EXPECT_FALSE(registry.histogram({"ok", "Help."}, {}).has_value());
  EXPECT_FALSE(registry.histogram({"ok", "Help."}, {1, 1}).has_value());
  EXPECT_FALSE(
      registry.histogram({"ok", "Help."}, {std::numeric_limits<double>::infinity()}).has_value());
  EXPECT_TRUE(registry.counter({"ok:rule", "Help.", {"le"}}).has_value());
}

TEST(Metrics, no_line_belongs_to_two_families) {
  MetricRegistry registry;
  EXPECT_TRUE(registry.histogram({"h", "H."}, {1}).has_value());
  EXPECT_EQ(registry.counter({"h_count", "H."}).error().code, ErrorCode::already_exists);
  EXPECT_EQ(registry.gauge({"h", "H."}).error().code, ErrorCode::already_exists);
  EXPECT_EQ(registry.gauge({std::string(MetricRegistry::dropped_series_name), "X."}).error().code,
            ErrorCode::already_exists);
}

TEST(Metrics, counters_take_whole_steps_and_fractions_but_never_shrink) {
  MetricRegistry registry;
  const Counter counter = registry.counter({"cpu_seconds_total", "CPU."}).must().single();
  counter.increment(2);
  counter.add(0.5);
  counter.add(-1);
  EXPECT_EQ(counter.value(), 2.5);
  EXPECT_THAT(registry.to_text(), HasSubstr("cpu_seconds_total 2.5\n"));
}

TEST(Metrics, special_numbers_print_as_prometheus_reads_them) {
  MetricRegistry registry;
  const auto gauges = registry.gauge({"g", "G.", {"a"}}).must();
  gauges.with({"1"}).set(std::numeric_limits<double>::infinity());
  gauges.with({"2"}).set(-std::numeric_limits<double>::infinity());
  gauges.with({"3"}).set(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(registry.to_text(), HasSubstr("g{a=\"1\"} +Inf\ng{a=\"2\"} -Inf\ng{a=\"3\"} NaN\n"));
}

TEST(Metrics, series_go_by_the_values_of_some_labels) {
  MetricRegistry registry;
  const auto family = registry.gauge({"g", "G.", {"a", "b", "c"}}).must();
  for (const char* a : {"1", "2"}) {
    for (const char* b : {"x", "y"}) family.with({a, b, "z"}).set(1);
  }
  family.remove_where({{"a", "1"}, {"b", "x"}});
  EXPECT_EQ(family.size(), 3U);
  family.remove_where({{"a", "2"}});
  EXPECT_EQ(family.size(), 1U);
}

TEST(Metrics, numbers_may_be_looked_up_when_they_are_read) {
  MetricRegistry registry;
  const Gauge gauge = registry.gauge({"g", "G."}).must().single();
  const std::uint64_t id = registry.before_reading([&gauge] { gauge.add(1); });
  EXPECT_NE(registry.to_text().find("\ng 1\n"), std::string::npos);
  EXPECT_NE(registry.to_text().find("\ng 2\n"), std::string::npos);
  registry.forget(id);
  EXPECT_NE(registry.to_text().find("\ng 2\n"), std::string::npos);
}

TEST(Metrics, exponential_bounds_grow_by_the_factor) {
  EXPECT_THAT(exponential_bounds(1, 2, 4), ::testing::ElementsAre(1, 2, 4, 8));
}

TEST(Metrics, updates_from_many_threads_all_count) {
  MetricRegistry registry;
  const Counter counter = registry.counter({"c_total", "C."}).must().single();
  const Gauge gauge = registry.gauge({"g", "G."}).must().single();
  const Histogram histogram = registry.histogram({"h", "H."}, {1, 2}).must().single();
  constexpr int rounds = 2'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([=] {
        for (int round = 0; round < rounds; ++round) {
          counter.increment();
          counter.add(0.5);
          gauge.add(1);
          histogram.observe(1.5);
        }
      });
    }
    for (int i = 0; i < 50; ++i) read(registry);
  }
  EXPECT_EQ(counter.value(), 4 * rounds * 1.5);
  EXPECT_EQ(gauge.value(), 4 * rounds);
  EXPECT_EQ(histogram.count(), 4U * rounds);
  EXPECT_EQ(histogram.sum(), 4 * rounds * 1.5);
}

TEST(MetricsDeathTest, a_wrong_number_of_label_values_is_a_bug) {
  MetricRegistry registry;
  const auto family = registry.gauge({"g", "G.", {"a"}}).must();
  EXPECT_DEATH(family.with({"1", "2"}), "one value for each label");
}

}  // namespace
}  // namespace muster

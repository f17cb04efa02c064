// Runs every scenario under tests/scenarios/ as a test of its own.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "objects/yaml.h"
#include "tests/scenarios/scenario.h"

namespace muster::scenarios {
namespace {

namespace fs = std::filesystem;
using objects::Value;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A file's text cut at the lines `---`: each piece is one scenario.
std::vector<std::string> split_documents(const std::string& text) {
  std::vector<std::string> documents(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "---") {
      documents.emplace_back();
    } else {
      documents.back() += line + "\n";
    }
  }
  return documents;
}

Value answer_of(const Value& scenario) {
  const std::string_view name = scenario["do"].string_or("");
  const Verb verb = find_verb(name);
  if (verb == nullptr) {
    return Value::object({{"error", Value::string(fmt::format("there is no verb `{}`", name))}});
  }
  auto answer = verb(scenario);
  if (answer) return std::move(answer).take();
  return Value::object({{"error", Value::string(answer.error().to_string())}});
}

// Replaces everything from `expect:` on, which is why it must be the last key.
std::string with_expectation(const std::string& document, const Value& answer) {
  const std::size_t at = document.rfind("\nexpect:");
  const std::string head = document.substr(0, at == std::string::npos ? document.size() : at + 1);
  return head + objects::to_yaml(Value::object({{"expect", answer}}));
}

class ScenarioTest : public testing::Test {
 public:
  ScenarioTest(fs::path path, std::size_t index) : path_(std::move(path)), index_(index) {}

  void TestBody() override {
    std::vector<std::string> documents = split_documents(read_file(path_));
    const auto parsed = objects::parse_yaml_document(documents.at(index_));
    ASSERT_TRUE(parsed.has_value()) << path_ << ": " << parsed.error().to_string();
    for (const std::string_view key : {"name", "why", "do"}) {
      EXPECT_TRUE((*parsed)[key].is_string()) << path_ << " needs `" << key << "`";
    }
    const Value answer = answer_of(*parsed);
    if ((*parsed)["expect"] == answer.view()) return;
    if (std::getenv("UPDATE_EXPECTED") != nullptr) {
      update(std::move(documents), answer);
      return;
    }
    ADD_FAILURE() << path_.string() << ": " << (*parsed)["name"].string_or("?") << "\nexpected\n"
                  << objects::to_yaml((*parsed)["expect"]) << "\nbut got\n"
                  << objects::to_yaml(answer);
  }

 private:
  void update(std::vector<std::string> documents, const Value& answer) {
    documents[index_] = with_expectation(documents[index_], answer);
    std::ofstream stream(path_);
    for (std::size_t i = 0; i < documents.size(); ++i)
      stream << (i == 0 ? "" : "---\n") << documents[i];
  }

  fs::path path_;
  std::size_t index_;
};

// The test's name is the file's path, so that `./test scenario_file_name` finds it.
void register_file(const fs::path& root, const fs::path& path) {
  const std::string area = fs::relative(path.parent_path(), root).string();
  const std::size_t count = split_documents(read_file(path)).size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name =
        count == 1 ? path.stem().string() : fmt::format("{}_{}", path.stem().string(), i + 1);
    testing::RegisterTest(fmt::format("Scenario_{}", area).c_str(), name.c_str(), nullptr, nullptr,
                          __FILE__, __LINE__,
                          [path, i]() -> ScenarioTest* { return new ScenarioTest(path, i); });
  }
}

void register_all(const fs::path& root) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) register_file(root, path);
}

}  // namespace
}  // namespace muster::scenarios

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  muster::scenarios::register_all(std::filesystem::path(MUSTER_SOURCE_FOLDER) / "tests/scenarios");
  return RUN_ALL_TESTS();
}

#include "studio/studio.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "shoal/compare.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "studio/folder.hpp"
#include "studio/gallery.hpp"
#include "studio/program.hpp"
#include "studio/releases.hpp"
#include "studio/settings.hpp"
#include "studio/studio_data.hpp"

namespace shoal::studio {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* studio_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-src "
    "'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Response json_of(const Json& json) { return json_response(json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

// The one release that is being made, or that was made last. Goes on when the browser is closed.
struct Job {
  std::string state = "none";  // running, done, failed
  std::string name, message;   // message: what the command said; may quote the data
  double progress = -1;
  bool shows_nothing = false;
};

class Studio {
 public:
  Studio(const std::string& folder, std::string executable)
      : folder_(folder), releases_(folder_), program_(std::move(executable), folder_.path()) {}
  ~Studio() { stop(); }
  Studio(const Studio&) = delete;
  Studio& operator=(const Studio&) = delete;

  Response answer(const Request& request);
  [[nodiscard]] std::unique_ptr<Upload> upload(const Request& request) const {
    const auto name = request.query.find("name");
    if (request.path != "/api/upload" || name == request.query.end()) throw InputError("a file has a name");
    return folder_.upload(name->second);
  }
  // Waits for a release that is charged.
  void stop() {
    program_.end();
    std::thread last;
    {
      const std::lock_guard lock(mutex_);
      last = std::move(worker_);
    }
    if (last.joinable()) last.join();
  }

 private:
  Response state() const;
  static Response command(const std::string& body);
  Response budget();
  Response create_account(const std::string& body);
  Response plan(const std::string& body);
  Response release(const std::string& body);
  Response list();
  Response compare(const Request& request);
  Response columns(const std::string& body);
  Response check_data(const std::string& body);
  void check(const Source& source) const;
  Response job();
  Response of_release(const std::string& name);
  [[nodiscard]] Json ran(const std::vector<std::string>& words);

  Folder folder_;
  Releases releases_;
  Program program_;
  std::atomic<int> plans_ = 0;
  std::mutex mutex_;  // of the job
  Job job_;
  std::thread worker_;
};

Response Studio::answer(const Request& request) {
  const std::string& path = request.path;
  if (request.method == "POST") {
    if (path == "/owner/columns") return columns(request.body);
    if (path == "/owner/check") return check_data(request.body);
    if (path == "/api/command") return command(request.body);
    if (path == "/api/account") return create_account(request.body);
    if (path == "/api/plan") return plan(request.body);
    if (path == "/api/release") return release(request.body);
    return refusal(404, "there is no such page");
  }
  if (path == "/") return {.type = "text/html; charset=utf-8", .body = studio_data::page, .policy = studio_policy};
  if (path == "/studio.css") return {.type = "text/css; charset=utf-8", .body = studio_data::style};
  if (path == "/studio.js") return {.type = "text/javascript; charset=utf-8", .body = studio_data::script};
  if (path == "/favicon.ico") return icon();
  if (path == "/api/state") return state();
  if (path == "/api/budget") return budget();
  if (path == "/api/releases") return list();
  if (path == "/api/compare") return compare(request);
  if (path == "/owner/job") return job();
  constexpr std::string_view release_path = "/release/";
  if (path.starts_with(release_path)) return of_release(path.substr(release_path.size()));
  return refusal(404, "there is no such page");
}

Response Studio::state() const {
  Json files = Json::array();
  for (const FolderFile& file : folder_.files("", data_endings())) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
  }
  return json_of({{"folder", std::filesystem::path(folder_.path()).filename().string()}, {"files", files}});
}

// Nothing outside of the folder but a server that the owner names.
void Studio::check(const Source& source) const {
  if (!is_server(source.file)) static_cast<void>(folder_.file(source.file));
}

Json Studio::ran(const std::vector<std::string>& words) {
  std::vector<std::string> with_json = words;
  with_json.insert(with_json.end(), {"--json", "-"});
  const Finished finished = program_.run(with_json);
  if (finished.code != 0) throw InputError(finished.failure());
  return Json::parse(finished.out);
}

Response Studio::budget() {
  Json result{{"accounts", Json::array()}, {"debits", Json::array()}};
  if (std::filesystem::exists(folder_.path() + "/" + ledger_name)) {
    static_cast<void>(folder_.file(ledger_name));
    result["accounts"] = ran({"ledger", "show", ledger_name})["accounts"];
    result["debits"] = ran({"ledger", "history", ledger_name})["history"];
  }
  return json_of(result);
}

Json object(const std::string& body) {
  Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) throw InputError("this is not the JSON of a step");
  return json;
}

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) throw InputError(fmt::format("'{}' is missing", key));
  return found->get<std::string>();
}

// What the settings amount to so far.
Response Studio::command(const std::string& body) {
  const Json json = object(body);
  const std::string kind = text_in(json, "of");
  if (kind == "account") {
    return json_of({{"command", command_line(account_words(text_in(json, "dataset"), text_in(json, "cap")))}});
  }
  const Settings settings = parse_settings(body, Step::draft);
  return json_of({{"command", command_line(kind == "plan" ? plan_words(settings) : release_words(settings))}});
}

Response Studio::create_account(const std::string& body) {
  const Json json = object(body);
  const Finished finished = program_.run(account_words(text_in(json, "dataset"), text_in(json, "cap")));
  if (finished.code != 0) throw InputError(finished.failure());
  return json_of({{"created", true}});
}

Response Studio::plan(const std::string& body) {
  const Settings settings = parse_settings(body, Step::plan);
  const std::vector<std::string> words = plan_words(settings);
  // A hidden file of this request's own, which goes when it is read.
  struct Picture {
    std::string name, path;
    ~Picture() { std::remove(path.c_str()); }
  };
  const std::string name = fmt::format(".shoal-plan-{}-{}.svg", ::getpid(), ++plans_);
  const Picture picture{.name = name, .path = fmt::format("{}/{}", folder_.path(), name)};
  std::vector<std::string> drawn = words;
  drawn.insert(drawn.end(), {"-o", picture.name, "--force"});
  const Json plan = ran(drawn);
  return json_of(
      {{"command", command_line(words)}, {"plan", plan}, {"picture", read_file(picture.path, std::size_t{1} << 24)}});
}

Response Studio::release(const std::string& body) {
  const Settings settings = parse_settings(body, Step::release);
  const std::vector<std::string> words = release_words(settings);
  check(settings.source);
  // Nothing is read or spent without the owner's word for this very sum.
  if (text_in(object(body), "confirmed") != settings.epsilon) throw InputError("confirm the epsilon that is spent");
  std::error_code error;
  std::filesystem::create_directory(folder_.path() + "/" + releases_name, error);
  const std::lock_guard lock(mutex_);
  if (job_.state == "running") return refusal(409, "another release is being made; wait for it to end");
  if (worker_.joinable()) worker_.join();
  job_ = {.state = "running", .name = settings.name, .message = {}};
  worker_ = std::thread([this, words] {
    Finished finished;
    try {
      finished = program_.run(words, [this](double share) {
        const std::lock_guard held(mutex_);
        job_.progress = share;
      });
    } catch (const std::exception& failure) {
      finished = {.code = 1, .out = {}, .err = fmt::format("shoal: {}\n", failure.what())};
    }
    const std::lock_guard held(mutex_);
    const bool nothing = finished.code == Error(ErrorKind::nothing, "").exit_code();  // made, but shows nothing
    job_.state = finished.code == 0 || nothing ? "done" : "failed";
    job_.message = finished.code == 0 ? finished.out : finished.failure();
    job_.shows_nothing = nothing;
  });
  return json_of({{"command", command_line(words)}, {"name", settings.name}});
}

Response Studio::job() {
  const std::lock_guard lock(mutex_);
  return json_of({{"state", job_.state},
                  {"name", job_.name},
                  {"progress", job_.progress},
                  {"message", job_.message},
                  {"shows_nothing", job_.shows_nothing}});
}

Response Studio::list() {
  Json all = Json::array();
  for (const Summary& summary : releases_.all()) {
    all.push_back({{"name", summary.name},
                   {"file", summary.file},
                   {"time", summary.time},
                   {"headline", summary.headline},
                   {"epsilon", summary.epsilon},
                   {"unit", summary.unit},
                   {"axes", summary.axes}});
  }
  return json_of({{"releases", all}});
}

Response Studio::compare(const Request& request) {
  const auto before = request.query.find("before"), after = request.query.find("after");
  if (before == request.query.end() || after == request.query.end()) throw InputError("choose two releases");
  std::vector<Release> both;
  for (const std::string& name : {before->second, after->second}) {
    const ReleaseSet set = releases_.load(name);
    if (!set.is_whole()) {
      throw InputError(fmt::format("'{}' has several parts; compare them with: shoal compare", name));
    }
    both.push_back(set.first());
  }
  return {.type = "text/html; charset=utf-8",
          .body = compare_contents(both, {before->second, after->second}, ".html"),
          .policy = fmt::format("{}; frame-ancestors 'self'; sandbox allow-scripts", compare_policy())};
}

Response Studio::columns(const std::string& body) {
  const Source source = parse_source(body);
  check(source);
  return json_of(ran(column_words(source)));
}

// For the owner only: raw data are read, nothing is spent or kept.
Response Studio::check_data(const std::string& body) {
  const Settings settings = parse_settings(body, Step::draft);
  check(settings.source);
  const std::vector<std::string> words = check_words(settings);
  return json_of({{"command", command_line(words)}, {"check", ran(words)}});
}

Response Studio::of_release(const std::string& name) {
  for (const char* suffix : {".html", ".geojson", ".json", ".csv", ".svg", ".png"}) {
    if (!name.ends_with(suffix)) continue;
    const std::string stem = name.substr(0, name.size() - std::string_view(suffix).size());
    return download(releases_.load(stem), stem, suffix);
  }
  return released_page(releases_.load(name));
}

}  // namespace

Site studio(const std::string& folder, const std::string& executable) {
  auto it = std::make_shared<Studio>(folder, executable);
  return {.answer = [it](const Request& request) { return it->answer(request); },
          .upload = [it](const Request& request) { return it->upload(request); },
          .stopping = [it] { it->stop(); }};
}

}  // namespace shoal::studio

// shoal serve and shoal studio: pages in the browser of this machine.
#include "studio/studio.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "command.hpp"
#include "shoal/error.hpp"
#include "studio/gallery.hpp"
#include "studio/http.hpp"

namespace shoal::cli {

namespace {

struct ServerArguments {
  std::uint16_t port = 0;
  bool no_browser = false;
  void add(CLI::App& command) {
    start_group(command, "Server");
    command.add_option("--port", port, "Port on 127.0.0.1 (default: a free one)")->check(CLI::Range(1, 65535));
    command.add_flag("--no-browser", no_browser, "Print the address only; open no browser");
  }
};

// A page that redirects a browser to the link. Only its owner can read it: a command line would show the token to
// everyone on this machine. Gone with the object.
class RedirectFile {
 public:
  RedirectFile(const std::string& folder, const std::string& link)
      : path_(fmt::format("{}/open-shoal-{}.html", folder, ::getpid())) {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return;
    created_ = true;
    const std::string text =
        fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\"><title>Shoal</title>\n", link);
    whole_ = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(file);
  }
  ~RedirectFile() {
    if (created_) ::unlink(path_.c_str());
  }
  RedirectFile(const RedirectFile&) = delete;
  RedirectFile& operator=(const RedirectFile&) = delete;

  void open() const {
    if (!whole_) return;
#ifdef __APPLE__
    const char* program = "open";
#else
    const char* program = "xdg-open";
#endif
    std::string path = path_, name = program;
    char* words[] = {name.data(), path.data(), nullptr};
    posix_spawn_file_actions_t quiet;
    ::posix_spawn_file_actions_init(&quiet);
    for (const int stream : {0, 1, 2}) {
      ::posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    }
    pid_t child = 0;
    ::posix_spawnp(&child, program, &quiet, nullptr, words, environ);  // without such a program: the link is printed
    ::posix_spawn_file_actions_destroy(&quiet);
  }

 private:
  std::string path_;
  bool created_ = false, whole_ = false;
};

// Until Ctrl-C, or until the terminal is closed.
void serve(const ServerArguments& arguments, const std::string& what, const std::string& folder, studio::Site site) {
  studio::Server server(arguments.port, std::move(site));
  fmt::print("{}: {}\nKeep this link to yourself. Press Ctrl-C to stop.\n", what, server.first_link());
  std::fflush(stdout);
  std::optional<RedirectFile> file;
  if (!arguments.no_browser) file.emplace(folder, server.first_link()).open();
  server.run({SIGINT, SIGTERM, SIGHUP});
}

// This program, to run its commands. Where Python runs it, the environment names the script that does.
std::string this_program() {
  const char* const script = std::getenv("SHOAL_PROGRAM");
  if (script != nullptr && *script != '\0') return script;
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::internal, "this program does not find itself in /proc/self/exe");
  return path.string();
}

}  // namespace

void add_studio(CLI::App& program, Run& run) {
  struct Arguments {
    std::string folder = ".";
    ServerArguments server;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("studio", "Lead from a file to a release, in a browser");
  command->add_option("FOLDER", arguments->folder, "Folder of the data, the budget and the releases")
      ->capture_default_str();
  arguments->server.add(*command);
  command->footer("Examples:\n  shoal studio .\n  shoal studio data --no-browser --port 8000");
  command->callback([arguments, &run] {
    run = [arguments] {
      ::umask(S_IRWXG | S_IRWXO);  // what it writes is for its owner, who decides what is shared
      serve(arguments->server, "Studio", arguments->folder, studio::studio(arguments->folder, this_program()));
    };
  });
}

void add_serve(CLI::App& program, Run& run) {
  struct Arguments {
    std::vector<std::string> releases;
    ServerArguments server;
  };
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("serve", "Show the pages of releases in a browser");
  command->add_option("RELEASES", arguments->releases, "Release files (.json)")->required()->expected(1, 1000);
  arguments->server.add(*command);
  command->footer("Examples:\n  shoal serve clusters.json\n  shoal serve january.json february.json");
  command->callback([arguments, &run] {
    run = [arguments] {
      serve(arguments->server, "Releases", std::filesystem::temp_directory_path().string(),
            studio::gallery(arguments->releases));
    };
  });
}

}  // namespace shoal::cli

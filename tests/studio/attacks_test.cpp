// The server under attack: nothing but a request of its own pages gets an answer of the site.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "raw_http.hpp"
#include "test_server.hpp"

namespace shoal::studio {
namespace {

using namespace testing;

// What must be refused. {H}: the right host, {C}: the right cookie, {T}: the right token.
struct Attack {
  std::string name, request;
};

std::string with(std::string text, const TestServer& server) {
  for (const auto& [mark, value] :
       {std::pair<std::string, std::string>{"{H}", server.host()}, {"{C}", server.cookie()}, {"{T}", server.token()}}) {
    for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, mark.size(), value);
  }
  return text;
}

std::vector<Attack> attacks() {
  std::vector<Attack> all;
  const std::string us = "Host: {H}\r\nCookie: {C}\r\n", end = "\r\n";
  const auto add = [&](const std::string& name, const std::string& request) { all.push_back({name, request}); };

  // The token.
  for (const char* token :
       {"", "0", "{T}0", "0{T}", "{T}%00", "{T}&token={T}", "{T}&x=1", "%7BT%7D", "null", "undefined", "../{T}",
        "{T}%20", "+{T}", "0000000000000000000000000000000000000000000000000000000000000000", "' or 1=1", "*", "[]"}) {
    add(fmt::format("token '{}'", token), fmt::format("GET /?token={} HTTP/1.1\r\nHost: {{H}}\r\n\r\n", token));
  }
  add("token on another path", "GET /x?token={T} HTTP/1.1\r\nHost: {H}\r\n\r\n");
  add("token twice", "GET /?token={T}&token={T} HTTP/1.1\r\nHost: {H}\r\n\r\n");
  add("token in a POST", "POST /?token={T} HTTP/1.1\r\nHost: {H}\r\nOrigin: http://{H}\r\nContent-Length: 0\r\n\r\n");
  add("token in a field", "GET / HTTP/1.1\r\nHost: {H}\r\nX-Token: {T}\r\nAuthorization: token {T}\r\n\r\n");
  add("token as the cookie", "GET / HTTP/1.1\r\nHost: {H}\r\nCookie: shoal={T}\r\n\r\n");
  add("token with another name", "GET /?TOKEN={T} HTTP/1.1\r\nHost: {H}\r\n\r\n");
  add("token of the right length, last digit wrong",
      "GET /?token=" + std::string(63, 'a') + "0 HTTP/1.1\r\nHost: {H}\r\n\r\n");

  // The host: names that were made to resolve to this machine.
  for (const char* host : {"evil.example",
                           "evil.example:{P}",
                           "localhost",
                           "127.0.0.1",
                           "127.0.0.1.",
                           "127.0.0.1:1",
                           "127.0.0.1:80",
                           "0.0.0.0",
                           "[::1]",
                           "127.1",
                           "2130706433",
                           "0x7f000001",
                           "127.0.0.1@evil.example",
                           "{H}.evil.example",
                           "{H}@evil.example",
                           "evil.example#{H}",
                           "{H},evil.example",
                           "{H} evil.example",
                           "{H}/",
                           "http://{H}",
                           "",
                           "user@{H}",
                           "{H}:80",
                           "127.0.0.2",
                           "127.0.0.1.nip.io",
                           "{H}\t.evil",
                           "%31%32%37.0.0.1"}) {
    add(fmt::format("host '{}'", host), fmt::format("GET / HTTP/1.1\r\nHost: {}\r\nCookie: {{C}}\r\n\r\n", host));
  }
  add("no host", "GET / HTTP/1.1\r\nCookie: {C}\r\n\r\n");
  add("two hosts", "GET / HTTP/1.1\r\nHost: {H}\r\nHost: evil.example\r\nCookie: {C}\r\n\r\n");
  add("two hosts, the same", "GET / HTTP/1.1\r\nHost: {H}\r\nhost: {H}\r\nCookie: {C}\r\n\r\n");
  add("host folded", "GET / HTTP/1.1\r\nHost: {H}\r\n evil.example\r\nCookie: {C}\r\n\r\n");
  add("host for another", "GET / HTTP/1.1\r\nX-Forwarded-Host: {H}\r\nForwarded: host={H}\r\nCookie: {C}\r\n\r\n");
  add("absolute form", "GET http://evil.example/ HTTP/1.1\r\n" + us + end);
  add("absolute form of our own", "GET http://{H}/ HTTP/1.1\r\n" + us + end);
  add("authority form", "GET {H} HTTP/1.1\r\n" + us + end);

  // The origin: posts of other sites.
  const auto post = [&](const std::string& fields, const std::string& body = "{}") {
    return fmt::format("POST /x HTTP/1.1\r\n{}{}Content-Length: {}\r\n\r\n{}", us, fields, body.size(), body);
  };
  const std::string json = "Content-Type: application/json\r\n", ours = "Origin: http://{H}\r\n";
  add("post without origin", post(json));
  for (const char* origin : {"null", "http://evil.example", "https://{H}", "http://{H}.evil.example", "http://{H}/",
                             "http://localhost", "http://127.0.0.1", "file://", "", "http://{H}, http://evil.example",
                             "{H}", "http://user@{H}", "HTTP://{H}", "http://{H}#", "*", "chrome-extension://abc"}) {
    add(fmt::format("post from '{}'", origin), post(json + fmt::format("Origin: {}\r\n", origin)));
  }
  add("post of two origins", post(json + ours + "Origin: http://evil.example\r\n"));
  add("post with a referer instead", post(json + "Referer: http://{H}/\r\n"));
  add("get from another origin", "GET / HTTP/1.1\r\n" + us + "Origin: http://evil.example\r\n\r\n");
  for (const char* site : {"cross-site", "same-site", "", "Same-Origin", "same-origin, none"}) {
    add(fmt::format("get of site '{}'", site), fmt::format("GET / HTTP/1.1\r\n{}Sec-Fetch-Site: {}\r\n\r\n", us, site));
    add(fmt::format("post of site '{}'", site), post(json + ours + fmt::format("Sec-Fetch-Site: {}\r\n", site)));
  }
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/html",
        "application/json; charset=utf-8", "application/json, text/plain", "APPLICATION/JSON"}) {
    add(fmt::format("post of type '{}'", type), post(ours + fmt::format("Content-Type: {}\r\n", type)));
  }
  add("post without a type", post(ours));
  add("post of two types", post(ours + json + "Content-Type: text/plain\r\n"));

  // Cookies.
  for (const char* cookie : {"", "shoal", "shoal=", "{C}0", "{C}; {C}", "{C}x; other=1", "x{C}", "{C};{C}", "\"{C}\"",
                             "SHOAL{C}", "a=b, {C}", "{C}\t"}) {
    if (std::string(cookie) == "{C}\t") continue;  // space around a value is no part of it
    add(fmt::format("cookie '{}'", cookie), fmt::format("GET / HTTP/1.1\r\nHost: {{H}}\r\nCookie: {}\r\n\r\n", cookie));
  }
  add("no cookie", "GET / HTTP/1.1\r\nHost: {H}\r\n\r\n");
  add("two cookie fields", "GET / HTTP/1.1\r\nHost: {H}\r\nCookie: {C}\r\nCookie: {C}\r\n\r\n");
  add("cookie of another port", "GET / HTTP/1.1\r\nHost: {H}\r\nCookie: shoal-1=0\r\n\r\n");
  add("cookie as a query", "GET /?{C} HTTP/1.1\r\nHost: {H}\r\n\r\n");
  add("cookie in another field", "GET / HTTP/1.1\r\nHost: {H}\r\nX-Cookie: {C}\r\nCookie2: {C}\r\n\r\n");

  // Paths out of the site, in many encodings.
  for (const char* path : {"/..",
                           "/../",
                           "/../etc/passwd",
                           "/a/../b",
                           "/a/..",
                           "/./a",
                           "/.",
                           "/a/.",
                           "//",
                           "//etc/passwd",
                           "/a//b",
                           "/a/",
                           "/%2e%2e/x",
                           "/%2E%2E%2Fx",
                           "/..%2fx",
                           "/%2e./x",
                           "/.%2e/x",
                           "/a%2f..%2fb",
                           "/a%2f%2fb",
                           "/%5c..%5cx",
                           "/..\\x",
                           "/a%00",
                           "/%00",
                           "/a%0d%0ab",
                           "/a%0aSet-Cookie:x",
                           "/%",
                           "/%2",
                           "/%zz",
                           "/%u002e",
                           "/%+1",
                           "/a%7f",
                           "x",
                           "",
                           "*",
                           "?",
                           "#",
                           "/#x",
                           "/a#b",
                           "/?a",
                           "/?a=1&a=2",
                           "/?a=%",
                           "/?%00=1",
                           "/?a=%5c",
                           "/?=&=",
                           "/?&",
                           "/a/%2e%2e",
                           "/a/%2e",
                           "file:///etc/passwd",
                           "\\..\\x",
                           "/\\evil.example"}) {
    add(fmt::format("path '{}'", path), fmt::format("GET {} HTTP/1.1\r\n{}\r\n", path, us));
  }
  add("long path", "GET /" + std::string(3000, 'a') + " HTTP/1.1\r\n" + us + end);
  add("deep path", "GET " + std::string(4000, '/') + " HTTP/1.1\r\n" + us + end);

  // Methods.
  for (const char* method :
       {"HEAD", "PUT",   "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "PROPFIND", "get",  "Get",
        "GETT", "POST2", "X-GET",  "PRI",     "LOCK",  "",        "G ET",  "DEBUG",    "COPY", "MOVE"}) {
    add(fmt::format("method '{}'", method), fmt::format("{} / HTTP/1.1\r\n{}\r\n", method, us));
  }
  add("method by a field",
      "POST /x HTTP/1.1\r\n" + us + json + "X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n");
  add("preflight",
      "OPTIONS /x HTTP/1.1\r\n" + us + "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n");
  add("http/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  for (const char* version : {"HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.2", "HTTP/9.9", "HTTP/1", "HTTP/11",
                              "http/1.1", "HTTPS/1.1", "HTTP/1.1 x", "", "ICY", "RTSP/1.0"}) {
    add(fmt::format("version '{}'", version), fmt::format("GET / {}\r\n{}\r\n", version, us));
  }
  add("websocket", "GET / HTTP/1.1\r\n" + us + "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n");

  // Bodies whose length is not plain.
  add("no length", "POST /x HTTP/1.1\r\n" + us + ours + json + end);
  for (const char* length :
       {"-1", "1e3", "0x10", "99999999999999999999999", "+2", "2 2", "2, 2", "", "two", "2;", "1048577", "65537"}) {
    add(fmt::format("length '{}'", length),
        fmt::format("POST /x HTTP/1.1\r\n{}{}{}Content-Length: {}\r\n\r\n{{}}", us, ours, json, length));
  }
  add("two lengths", "POST /x HTTP/1.1\r\n" + us + ours + json + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}");
  add("two lengths, the same",
      "POST /x HTTP/1.1\r\n" + us + ours + json + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}");
  for (const char* coding : {"chunked", "identity", "gzip, chunked", "chunked, chunked", "\vchunked", "xchunked", ""}) {
    add(fmt::format("coding '{}'", coding),
        fmt::format("POST /x HTTP/1.1\r\n{}{}{}Transfer-Encoding: {}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n", us, ours, json,
                    coding));
  }
  add("coding of a GET", "GET / HTTP/1.1\r\n" + us + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  add("length and coding", "POST /x HTTP/1.1\r\n" + us + ours + json +
                               "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n");
  add("get with a body", "GET / HTTP/1.1\r\n" + us + "Content-Length: 2\r\n\r\n{}");
  add("expectation", "POST /x HTTP/1.1\r\n" + us + ours + json + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}");
  add("range", "GET / HTTP/1.1\r\n" + us + "Range: bytes=0-1\r\n\r\n");
  add("huge upload",
      "POST /x HTTP/1.1\r\n" + us + ours + "Content-Type: application/octet-stream\r\nContent-Length: 1048577\r\n\r\n");
  add("upload of another site",
      "POST /x HTTP/1.1\r\n" + us +
          "Origin: http://evil.example\r\nContent-Type: application/octet-stream\r\nContent-Length: 2\r\n\r\nab");

  // What is not HTTP.
  add("huge field", "GET / HTTP/1.1\r\n" + us + "X: " + std::string(20000, 'a') + "\r\n\r\n");
  add("huge name", "GET / HTTP/1.1\r\n" + us + std::string(20000, 'a') + ": x\r\n\r\n");
  std::string many = "GET / HTTP/1.1\r\n" + us;
  for (int i = 0; i < 5000; ++i) many += "A: b\r\n";
  add("many fields", many + end);
  add("huge line", "GET /" + std::string(40000, 'a') + " HTTP/1.1\r\n" + us + end);
  for (const char* text :
       {"\r\n\r\n", "\n\n", "hello\r\n\r\n", "GET /\r\n\r\n", "GET\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\xfc\x03\x03 hello\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n", "GET  / HTTP/1.1\r\n\r\n",
        " GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        "GET / HTTP/1.1\r\n: no name\r\n\r\n", "SSH-2.0-x\r\n\r\n", "GET / HTTP/1.1\r\nA b: c\r\n\r\n",
        "GET / HTTP/1.1\rHost: x\r\r", "\xff\xfe\xfd\r\n\r\n"}) {
    add(fmt::format("text {}", all.size()), text);
  }
  add("space before the colon", "GET / HTTP/1.1\r\nHost : {H}\r\nCookie: {C}\r\n\r\n");
  add("zero byte in a field", "GET / HTTP/1.1\r\nHost: {H}\r\nCookie: {C}" + std::string(1, '\0') + "\r\n\r\n");
  add("zero byte in the path", "GET /" + std::string(1, '\0') + " HTTP/1.1\r\n" + us + end);
  add("bare carriage return", "GET / HTTP/1.1\r\nHost: {H}\rX: y\r\nCookie: {C}\r\n\r\n");
  return all;
}

TEST(Server, TwoHundredAttacksFail) {
  TestServer server;
  const std::vector<Attack> all = attacks();
  RecordProperty("attacks", static_cast<int>(all.size()));
  EXPECT_GE(all.size(), 200u);
  std::set<std::string> names;
  for (const Attack& attack : all) {
    EXPECT_TRUE(names.insert(attack.name).second) << attack.name;
    RawConnection connection(server.port());
    connection.send(with(attack.request, server));
    connection.no_more();
    const std::string answer = connection.receive();
    EXPECT_EQ(server.reached() + server.kept(), 0) << attack.name << "\n" << answer;
    if (server.reached() + server.kept() > 0) return;
    EXPECT_TRUE(answer.empty() || status_of(answer) >= 400) << attack.name << "\n" << answer;
    if (!answer.empty()) {
      EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'"), std::string::npos) << attack.name;
      EXPECT_EQ(answer.find("Set-Cookie"), std::string::npos) << attack.name;
      EXPECT_EQ(answer.find("evil"), std::string::npos) << attack.name << " comes back in the answer";
    }
  }
  EXPECT_EQ(status_of(ask(server.port(), server.get("/"))), 200);  // and it still serves
}

TEST(Server, ASecondRequestBehindTheFirstIsNotRead) {
  TestServer server;
  const std::string answer = ask(server.port(), server.get("/one") + server.get("/two"));
  EXPECT_NE(answer.find("/one"), std::string::npos);
  EXPECT_EQ(answer.find("/two"), std::string::npos);
  EXPECT_EQ(server.reached(), 1);
}

}  // namespace
}  // namespace shoal::studio

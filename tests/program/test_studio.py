"""The studio's server: what it does in its folder, what it never says, and what is left when it is killed."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import urllib.parse

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ROOT, SHOAL

from engines import Server

SHIM = SHOAL.parent.parent / "tests" / "libfailing_calls.so"
pytestmark = pytest.mark.skipif(not (ROOT / "build/page/studio_data.cpp").exists(), reason="the studio was not built")


class Studio:
    """`shoal studio` or `shoal serve` in a process of its own, and a browser's cookie."""

    def __init__(self, folder, *words, **environment):
        self.folder = folder
        self.process = subprocess.Popen([SHOAL, *words, "--no-browser"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, **environment}, text=True)
        link = self.process.stdout.readline().split()[-1]
        self.process.stdout.readline()
        address = urllib.parse.urlsplit(link)
        self.port, self.host, self.cookie = address.port, address.netloc, ""
        entered = self.ask("GET", f"/?{address.query}")
        self.cookie = entered.headers["Set-Cookie"].split(";")[0]

    def ask(self, method, path, body=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie} if self.cookie else {}
        if method == "POST":
            headers |= {"Origin": f"http://{self.host}", "Content-Type": kind}
        connection.request(method, path, body if body is None or isinstance(body, bytes) else json.dumps(body), headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode(errors="replace")
        connection.close()
        return answer

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, body):
        return self.ask("POST", path, body)

    def job(self):
        """What became of the release, once it is known."""
        while (job := json.loads(self.get("/owner/job").text))["state"] == "running":
            time.sleep(0.01)
        return job

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.process.wait(60)


@pytest.fixture
def start(tmp_path):
    running = []

    def run(*words, **environment):
        running.append(Studio(tmp_path, *(words or ("studio", ".")), **environment))
        return running[-1]

    yield run
    for studio in running:
        if studio.process.poll() is None:
            studio.process.kill()
        studio.process.wait()


def charges(folder):
    done = subprocess.run([SHOAL, "ledger", "history", "budget.db", "--json", "-"], cwd=folder, capture_output=True, text=True, check=True)
    return len(json.loads(done.stdout)["history"])


@pytest.fixture
def people(tmp_path):
    rows = [f"{i % 17 / 17},{i % 13 / 13},person{i % 50}\n" for i in range(200)]
    (tmp_path / "people.csv").write_text("x,y,who\n" + "".join(rows))
    return tmp_path / "people.csv"


SETTINGS = {
    "file": "people.csv", "has_names": True, "unit": None, "most_rows": 0, "records": 200, "epsilons": ["1"],
    "axes": [{"name": "x", "position": 1, "range": "0:1"}, {"name": "y", "position": 2, "range": "0:1"}],
    "epsilon": "1", "dataset": "people", "name": "first", "confirmed": "1",
}


def test_from_a_file_to_a_release_and_two_compared(start, people, tmp_path):
    studio = start()
    assert json.loads(studio.get("/api/state").text)["files"] == [{"name": "people.csv", "bytes": people.stat().st_size}]
    seen = json.loads(studio.post("/owner/columns", {"file": "people.csv"}).text)
    assert seen["columns"] == [{"name": name, "type": ""} for name in ("x", "y", "who")]
    assert (seen["delimiter"], seen["rows"][0], len(seen["rows"])) == (",", ["0.0", "0.0", "person0"], 5)  # for the owner, who looks at them
    assert json.loads(studio.post("/api/plan", SETTINGS).text)["plan"]["records"] == 200
    assert not (tmp_path / "budget.db").exists()
    assert studio.post("/api/account", {"dataset": "people", "cap": "2.5"}).status == 200
    for name in ("first", "second"):
        command = json.loads(studio.post("/api/command", {**SETTINGS, "of": "release", "name": name}).text)["command"]
        assert json.loads(studio.post("/api/release", {**SETTINGS, "name": name}).text)["command"] == command
        assert studio.job()["state"] == "done"
    assert command.replace(" \\\n ", "").endswith("--epsilon 1 --ledger budget.db --dataset people -o releases/second.json -o releases/second.html")
    assert charges(tmp_path) == 2
    listed = json.loads(studio.get("/api/releases").text)["releases"]
    assert {release["name"] for release in listed} == {"first", "second"} and {release["epsilon"] for release in listed} == {"1"}
    assert "</html>" in studio.get("/release/first").text
    assert json.loads(studio.get("/release/first.json").text) == json.loads((tmp_path / "releases/first.json").read_text())
    subprocess.run([SHOAL, "reshape", "releases/first.json", "--percentile", "20", "-o", "releases/again.json"], cwd=tmp_path, check=True, capture_output=True)
    assert "</html>" in studio.get("/api/compare?before=first&after=again").text
    assert json.loads(studio.get("/api/budget").text)["accounts"][0]["left"] == "0.5"
    # The ledger refuses what exceeds it, and nothing more is written or spent.
    studio.post("/api/release", {**SETTINGS, "name": "third"})
    refused = studio.job()
    assert refused["state"] == "failed" and "0.5" in refused["message"], refused
    assert charges(tmp_path) == 2 and not list((tmp_path / "releases").glob("third*"))
    assert oct((tmp_path / "releases/first.json").stat().st_mode)[-2:] == "00"  # for its owner alone
    assert studio.end() == 0


def test_a_release_is_made_once(start, people, tmp_path):
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    assert studio.post("/api/release", {**SETTINGS, "confirmed": "0.1"}).status == 400
    assert studio.post("/api/release", {key: value for key, value in SETTINGS.items() if key != "confirmed"}).status == 400
    assert studio.post("/api/release", SETTINGS).status == 200
    assert studio.job()["state"] == "done"
    studio.post("/api/release", SETTINGS)  # again, as a browser that sends its post twice
    assert studio.job()["state"] == "failed"
    assert charges(tmp_path) == 1


def test_the_first_step_checks_the_data_and_spends_nothing(start, people, tmp_path):
    studio = start()
    unknown = [{**axis, "range": ""} for axis in SETTINGS["axes"]]  # before the ranges are known
    first = json.loads(studio.post("/owner/check", {**SETTINGS, "axes": unknown}).text)
    assert (first["check"]["rows"], first["check"]["bad_rows"]) == (200, 0) and first["command"].startswith("shoal check people.csv")
    narrow = [{**SETTINGS["axes"][0], "range": "0:0.5"}, SETTINGS["axes"][1]]
    then = json.loads(studio.post("/owner/check", {**SETTINGS, "axes": narrow}).text)["check"]
    assert 0 < then["inside"] < 200 and then["columns"][0]["above"] == 200 - then["inside"]
    assert not (tmp_path / "budget.db").exists()


def test_a_release_that_shows_nothing_is_kept_and_said(start, people, tmp_path):
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    away = [{**axis, "range": "5:6"} for axis in SETTINGS["axes"]]
    assert studio.post("/api/release", {**SETTINGS, "axes": away}).status == 200
    job = studio.job()
    assert job["state"] == "done" and job["shows_nothing"] and "shows nothing" in job["message"], job
    assert (tmp_path / "releases/first.json").exists()


def test_an_upload_is_kept_whole(start, tmp_path):
    studio = start()
    body = b"a,b\n" + b"1,2\n" * 100_000
    assert studio.ask("POST", "/api/upload?name=new.csv", body, "application/octet-stream").status == 200
    assert (tmp_path / "new.csv").read_bytes() == body
    assert studio.ask("POST", "/api/upload?name=new.csv", b"x", "application/octet-stream").status == 400  # it is there
    for name in ("../new.csv", "%2e%2e%2fnew.csv", "budget.db", "/tmp/new.csv", ".new.csv"):
        assert studio.ask("POST", f"/api/upload?name={name}", b"x", "application/octet-stream").status == 400
    assert (tmp_path / "new.csv").read_bytes() == body
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_nothing_outside_the_folder_is_read(start, people, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.csv").symlink_to(people)
    (folder / "up").symlink_to(tmp_path)
    studio = start("studio", "in")
    for name in ("../people.csv", str(people), "link.csv", "up/people.csv", "/etc/passwd", "-", "/dev/stdin", "in/../../people.csv"):
        for path in ("/owner/columns", "/api/release"):
            answer = studio.post(path, {**SETTINGS, "file": name})
            assert answer.status == 400 and "person" not in answer.text, (name, path)
    for name in ("..%2fpeople.csv", "up%2freleases", "link", "%2fetc%2fpasswd"):
        assert studio.get(f"/release/{name}").status == 400
    assert json.loads(studio.get("/api/state").text)["files"] == []


def test_only_the_owners_pages_say_what_the_data_hold(start, tmp_path):
    """A file whose every value can be recognised: none of them leaves but by /owner/."""
    values = [f"sentinel{i}" for i in range(40)]
    (tmp_path / "people.csv").write_text("x,y\n" + "".join(f"{value},{value}\n" for value in values))
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    answers = [studio.post("/api/plan", SETTINGS), studio.post("/api/command", {**SETTINGS, "of": "release"}), studio.post("/api/release", SETTINGS)]
    failed = studio.job()
    assert failed["state"] == "failed" and "sentinel0" in failed["message"]  # the command quotes it; the page is marked
    answers += [studio.get(path) for path in ("/", "/studio.js", "/studio.css", "/api/state", "/api/budget", "/api/releases", "/release/first",
                                              "/api/compare?before=first&after=first", "/nothing")]
    for answer in answers:
        assert "sentinel" not in answer.text
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert charges(tmp_path) == 0
    first = json.loads(studio.post("/owner/columns", {"file": "people.csv", "has_names": False}).text)
    assert first["columns"] == [{"name": "", "type": ""}] * 2 and first["rows"][0] == ["x", "y"]


def test_the_first_rows_are_shown_as_they_are_written(start, tmp_path):
    """A byte order mark, semicolons, quotes, short rows, another encoding: what a spreadsheet exports."""
    (tmp_path / "odd.csv").write_bytes(b"\xef\xbb\xbfNr;Ort;Wert\r\n\r\n1;\"a;\"\"b\"\"\";2,5\r\n2;M\xfcnchen\r\n3;\"open;1\r\n")
    (tmp_path / "names.csv").write_bytes(b"Gr\xf6\xdfe;y\n1;2\n")
    studio = start()
    seen = json.loads(studio.post("/owner/columns", {"file": "odd.csv"}).text)
    assert [column["name"] for column in seen["columns"]] == ["Nr", "Ort", "Wert"] and seen["delimiter"] == ";"
    assert seen["rows"] == [["1", 'a;"b"', "2,5"], ["2", "M?nchen"], ['3;"open;1']]
    split = json.loads(studio.post("/owner/columns", {"file": "odd.csv", "delimiter": "comma"}).text)
    assert [column["name"] for column in split["columns"]] == ["Nr;Ort;Wert"] and split["delimiter"] == ","
    refused = studio.post("/owner/columns", {"file": "names.csv"})
    assert refused.status == 400 and "not UTF-8" in refused.text and "iconv" in refused.text


@pytest.mark.parametrize("text, position, bounds", [
    ("2026-01-02 18:00\n" + "2026-07-02\n" * 300, 1, "2026-01-01:2026-12-31"),
    ("New York\n" + "York\n" * 300, 1, "New York|York|New:category"),
    ("7;New York\n" + "7;York\n" * 300, 2, "New York|York|New:category"),
])
def test_a_file_without_names_needs_a_delimiter_as_in_the_program(start, tmp_path, text, position, bounds):
    """The first record, which has a space, must not tell what separates the fields of all others."""
    (tmp_path / "people.csv").write_text(text)
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    chosen = {**SETTINGS, "has_names": False, "axes": [{"position": position, "range": bounds}]}
    command = ["check", "people.csv", "--columns", str(position), "--header", "no", "--bounds", bounds]
    says = subprocess.run([SHOAL, *command], cwd=tmp_path, capture_output=True, text=True).stderr.removeprefix("shoal: ").strip()
    assert "more than plain numbers" in says and "--delimiter" in says
    for delimiter in ({}, {"delimiter": ""}, {"delimiter": "auto"}, {"has_names": "no"}):
        checked = studio.post("/owner/check", {**chosen, **delimiter})
        assert checked.status == 400 and json.loads(checked.text)["error"] == says, delimiter
        studio.post("/api/release", {**chosen, **delimiter})
        assert studio.job()["message"] == says, delimiter
    assert charges(tmp_path) == 0 and not list((tmp_path / "releases").glob("*.json"))
    separated = {**chosen, "delimiter": "semicolon"}
    assert json.loads(studio.post("/owner/check", separated).text)["check"]["inside"] == 301
    assert studio.post("/api/release", separated).status == 200
    assert studio.job()["state"] == "done" and charges(tmp_path) == 1


def test_json_lines_are_for_the_command_line(start, tmp_path):
    (tmp_path / "people.jsonl").write_text('{"x": 0.5, "y": 0.5}\n')
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    for file in ("people.jsonl", "*.jsonl", "people.ndjson.gz"):
        for path in ("/owner/columns", "/owner/check", "/api/command", "/api/release"):
            answer = studio.post(path, {**SETTINGS, "file": file, "of": "release"})
            assert answer.status == 400 and "JSON lines" in answer.text, (file, path)
    assert charges(tmp_path) == 0


def test_parquet_and_databases_become_releases(start, tmp_path):
    table = pa.table({"x": [i % 17 / 17 for i in range(300)], "y": [i % 13 / 13 for i in range(300)], "who": [i % 50 for i in range(300)]})
    pq.write_table(table, tmp_path / "people.parquet")
    with duckdb.connect(str(tmp_path / "city.duckdb")) as database:
        database.register("given", table)
        database.execute("create table visits as select * from given")
    with contextlib.closing(Server()) as server:
        server.ask("create table visits as select i % 17 / 17.0 as x, i % 13 / 13.0::float8 as y, i % 50 as who from generate_series(1, 300) i")
        studio = start()
        studio.post("/api/account", {"dataset": "people", "cap": "9"})
        for name, source in {"parquet": {"file": "people.parquet"}, "duckdb": {"file": "city.duckdb", "table": "visits"},
                             "postgresql": {"file": server.address, "table": "visits"}}.items():
            columns = json.loads(studio.post("/owner/columns", source).text)["columns"]
            assert columns == [{"name": "x", "type": "number"}, {"name": "y", "type": "number"}, {"name": "who", "type": "whole number"}], name
            chosen = {**SETTINGS, **source, "unit": {"name": "who", "position": 3}, "most_rows": 3, "name": name}
            assert studio.post("/api/release", chosen).status == 200, name
            assert studio.job()["state"] == "done", studio.job()
            assert "</html>" in studio.get(f"/release/{name}").text
        for file in ("s3://bucket/a.parquet", "https://example.org/a.parquet", "iceberg:people", "*.parquet", "file:///etc/passwd", "postgresql://me:word@h/d"):
            assert studio.post("/owner/columns", {"file": file, "table": "t"}).status == 400, file
    assert charges(tmp_path) == 3


def test_serve_shows_releases_and_takes_nothing(start, people, tmp_path):
    subprocess.run([SHOAL, "release", people, "--columns", "x,y", "--bounds", "0:1,0:1", "--auto", "--epsilon", "1", "-o", "a & b.json"],
                   cwd=tmp_path, check=True, capture_output=True)
    gallery = start("serve", "a & b.json")
    index = gallery.get("/").text
    assert "a &amp; b.json" in index and "epsilon 1" in index
    assert "</html>" in gallery.get("/release/1").text
    assert gallery.get("/picture/1").headers["Content-Type"] == "image/svg+xml"
    for path in ("/release/0", "/release/2", "/release/1x", "/release/-1", "/people.csv", "/api/state", "/release/99999999999999999999"):
        assert gallery.get(path).status == 404, path
    assert gallery.post("/release/1", {}).status == 405
    assert gallery.ask("POST", "/api/upload?name=x.csv", b"x", "application/octet-stream").status == 405
    for name, options in {"insets": ["--auto", "--insets", "2"], "groups": ["--by", "who=person1|person2|person3", "--auto"]}.items():
        done = subprocess.run([SHOAL, "release", people, "--columns", "x,y", "--bounds", "0:1,0:1", *options, "--epsilon", "1", "-o", f"{name}.json"],
                              cwd=tmp_path, capture_output=True)
        assert done.returncode in (0, 5), done.stderr  # 5: written, but so few records show nothing
    several = start("serve", "insets.json", "groups.json")
    assert re.search(r"in the overview, \d insets?", several.get("/").text) and "3 groups" in several.get("/").text
    assert all("</html>" in several.get(f"/release/{i}").text and several.get(f"/picture/{i}").text.startswith("<svg") for i in (1, 2))
    assert several.end(signal.SIGHUP) == 0
    before = sorted(tmp_path.iterdir())
    assert gallery.end(signal.SIGHUP) == 0
    assert sorted(tmp_path.iterdir()) == before


def test_serve_refuses_what_is_no_release(refused, people):
    refused(3, "serve", "people.csv", "--no-browser", says=["people.csv"])
    refused(3, "studio", "people.csv", "--no-browser", says=["is not a folder"])


def test_progress_comes_in_lines_for_programs(tmp_path):
    reading = subprocess.Popen([SHOAL, "cluster", "-", "--bounds", "0:1,0:1", "--grid", "8", "--percentile", "0", "--json", "-"], cwd=tmp_path, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "SHOAL_PROGRESS": "lines"})
    reading.stdin.write("x,y\n" + "0.5,0.5\n" * 500_000)
    reading.stdin.flush()
    assert reading.stderr.readline() == "progress -1.000\n"  # of a pipe nobody knows the size
    assert json.loads(reading.communicate(timeout=60)[0])["points"] == 500_000


def gone(pid):
    """Waits for the end of a process that is not ours."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ends before its file is opened, or read
        while "Z" not in pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]:
            time.sleep(0.005)


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            found += [int(word) for word in (task / "children").read_text().split()]
    return found


def calls_of_a_release(start, tmp_path):
    studio = start(LD_PRELOAD=str(SHIM), FAIL_FOR="SHOAL_PROGRESS", FAIL_COUNT=str(tmp_path / "count"))
    studio.post("/api/account", {"dataset": "people", "cap": "99"})
    studio.post("/api/release", {**SETTINGS, "name": "counted"})
    assert studio.job()["state"] == "done"
    studio.end()
    return int((tmp_path / "count").read_text())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_ends_in_a_release_charges_at_most_once_and_keeps_what_is_paid(start, people, tmp_path, how):
    """The release is held at one of its calls that change files, all over its way, while the server is ended."""
    total = calls_of_a_release(start, tmp_path)
    outcomes = set()
    for at in [*range(1, total, 4), total]:
        before, held, name = charges(tmp_path), tmp_path / "held", f"at-{at}"
        studio = start(LD_PRELOAD=str(SHIM), FAIL_FOR="SHOAL_PROGRESS", FAIL_WAIT=str(held), FAIL_AT=str(at))
        assert studio.post("/api/release", {**SETTINGS, "name": name}).status == 200
        while not held.exists():
            time.sleep(0.002)
        [command] = children(studio.process.pid)
        studio.process.send_signal(how)
        if how == signal.SIGKILL:
            studio.process.wait()
        held.unlink()
        gone(command)
        studio.process.wait()
        paid, kept = charges(tmp_path) - before, (tmp_path / f"releases/{name}.json").exists()
        assert (paid, kept) in {(0, False), (1, True)}, at
        outcomes.add(paid)
        assert not list(tmp_path.glob("releases/.*")) or how == signal.SIGKILL
    assert outcomes == {0, 1}  # before the charge and after it
    studio = start()
    listed = {release["name"] for release in json.loads(studio.get("/api/releases").text)["releases"]}
    assert len(listed) == charges(tmp_path)


def test_a_file_that_the_studio_did_not_make_outlives_it(tmp_path):
    """By the name of the page that leads a browser to the link. As it is not the studio's own, no browser is started."""
    script = 'echo kept > "open-shoal-$$.html"; exec "$0" studio .'
    process = subprocess.Popen(["sh", "-c", script, str(SHOAL)], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    link = urllib.parse.urlsplit(process.stdout.readline().split()[-1])
    connection = http.client.HTTPConnection("127.0.0.1", link.port, timeout=60)
    connection.request("GET", f"/?{link.query}")
    assert connection.getresponse().status == 200
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (tmp_path / f"open-shoal-{process.pid}.html").read_text() == "kept\n"


def test_a_release_of_whole_ages_has_one_real_cluster(start, tmp_path):
    """The studio releases with --auto, which takes rounding out. Undeclared whole numbers were 31 to 36 clusters once."""
    rng = random.Random(3)
    (tmp_path / "ages.csv").write_text("age\n" + "".join(f"{min(max(round(rng.gauss(52, 14)), 0), 110)}\n" for _ in range(20000)))
    studio = start()
    studio.post("/api/account", {"dataset": "people", "cap": "9"})
    ages = {**SETTINGS, "file": "ages.csv", "records": 20000, "axes": [{"name": "age", "position": 1, "range": "0:110"}]}
    assert studio.post("/api/release", ages).status == 200
    job = studio.job()
    assert job["state"] == "done", job
    release = json.loads((tmp_path / "releases/first.json").read_text())
    assert [of["step"] for of in release["automatic"]["rounded"]] == [1] and len(release["clusters"]) == 1
    page = studio.get("/release/first").text
    assert "Values of age are whole numbers." in page or "Many values of age are whole numbers." in page  # chance decides

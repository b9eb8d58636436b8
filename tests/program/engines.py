"""A PostgreSQL server of the tests' own, and one table written for every engine."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import glob
import math
import os
import pathlib
import select
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

EPOCH = datetime.datetime(1970, 1, 1)


class Server:
    """Started in a folder of its own by an ordinary user: PostgreSQL refuses to run as root."""

    def __init__(self) -> None:
        self._bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1]).parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shoal-postgresql-"))
        self._as: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
        if self._as:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"postgresql://owner@127.0.0.1:{self.port}/postgres"
        self._run("initdb", "-A", "trust", "-U", "owner", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._bin / program), "-D", str(self.folder / "data"), *words]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        """As a crash would."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)

    def ask(self, sql: str, rows: str | None = None, user: str = "owner") -> str:
        """What psql prints; `rows` go to its standard input."""
        command = ["psql", "-h", str(self.folder), "-p", str(self.port), "-U", user, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, "postgres"]
        return subprocess.run(command, input=rows, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@contextlib.contextmanager
def answering(server: Server, request: bytes, answer: bytes) -> Iterator[str]:
    """An address that leads to the server, until the program sends the request: it gets the answer, and the connection ends."""
    listener = socket.create_server(("127.0.0.1", 0))

    def forward(client: socket.socket, upstream: socket.socket) -> None:
        while True:
            for source in select.select([client, upstream], [], [])[0]:
                content = source.recv(65536)
                if source is client and request in content:
                    client.sendall(answer)
                    return
                if content == b"":
                    return
                (upstream if source is client else client).sendall(content)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                with listener.accept()[0] as client, socket.create_connection(("127.0.0.1", server.port)) as upstream:
                    forward(client, upstream)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"postgresql://owner@127.0.0.1:{listener.getsockname()[1]}/postgres"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def around(edge: float) -> list[float]:
    return [math.nextafter(edge, -math.inf), edge, math.nextafter(edge, math.inf)]


class Adversarial:
    """Rows at the edges of cells and of what types can hold. Times are instants in nanoseconds; PostgreSQL keeps microseconds of them."""

    COLUMNS = ["x", "f", "n", "t", "w"]
    BOUNDS = "x=0:1,f=-1:1,n=0:1,t=2026-01-01T00:00Z:2026-01-11T00:00Z,w=A|B|17:category"
    DAY = int((datetime.datetime(2026, 1, 1) - EPOCH).total_seconds()) * 10**9

    def __init__(self) -> None:
        odd = [math.nan, math.inf, -math.inf, 1e308, -1e308, -0.0, 5e-324, -5e-324, None]
        xs = [value for i in range(11) for value in around(i / 10)] + odd
        fs = [None if x is None else float(np.float32(max(min(2 * x - 1, 3e38), -3e38))) for x in xs]
        ns = ["0.3", "0.29999999999999999", "0.29999999999999998889776975374843", "0.30000000000000000000000000000001", "0.7", "0", "-0.1",
              "0.99999999999999999999999999999999", "1", None, "-0.00000000000000000000000000000001", "123456.5"]
        ticks = [0, 1, 999, 1000, 86_400 * 10**9 - 1, 86_400 * 10**9, 10 * 86_400 * 10**9 - 1, 10 * 86_400 * 10**9, -1, 123_456_789_123, None]
        ws = ["A", "B", "17", "a", " B", "C", None]
        self.rows = []
        for i in range(1200):
            tick = ticks[i % len(ticks)]
            self.rows.append((xs[i % len(xs)], fs[(i * 5) % len(fs)], ns[i % len(ns)], None if tick is None else self.DAY + tick, ws[i % len(ws)], i * i % 97))

    def without_unit(self, unit: int) -> Adversarial:
        result = Adversarial()
        result.rows = [row for row in self.rows if row[5] != unit]
        return result

    def csv(self, *, nanoseconds: bool = True, null: str = "nan") -> str:
        def time(tick: int | None) -> str:
            if tick is None:
                return null
            whole, part = divmod(tick, 10**9)
            decimals = f"{part:09}" if nanoseconds else f"{part // 1000:06}"
            return f"{(EPOCH + datetime.timedelta(seconds=whole)).isoformat()}.{decimals}Z"

        lines = ["x,f,n,t,w,u"]
        for x, f, n, t, w, u in self.rows:
            lines.append(",".join([*(null if v is None else repr(v) for v in (x, f)), n or null, time(t), w if w is not None else null, str(u)]))
        return "\n".join(lines) + "\n"

    def arrow(self) -> pa.Table:
        x, f, n, t, w, u = zip(*self.rows)
        number = decimal.Context(prec=60).create_decimal
        return pa.table(
            {
                "x": pa.array(x, pa.float64()),
                "f": pa.array([None if v is None else np.float32(v) for v in f], pa.float32()),
                "n": pa.array([None if v is None else number(v) for v in n], pa.decimal128(38, 32)),
                "t": pa.array(t, pa.timestamp("ns", "UTC")),
                "w": pa.array(w, pa.string()).dictionary_encode(),
                "u": pa.array(u, pa.int64()),
            }
        )

    def json_lines(self) -> str:
        def value(v: object) -> str:
            if v is None or (isinstance(v, float) and math.isnan(v)):
                return "null"
            if isinstance(v, float) and math.isinf(v):
                return '"inf"' if v > 0 else '"-inf"'
            return repr(v)

        texts = [line.split(",") for line in self.csv().splitlines()[1:]]
        return "".join(
            f'{{"x":{value(row[0])},"f":{value(row[1])},"n":{row[2] or "null"},"t":"{text[3]}","w":{"null" if row[4] is None else chr(34) + row[4] + chr(34)},"u":{row[5]}}}\n'
            for row, text in zip(self.rows, texts)
        )

    def fill(self, server: Server, table: str) -> None:
        server.ask(f"create table {table} (x double precision, f real, n numeric, t timestamptz, w text, u bigint)")
        server.ask(f"copy {table} from stdin (format csv, header, null 'NULL')", self.csv(nanoseconds=False, null="NULL"))

"""Object stores and Iceberg tables, through DuckDB's extensions: the counts are those of the same rows in a local file."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import SHOAL

from engines import Adversarial

GRID = ["--columns", "x,f,n,w", "--bounds", "x=0:1,f=-1:1,n=0:1,w=A|B|17:category", "--grid", "10"]
SEEDED = ["--percentile", "10", "--epsilon", "1", "--technique", "privthr", "--seed", "1", "--json", "-"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with DuckDB's extensions, as docs/engines.md says."""
    folder = tmp_path_factory.mktemp("home")
    installed = folder / ".duckdb" / "extensions" / f"v{duckdb.__version__}" / "linux_amd64"
    installed.mkdir(parents=True)
    for name in ("httpfs", "avro", "iceberg"):
        package = importlib.util.find_spec(f"duckdb_extension_{name}")
        files = [] if package is None else list(pathlib.Path(package.origin).parent.rglob(f"{name}.duckdb_extension"))
        if not files:
            pytest.skip(f"DuckDB's extension {name} is not installed: pip install duckdb-extension-{name}=={duckdb.__version__}")
        (installed / files[0].name).symlink_to(files[0])
    return folder


@pytest.fixture(scope="module")
def table():
    """Without times: Iceberg keeps microseconds of them."""
    arrow = Adversarial().arrow().drop_columns("t")
    return arrow.set_column(3, "w", arrow.column("w").cast(pa.string()))


@pytest.fixture
def run(home, tmp_path):
    def run(*words):
        return subprocess.run([str(SHOAL), *map(str, words)], cwd=tmp_path, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True)

    return run


@pytest.fixture
def expected(run, table, tmp_path):
    pq.write_table(table, tmp_path / "local.parquet")
    return run("release", "local.parquet", *GRID, *SEEDED).stdout


@pytest.fixture(scope="module")
def store(home, table):
    """Moto's S3: two objects, and a persistent secret of DuckDB for the owner."""
    moto = pytest.importorskip("moto.server", reason="Moto is not installed: pip install 'moto[s3]' flask flask-cors")
    boto3 = pytest.importorskip("boto3")
    server = moto.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    endpoint = "{}:{}".format(*server.get_host_and_port())
    client = boto3.client("s3", endpoint_url=f"http://{endpoint}", region_name="us-east-1", aws_access_key_id="owner", aws_secret_access_key="sesame")
    client.create_bucket(Bucket="city")
    for i, first in enumerate(range(0, len(table), 700)):
        sink = pa.BufferOutputStream()
        pq.write_table(table.slice(first, 700), sink, row_group_size=100)
        client.put_object(Bucket="city", Key=f"trips/{i}.parquet", Body=sink.getvalue().to_pybytes())
    config = {"extension_directory": str(home / ".duckdb" / "extensions"), "secret_directory": str(home / ".duckdb" / "stored_secrets")}
    with duckdb.connect(config=config) as owner:
        owner.execute("load httpfs")
        owner.execute(f"create persistent secret (type s3, key_id 'owner', secret 'sesame', endpoint '{endpoint}', url_style 'path', use_ssl false)")
    yield client
    server.stop()


def test_objects_of_a_store_are_counted_as_files(run, store, expected):
    assert run("release", "s3://city/trips/*.parquet", *GRID, *SEEDED).stdout == expected != ""


def test_faults_of_a_store(run, store, tmp_path):
    assert run("ledger", "create", "l.db", "--dataset", "d", "--cap", "1").returncode == 0
    before, files = run("ledger", "show", "l.db").stdout, sorted(tmp_path.iterdir())
    charged = ["--percentile", "10", "--epsilon", "1", "--ledger", "l.db", "--dataset", "d", "-o", "r.json"]
    for place in ("s3://city/none.parquet", "s3://nowhere/trips/*.parquet", "s3://city/none/*.parquet"):
        done = run("release", place, *GRID, *charged)
        assert done.returncode == 3 and done.stderr.count("\n") == 1 and "DuckDB cannot read" in done.stderr, done.stderr
        assert "sesame" not in done.stderr and "127.0.0.1" not in done.stderr
    assert run("ledger", "show", "l.db").stdout == before and sorted(tmp_path.iterdir()) == files


def test_an_iceberg_table_is_its_current_rows(run, table, expected, tmp_path):
    catalogs = pytest.importorskip("pyiceberg.catalog.sql", reason="pyiceberg is not installed: pip install 'pyiceberg[sql-sqlite]'")
    catalog = catalogs.SqlCatalog("own", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/warehouse")
    catalog.create_namespace("city")
    trips = catalog.create_table("city.trips", table.schema)
    trips.append(table.slice(0, 500))
    trips.append(table.slice(0, 500).set_column(5 - 1, "u", pa.array([1000] * 500, pa.int64())))
    trips.append(table.slice(500))
    trips.delete("u = 1000")
    place = "iceberg:" + trips.metadata_location.removeprefix("file://")
    assert run("release", place, *GRID, *SEEDED).stdout == expected != ""
    assert run("cluster", place, *GRID, "--where", "u < 0", "--json", "-").returncode == 0
    done = run("cluster", place.replace("metadata.json", "metadata.none"), *GRID)
    assert done.returncode == 3 and done.stderr.count("\n") == 1

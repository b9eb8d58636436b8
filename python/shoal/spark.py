"""Releases of Spark DataFrames: the cluster counts records per cell, and this process draws the noise.

Only DataFrame operations are used, so Spark Connect and managed clusters work too. docs/spark.md shows how, and what the
operators of a cluster can see.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _input
from ._counts import COUNT, METADATA, counted_grid, release_counts
from ._estimators import PrivateWaveCluster
from ._options import decimal_text
from ._release import Release
from ._release_set import ReleaseSet

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal")
_WHOLE = ("byte", "short", "integer", "long")
_TIMES = ("timestamp", "timestamp_ntz", "date")
_MOST_EDGES = 1 << 16  # maximum edges of an axis on a curved scale; the edges are part of the query
_MOST_BY_MIN = 1000  # maximum records per unit that min_by keeps in memory; more are ranked by a window
_PARTS = 1 << 16  # parts of the weight that the records of a unit share
_NOBODY = -1  # the cell of records without a unit, which are refused
_OLDEST = (3, 5)  # oldest supported version of Spark


def release(model: PrivateWaveCluster, df: DataFrame) -> Release | ReleaseSet:
    """Spend epsilon on one release of a Spark DataFrame.

    The cluster counts the records of each cell. It keeps at most max_contributions records per unit, or distributes one count per unit
    with contribution="share". Only the counts of occupied cells reach this process, where the noise is drawn. The model is not fitted.

    Parameters
    ----------
    model : PrivateWaveCluster
        The parameters of the release. Its columns, bounds or axes must name the columns. The technique "baseline" needs the points, and so
        do groups.
    df : pyspark.sql.DataFrame
        The records, from Spark or Spark Connect. Only the named columns are read.

    Returns
    -------
    Release, or ReleaseSet if the model has insets
    """
    model._check()
    if model.technique == "baseline":
        raise ValueError("baseline needs the points; give another technique")
    model.plan(len(_names(model)))  # before the cluster is asked
    if model.ledger is not None:
        _core.check_budget(os.fspath(model.ledger), model.dataset or "", decimal_text(model.epsilon, "epsilon"))  # type: ignore[arg-type]
    return release_counts(model, _counted(df, model))


def counts(model: PrivateWaveCluster, df: DataFrame) -> pyarrow.Table:
    """Count the records of a Spark DataFrame. The counts are raw: for the data owner only.

    Returns an Arrow table with one column of cell indices per axis and a column "count". shoal.release_counts accepts the table; its
    metadata state the grid of the counts. With contribution="share", the counts are in parts, 65536 per unit.
    """
    model._check()
    return _counted(df, model)


def _counted(df: DataFrame, model: PrivateWaveCluster, key: str | None = None) -> pyarrow.Table:
    """Return sparse counts of the frame. key has 32 hexadecimal digits and is drawn here unless a test gives it."""
    import pyarrow

    if _version(df.sparkSession.version) < _OLDEST:
        raise ValueError(f"Spark {df.sparkSession.version} is older than {_OLDEST[0]}.{_OLDEST[1]}, the oldest that was tested; use a newer one, or count there and give shoal.release_counts the counts")
    names = _names(model)
    grid = counted_grid(model, names)
    types = _types(df, [*names] if model.unit == _input.RECORD else [*names, model.unit])
    cells = _cells(df, grid, types, model)
    key = key or secrets.token_hex(16)
    if model.contribution == "share":
        found = _to_arrow(_shared(cells, key))
    elif model.unit != _input.RECORD:
        found = _to_arrow(_bounded(cells, int(model.max_contributions or 0), key).groupBy("cell").count())
    else:
        found = _to_arrow(cells.groupBy("cell").count())
    found = found.filter(found.column("cell").is_valid())
    index, values = found.column("cell").to_numpy(), found.column("count")
    if (index == _NOBODY).any():
        raise ValueError("a row has an empty unit; give every row its unit")
    places = np.unravel_index(index, grid.shape)
    table = pyarrow.table([*map(pyarrow.array, places), values], names=[*names, COUNT])
    return table.replace_schema_metadata({METADATA: grid.json})


def _names(model: PrivateWaveCluster) -> list[str]:
    names = _input.named(model).names
    if names is None:
        raise ValueError("name the columns to read: give columns, or bounds as a dict of names to pairs")
    if COUNT in names:
        raise ValueError(f"a column of the points is named '{COUNT}', as that of the counts; rename it")
    return names


def _to_arrow(df: DataFrame) -> pyarrow.Table:
    if hasattr(df, "toArrow"):  # Spark 4.0 or later
        return df.toArrow()
    import pyarrow

    # A column with nulls would become one of floats.
    return pyarrow.Table.from_pandas(df.where("cell is not null").toPandas(), preserve_index=False)


def _types(df: DataFrame, names: list[str]) -> dict[str, str]:
    """Return the types of these columns."""
    found = {}
    for name in names:
        place = _input._place(df.columns, name, "")
        kind = df.schema[place].dataType
        found[name] = kind.simpleString() if kind.simpleString().startswith("string ") else kind.typeName()  # string collate ...
    return found


def _column(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _double(x: float) -> str:
    """Write a double in SQL exactly. A bare number would be a decimal."""
    return f"cast('{float(x)!r}' as double)"


def _text(value: str) -> str:
    """Write any text in SQL, independently of how the session reads escapes."""
    return f"decode(unhex('{value.encode().hex()}'), 'UTF-8')"


def _trimmed(column: str) -> str:
    return f"trim(both ' \t' from cast({column} as string))"


def _cells(df: DataFrame, grid: _core.Grid, types: dict[str, str], model: PrivateWaveCluster) -> DataFrame:
    """Return the cell of each record as its index in the grid (last axis fastest), or null if it lies in no cell.

    With a unit, only the records in a cell are returned, with their unit.
    """
    facts = json.loads(grid.json)
    axes = [_AxisSql(i, axis, fact, types[fact["name"]]) for i, (axis, fact) in enumerate(zip(grid.axes, facts))]
    clamp = model.outside == "clamp"
    unit, kept = [], []
    if model.unit != _input.RECORD:
        if types[model.unit] not in (*_WHOLE, "string"):
            raise TypeError(f"units must be strings or whole numbers, not {types[model.unit]}; convert column '{model.unit}' to strings")
        unit, kept = [f"coalesce({_trimmed(_column(model.unit))}, '') as unit"], ["unit"]
    frame = df.selectExpr(*[f"{axis.coordinate(clamp)} as {axis.x}" for axis in axes], *unit)
    frame = frame.selectExpr(*[f"{axis.guess()} as {axis.cell}" for axis in axes], *[axis.x for axis in axes], *kept)
    frame = frame.selectExpr(*[f"{axis.corrected()} as {axis.cell}" for axis in axes], *kept)
    number = axes[0].cell
    for axis in axes[1:]:
        number = f"({number} * {axis.count}L + {axis.cell})"
    frame = frame.selectExpr(f"{number} as cell", *kept)
    if not kept:
        return frame  # a filter would compute every cell twice; records in no cell are one row of the counts
    return frame.where("cell is not null").selectExpr(f"case when unit = '' then {_NOBODY}L else cell end as cell", "unit")


class _AxisSql:
    """One axis in SQL. Its cells equal those of the core (axis.hpp) exactly: the same operations on the same doubles."""

    def __init__(self, place: int, axis: _core.Axis, facts: dict[str, Any], kind: str) -> None:
        self._axis, self._facts, self._type = axis, facts, kind
        self.x, self.cell, self.count = f"x{place}", f"c{place}", axis.cells
        self._scale = facts.get("scale")
        self._circle = facts.get("border") == "circle"
        named = "names" in facts
        self._plain = self._scale is None and not self._circle and not named
        time = self._scale == "time"
        wanted = (*_NUMBERS, *_TIMES) if time else (*_WHOLE, "string") if named else _NUMBERS
        if kind not in wanted:
            what = "timestamps, dates or numbers" if time else "strings or whole numbers" if named else "numbers"
            raise TypeError(f"column '{axis.name}' has the type {kind}; convert it to {what}")
        self._curved = self._scale in ("log", "latitude") or facts.get("least") == "month"
        if self._curved and axis.cells > _MOST_EDGES:
            raise ValueError(f"axis '{axis.name}' has {axis.cells} cells on a curved scale; choose at most {_MOST_EDGES}")

    def coordinate(self, clamp: bool) -> str:
        """The column as a coordinate of the axis, or null if it has none."""
        column = _column(self._axis.name)
        if "names" in self._facts:
            names = ", ".join(map(_text, self._facts["names"]))
            return f"cast(nullif(array_position(array({names}), {_trimmed(column)}), 0) - 1 as double)"
        x = f"cast({column} as double)"
        if self._type == "timestamp":  # edges are whole seconds
            x = f"cast(unix_seconds({column}) as double)"
        elif self._type == "timestamp_ntz":
            day, hours = f"unix_date(cast({column} as date)) * {_double(86400)}", f"hour({column}) * 3600 + minute({column}) * 60"
            x = f"({day} + {hours} + cast(second({column}) as int) - {self._axis.offset})"
        elif self._type == "date":
            x = f"(unix_date({column}) * {_double(86400)} - {self._axis.offset})"
        elif self._scale == "time":
            x = f"({x} / {_double(self._axis.a_second)})"
        if self._circle:
            lo, width = _double(self._axis.lo), _double(self._axis.hi - self._axis.lo)
            turned = f"({lo} + (({x} - {lo}) % {width}))"
            turned = f"case when {turned} < {lo} then {turned} + {width} else {turned} end"
            turned = f"case when {turned} < {_double(self._axis.hi)} then {turned} else {lo} end"
            inside = f"{x} >= {lo} and {x} < {_double(self._axis.hi)}"
            finite = f"{x} > {_double(-math.inf)} and {x} < {_double(math.inf)}"
            return f"case when {inside} then {x} when {finite} then {turned} end"
        if clamp:
            lo, last = _double(self._axis.lo), _double(self._last())
            return f"case when isnan({x}) then null when {x} < {lo} then {lo} when {x} > {last} then {last} else {x} end"
        return x

    def guess(self) -> str:
        """The cell of a coordinate. On a curved scale or a circle, it may be off by one cell."""
        axis, x = self._axis, self.x
        lo, hi, cells = _double(axis.lo), _double(self._last()), _double(axis.cells)
        position, first, width = x, axis.lo, axis.hi - axis.lo
        if self._scale == "log":
            position, first, width = f"ln({x})", axis.position(axis.lo), axis.position(axis.hi) - axis.position(axis.lo)
        elif self._scale == "latitude":
            position, first = f"degrees(sin(radians({x})))", axis.position(axis.lo)
            width = axis.position(axis.hi) - first
        index = f"least(floor(({position} - {_double(first)}) * {cells} / {_double(width)}), {axis.cells - 1}L)"
        index = index if self._plain else f"greatest({index}, 0L)"
        return f"case when {x} >= {lo} and {x} <= {hi} then {index} end"

    def corrected(self) -> str:
        """The cell whose edges enclose the coordinate."""
        cell, x = self.cell, self.x
        if self._plain or "names" in self._facts:
            return cell
        below, above = self._edge(cell), self._edge(f"({cell} + 1)")
        down, up = f"{cell} > 0 and {x} < {below}", f"{cell} < {self.count - 1} and {x} >= {above}"
        return f"case when {down} then {cell} - 1 when {up} then {cell} + 1 else {cell} end"

    def _edge(self, place: str) -> str:
        axis = self._axis
        if self._curved:
            edges = ",".join(repr(axis.edge(j)) for j in range(axis.cells + 1))
            return f"element_at(cast(split('{edges}', ',') as array<double>), cast({place} + 1 as int))"
        return f"({_double(axis.lo)} + {_double(axis.hi - axis.lo)} * (cast({place} as double) / {_double(axis.cells)}))"

    def _last(self) -> float:
        """The largest coordinate in a cell. The end of an axis of times is in no cell, because the next day begins there."""
        return math.nextafter(self._axis.hi, self._axis.lo) if self._scale == "time" else self._axis.hi


def selected(df: DataFrame, condition: str) -> DataFrame:
    """Return the rows for which a condition holds (docs/where.md), as shoal.where does."""
    columns = _core.condition_columns(condition)
    types = _types(df, columns)
    kinds = []
    for name in columns:
        kind = "number" if types[name] in _NUMBERS else "date" if types[name] in _TIMES else "text"
        if kind == "text" and types[name] not in ("string", "boolean"):
            raise TypeError(f"column '{name}' has the type {types[name]}, which a condition cannot compare; use numbers, strings, dates or booleans")
        kinds.append(kind)
    return df.where(_condition(json.loads(_core.condition_json(condition, kinds)), columns, types))


def _condition(node: Any, columns: list[str], types: dict[str, str]) -> str:
    """A part of a condition in SQL. Literals are numbers and texts that Shoal writes; names are in quotes."""
    if node[0] in ("and", "or"):
        return "(" + f" {node[0]} ".join(_condition(part, columns, types) for part in node[1]) + ")"
    if node[0] == "not":
        return f"(not {_condition(node[1][0], columns, types)})"
    test, place, compared, values = node
    name = columns[place]
    value = _tested(name, types[name])
    if test == "is null":
        return f"({value} is null)"
    is_text = types[name] in ("string", "boolean")
    if is_text and compared == "date":
        raise TypeError(f"column '{name}' has the type {types[name]}; convert it to timestamps to compare it with dates")
    if is_text and compared == "number":
        value = _number(value)
    literals = [_text(each) if compared == "text" else _double(_microseconds(each) if compared == "date" else each) for each in values]
    if test == "in":
        return f"({value} in ({', '.join(literals)}))"
    if test == "between":
        return f"({value} between {literals[0]} and {literals[1]})"
    return f"({value} {test} {literals[0]})"


def _tested(name: str, kind: str) -> str:
    """The value of a column in a condition: a text, a double, or microseconds since 1970 as a double. Null if there is none."""
    column = _column(name)
    if kind in ("string", "boolean"):
        return f"nullif({_trimmed(column)}, '')"
    if kind == "timestamp":
        return f"cast(unix_micros({column}) as double)"
    if kind == "date":
        return f"(unix_date({column}) * {_double(86400e6)})"
    if kind == "timestamp_ntz":
        day, minutes = f"unix_date(cast({column} as date)) * {_double(86400e6)}", f"(hour({column}) * 60 + minute({column})) * {_double(60e6)}"
        return f"({day} + {minutes} + cast(date_part('second', {column}) * 1000000 as double))"
    return f"nullif(cast({column} as double), {_double(math.nan)})"


def _microseconds(seconds: float) -> float:
    """Convert seconds since 1970 to microseconds. As doubles, seconds have an error of at most a quarter of a microsecond until the year 2100."""
    micros = seconds * 1e6
    return round(micros) if abs(micros - round(micros)) <= 0.25 else micros


def _number(value: str) -> str:
    """Parse a text as a number, as the core does. Null if it is not a number."""
    plain = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
    infinite = "'inf', '+inf', 'infinity', '+infinity'"
    return (
        f"case when regexp_extract({value}, '{plain}', 0) = {value} then try_cast({value} as double) when lower({value}) in ({infinite}) then {_double(math.inf)} "
        f"when lower({value}) in ('-inf', '-infinity') then {_double(-math.inf)} end"
    )


def _bounded(cells: DataFrame, most: int, key: str) -> DataFrame:
    """Keep at most `most` records per unit: those of the smallest rank, as the core ranks them (contributions.hpp).

    The records of a unit in one cell are copies 1, 2, 3 and so on. The rank of a record is xxhash64 of key, unit, cell and copy. What is
    kept of a unit therefore depends only on its own records and the key, and not on the order of rows or on retries of a task.
    """
    copies = _with_key(cells, key).selectExpr("unit", "cell", "key", "explode(sequence(1L, `count`)) as copy")
    ranked = copies.selectExpr("unit", "cell", f"{_rank('copy')} as rank")
    if most <= _MOST_BY_MIN and _version(cells.sparkSession.version) >= (4, 2):
        functions = _functions(cells)
        kept = ranked.groupBy("unit").agg(functions.expr(f"min_by(cell, rank, {most})").alias("cells"))
        return kept.selectExpr("explode(cells) as cell")
    place = "row_number() over (partition by unit order by rank) as place"
    return ranked.selectExpr("cell", place).where(f"place <= {most}").select("cell")


def _shared(cells: DataFrame, key: str) -> DataFrame:
    """Distribute one weight per unit over the cells of its records, in whole parts, as the core does (contributions.hpp).

    Parts that remain after rounding down go to the largest remainders. Ties go to the smallest rank of a copy 0.
    """
    found = _with_key(cells, key).selectExpr("unit", "cell", f"{_rank('0L')} as rank", f"`count` * {_PARTS}L as product", "sum(`count`) over (partition by unit) as records")
    found = found.selectExpr("unit", "cell", "rank", "product div records as part", "product % records as remainder")
    left = f"{_PARTS}L - sum(part) over (partition by unit) as rest"
    place = "row_number() over (partition by unit order by remainder desc, rank, cell) as place"
    found = found.selectExpr("cell", "part", left, place).selectExpr("cell", "part + if(place <= rest, 1L, 0L) as parts").where("parts > 0")
    return found.groupBy("cell").agg(_functions(cells).expr("sum(parts)").alias("count"))


def _with_key(cells: DataFrame, key: str) -> DataFrame:
    """Count the records per unit and cell, and add the key to each row.

    The key comes from a table of one row, because plans are logged and show literals.
    """
    drawn = cells.sparkSession.createDataFrame([(key,)], "key string").hint("broadcast")
    # Partitioning once by unit avoids a second shuffle: the groups by unit and cell, and then by unit, need none.
    return cells.repartition("unit").groupBy("unit", "cell").count().crossJoin(drawn)


def _rank(copy: str) -> str:
    return f"xxhash64(key, unit, cell, {copy})"


def _functions(df: DataFrame) -> Any:
    """Return the functions for the kind of session of the frame. A process can have both kinds."""
    if type(df).__module__.startswith("pyspark.sql.connect"):
        import pyspark.sql.connect.functions as functions
    else:
        import pyspark.sql.functions as functions
    return functions


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])

"""A stream of rows, and what can be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headrace.connect.sink import Sink
from headrace.errors import InvalidExpression, InvalidOption, NothingToRun, UnknownColumn, Unsupported
from headrace.model.expression import Expr, Expression, expr
from headrace.model.modes import Output, choice
from headrace.model.schema import Declared, schema
from headrace.model.windows._window import Window
from headrace.origin import here
from headrace.plan import nodes
from headrace.plan.nodes import Job, Node
from headrace.streams.outputs import default_output, fits
from headrace.time import Duration

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headrace.streams.keyed import KeyedStream
    from headrace.streams.windowed import WindowedStream


class Stream:
    """Rows that keep coming. Every verb gives a new stream and leaves this one as it is."""

    def __init__(self, node: Node, job: Job | None) -> None:
        self._node = node
        self._job = job

    def where(self, condition: Expression) -> Stream:
        """Keep the rows for which the condition holds."""
        return self._then(nodes.Where(input=self._node, condition=expr(condition), origin=here()))

    def select(self, *columns: Expression, **named: Expression) -> Stream:
        """Keep just these columns; `name=expression` names its result."""
        chosen = (*(expr(column) for column in columns), *_named(named))
        if not chosen:
            raise InvalidExpression("select() was given no column", hint="name at least one: .select('id')")
        return self._then(nodes.Select(input=self._node, columns=chosen, origin=here()))

    def with_column(self, name: str, value: Expression) -> Stream:
        """Add a column, or replace the one of that name."""
        return self.with_columns(**{name: value})

    def with_columns(self, **named: Expression) -> Stream:
        """Add or replace several columns; each sees the columns as they were before."""
        if not named:
            raise InvalidExpression(
                "with_columns() was given no column", hint="write .with_columns(total='a + b')"
            )
        return self._then(nodes.WithColumns(input=self._node, columns=_named(named), origin=here()))

    def drop(self, *names: str) -> Stream:
        """Leave these columns out."""
        return self._then(nodes.Drop(input=self._node, names=_names(names, "drop"), origin=here()))

    def rename(self, names: Mapping[str, str] | None = None, /, **more: str) -> Stream:
        """Give columns new names: `rename(old="new")`, or a dict of old to new."""
        pairs = tuple({**(names or {}), **more}.items())
        if not pairs:
            raise InvalidOption("rename() was given no name", hint="write .rename(old='new')")
        return self._then(nodes.Rename(input=self._node, names=pairs, origin=here()))

    def map(self, function: Callable[[Any], Any], schema: Declared) -> Stream:
        """Turn each row into one: the function takes a row (fields as attributes), gives a dict or tuple."""
        return self._map(function, schema, flat=False)

    def flat_map(self, function: Callable[[Any], Iterable[Any]], schema: Declared) -> Stream:
        """Turn each row into any number of rows: the function returns or yields dicts or tuples."""
        return self._map(function, schema, flat=True)

    def union(self, *others: Stream) -> Stream:
        """The rows of all these streams, which must have the same columns (in any order)."""
        for other in others:
            if not isinstance(other, Stream):
                raise InvalidOption(f"{other!r} is not a stream", hint="give streams: a.union(b, c)")
        if not others:
            raise InvalidOption("union() was given no other stream", hint="write a.union(b)")
        several = (self._node, *(other._node for other in others))
        job = next((stream._job for stream in (self, *others) if stream._job is not None), None)
        return Stream(nodes.Union(several=several, origin=here()), job)

    def sql(self, query: str) -> Stream:
        """A SELECT over this stream, called {stream}: `sql("SELECT page FROM {stream} WHERE code = 500")`."""
        if not isinstance(query, str) or "{stream}" not in query:
            raise InvalidExpression("the query does not read {stream}", hint="write … FROM {stream} …")
        return self._then(nodes.Sql(input=self._node, query=query, origin=here()))

    def key_by(self, *keys: Expression, **named: Expression) -> KeyedStream:
        """Treat the rows of each key as a stream of its own."""
        from headrace.streams.keyed import KeyedStream

        chosen = (*(expr(key) for key in keys), *_named(named))
        if not chosen:
            raise InvalidExpression("key_by() was given no key", hint="name one: .key_by('station_id')")
        return KeyedStream(self._node, self._job, chosen)

    def agg(self, **aggregates: Expression) -> Stream:
        """A running result over all rows: `agg(n="count(*)")`."""
        return self._then(
            nodes.Aggregate(input=self._node, keys=(), aggregates=aggregates_of(aggregates), origin=here())
        )

    def window(
        self,
        window: Window,
        *,
        lateness: Duration = "0 seconds",
        late: str | None = None,
        ttl: Duration | None = None,
    ) -> WindowedStream:
        """Cut all rows into windows, without a key; the rest as for a stream with keys."""
        from headrace.streams.windowed import cut

        return cut(self._node, self._job, (), window, lateness, late, ttl)

    def write(self, sink: Sink, *, name: str | None = None, output: str | None = None) -> None:
        """End the stream in a sink. `output` is append (final rows), update (changed rows) or complete (all).

        Left out, it is append, and update for a result that has no final rows (one without a window) and for
        windows with a trigger that tells them more than once.
        """
        if not isinstance(sink, Sink):
            raise InvalidOption(
                f"{type(sink).__name__} is not a sink",
                hint="give one: hr.kafka('topic'), hr.console(), hr.files(…)",
            )
        if self._job is None:
            raise NothingToRun(
                "the stream belongs to no app, so nothing would run it",
                hint="read it with app.read(df), or use its .df with Spark's own writeStream",
            )
        kind = choice(Output, output, "output") if output else default_output(self._node)
        fits(self._node, sink, kind)
        called = name or unused(sink.address, {write.name for write in self._job.writes})
        if called in {write.name for write in self._job.writes}:
            raise InvalidOption(f"two outputs are named '{called}'", hint="give one of them another name=")
        self._job.writes.append(
            nodes.Write(input=self._node, sink=sink, name=called, output=kind, origin=here())
        )

    @property
    def rejected(self) -> Stream:
        """The rows of the source that could not be read, with topic, partition, offset, bytes and reason."""
        if not isinstance(self._node, nodes.Read):
            raise Unsupported(
                "only a stream that comes straight from app.read() has rejected rows",
                hint="take .rejected of the stream that app.read() gave",
            )
        return self._then(nodes.Rejected(read=self._node, origin=here()))

    @property
    def df(self) -> DataFrame:
        """The stream as a Spark DataFrame, to go on with in Spark's own API."""
        from headrace.spark.compile import to_frame

        return to_frame(self._node)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._node})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "late":
            raise AttributeError(
                "only what .window(…).agg(…) gives has late rows; take .late of that, before the next verb"
            )
        verbs = [verb for verb in dir(type(self)) if not verb.startswith("_")]
        raise _no_such(type(self).__name__, name, verbs)

    def _map(self, function: Callable[..., Any], declared: Declared, *, flat: bool) -> Stream:
        if not callable(function):
            raise InvalidOption(f"{function!r} is not a function", hint="give a function of one row")
        return self._then(
            nodes.MapRows(
                input=self._node,
                function=function,
                schema=replace(schema(declared), origin=here()),
                flat=flat,
                origin=here(),
            )
        )

    def _then(self, node: Node) -> Stream:
        return Stream(node, self._job)


def aggregates_of(named: dict[str, Expression]) -> tuple[Expr, ...]:
    if not named:
        raise InvalidExpression("agg() was given no aggregate", hint="name one: .agg(n='count(*)')")
    return _named(named)


def unused(name: str, taken: set[str]) -> str:
    """The name, or the first of name-2, name-3, … that is free."""
    count, free = 1, name
    while free in taken:
        count += 1
        free = f"{name}-{count}"
    return free


def _named(named: dict[str, Expression]) -> tuple[Expr, ...]:
    return tuple(expr(value, name) for name, value in named.items())


def _names(names: tuple[str, ...], verb: str) -> tuple[str, ...]:
    if not names or not all(isinstance(name, str) for name in names):
        raise InvalidOption(f"{verb}() takes names of columns", hint=f"write .{verb}('a', 'b')")
    return names


def _no_such(kind: str, name: str, verbs: list[str]) -> Exception:
    error = UnknownColumn(name, verbs, stream=kind)
    return AttributeError(f"{kind} has no '{name}': {error.hint}".replace("the columns are", "it has"))

"""What a user sees of each thing that can be wrong: the own line, what, and what next; no frames of ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Fails = Callable[..., Any]

WINDOW = 'rows.key_by("id").window(hr.tumbling("1 minute"), late="drop")'
ID_N_T = "the columns are: id, n, t"
SYNTAX = "check the expression's spelling, brackets and quotes"

BAD_LINES = {
    "where": ('rows.where("valeu > 3")', "UnknownColumn: no column 'valeu' in the stream", ID_N_T),
    "select": (
        'rows.select("id", "nn")',
        "UnknownColumn: no column 'nn' in the stream",
        f"did you mean 'n'? ({ID_N_T})",
    ),
    "a Column": (
        'rows.select(F.col("nn"))',
        "UnknownColumn: no column 'nn' in the stream",
        f"did you mean 'n'? ({ID_N_T})",
    ),
    "with_columns": (
        'rows.with_columns(x="idd")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "key_by": (
        'rows.key_by("idd").agg(n="count(*)")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "key_by reduce": (
        'rows.key_by("idd").reduce(lambda a, b: a)',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "window key": (
        'rows.key_by("idd").window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "aggregate": (
        f'{WINDOW}.agg(n="max(nnn)")',
        "UnknownColumn: no column 'nnn' in the stream",
        f"did you mean 'n'? ({ID_N_T})",
    ),
    "drop": (
        'rows.drop("idd")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "rename": (
        'rows.rename(idd="x")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "sql": (
        'rows.sql("SELECT idd FROM {stream}")',
        "UnknownColumn: no column 'idd' in the stream",
        f"did you mean 'id'? ({ID_N_T})",
    ),
    "sql syntax": (
        'rows.sql("SELEC id FROM {stream}")',
        "InvalidExpression: cannot read the expression: syntax error at 'SELEC'",
        SYNTAX,
    ),
    "sql table": (
        'rows.sql("SELECT id FROM {stream} JOIN other USING (id)")',
        "InvalidExpression: The table or view `other` cannot be found. "
        "Verify the spelling and correctness of the schema and catalog",
        "the stream is {stream}; any other table must be one that Spark knows, or a temporary view",
    ),
    "sql braces": (
        'rows.sql("SELECT id FROM {stream} JOIN {other}")',
        "InvalidExpression: the query has braces that are not {stream}: 'other'",
        "write {stream} for the stream, and {{ }} where the text itself has braces",
    ),
    "event_time": (
        'app.read(hr.files("in", "json", schema="id string, ts timestamp"), event_time="tss", name="x")',
        "UnknownColumn: no column 'tss' in 'x'",
        "did you mean 'ts'? (the columns are: id, ts)",
    ),
    "event_time type": (
        'app.read(hr.files("in", "json", schema="id string, ts string"), event_time="ts", name="x")',
        "InvalidSchema: event time 'ts' is string, not timestamp",
        "declare it as one: 'ts timestamp'",
    ),
    "schema": (
        'app.read(hr.files("in", "json", schema="id strin"), name="x")',
        "InvalidSchema: 'id strin' is not a schema: unsupported data type \"STRIN\"",
        "write name and type pairs: 'station_id string, value double'",
    ),
    "schema commas": (
        'app.read(hr.files("in", "json", schema="id string,, n int"), name="x")',
        "InvalidSchema: 'id string,, n int' is not a schema: syntax error at or near ','",
        "write name and type pairs: 'station_id string, value double'",
    ),
    "no schema": (
        'app.read(hr.files("in", "json"), name="x")',
        "InvalidSchema: json files in in cannot be read without a schema",
        "say its columns: schema='id string, value double'",
    ),
    "map schema": (
        'rows.map(lambda row: (row.id,), "id strin")',
        "InvalidSchema: 'id strin' is not a schema: unsupported data type \"STRIN\"",
        "write name and type pairs: 'station_id string, value double'",
    ),
    "union columns": (
        'rows.union(rows.select("id"))',
        "InvalidSchema: the streams have different columns: id, n, t and id",
        "select() the same columns of each before the union",
    ),
    "union types": (
        'rows.select("id", "n").union(rows.select("id", n="array(n)"))',
        "InvalidSchema: column 'n' is int in one stream and array<int> in another",
        "cast it to one type before the union",
    ),
    "function": (
        'rows.where("uper(id) = 1")',
        "InvalidExpression: there is no function 'uper'",
        "check the function's name: https://spark.apache.org/docs/latest/api/sql",
    ),
    "syntax": (
        'rows.where("n > ")',
        "InvalidExpression: cannot read the expression: syntax error at end of input",
        SYNTAX,
    ),
    "types": (
        'rows.where("n + t > 3")',
        'InvalidExpression: Cannot resolve "(n + t)" due to data type mismatch: the left and right operands of '
        'the binary operator have incompatible types ("INT" and "TIMESTAMP")',
        "cast one side, as in CAST(value AS DOUBLE)",
    ),
    "condition": (
        'rows.where("id")',
        'InvalidExpression: Cannot resolve "id" due to data type mismatch: Filter expression "id" of type '
        '"STRING" is not a boolean',
        "a condition is true or false: compare the column, as in value > 3",
    ),
    "no aggregate": (
        'rows.key_by("id").agg(n="n")',
        'InvalidExpression: The non-aggregating expression "n" is based on columns which are not participating '
        "in the GROUP BY clause",
        "wrap the column in an aggregate, such as max() or any_value()",
    ),
    "aggregate in select": (
        'rows.select("id", "count(*)")',
        "InvalidExpression: The query does not include a GROUP BY clause. "
        "Add GROUP BY or turn it into the window functions using OVER clauses",
        "aggregate with .key_by(…).agg(…) or .agg(…)",
    ),
    "late rows that are dropped": (
        f'{WINDOW}.agg(n="count(*)").late',
        "Unsupported: the window drops its late rows, as late='drop' says",
        "leave late='drop' out, and they are a stream",
    ),
    "lateness of a count": (
        'rows.window(hr.count(3), lateness="1 minute").agg(n="count(*)")',
        "InvalidWindow: lateness 1 minute for 'count 3', which has no end in event time",
        "leave lateness out: no row is late for such a window",
    ),
    "a trigger that never fires": (
        'rows.window(hr.tumbling("1 minute")).trigger(hr.all_of(hr.each_row(), hr.never())).agg(n="count(*)")',
        "InvalidTrigger: all of (each row, never) can never fire",
        "leave never() out of it; never() alone stands as early= or late= of at_watermark()",
    ),
    "no event time": (
        'rows.select("id").window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)")',
        "InvalidWindow: the stream has no event time to cut windows by",
        "name its column where it is read: app.read(…, event_time='ts'), and keep that column; "
        "or cut by processing time: on='processing'",
    ),
    "ttl without event time": (
        'app.read(hr.files("in", "text"), name="lines").window(hr.count(3), ttl="1 hour").agg(n="count(*)")',
        "InvalidWindow: ttl goes by event time, and the stream has none",
        "name its column where it is read: app.read(…, event_time='ts'); or leave ttl out",
    ),
    "slide": (
        'rows.window(hr.sliding("5 seconds", every="10 seconds"), late="drop").agg(n="count(*)")',
        "InvalidWindow: slide 10 seconds > size 5 seconds loses the rows between windows",
        "use every <= 5 seconds",
    ),
}


@pytest.mark.parametrize("line, message, hint", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line(fails: Fails, line: str, message: str, hint: str) -> None:
    told = fails(f"bad = {line}\nbad.write(hr.memory())\napp.run()")
    raised_by = "app.run()" if "app.run()" in told.stderr else "bad = "
    number = next(at for at, text in enumerate(told.lines, 1) if text.startswith(raised_by))
    trace, error = told.stderr.split(message)
    assert trace.splitlines()[:2] == [
        "Traceback (most recent call last):",
        f'  File "{Path.cwd()}/job.py", line {number}, in <module>',
    ]
    assert trace.count('File "') == 1
    assert error == f"\n{told.at('bad = ')}\n  hint: {hint}\n"


BAD_WRITES = {
    "append of a running result": (
        'rows.key_by("id").agg(n="count(*)").write(hr.memory(), output="append")',
        "Unsupported: a running result has no final rows to append",
        "write output='update' (changed rows) or 'complete' (all rows), or cut it into windows",
    ),
    "complete without aggregate": (
        'rows.write(hr.memory(), output="complete")',
        "Unsupported: there is no complete result of a stream without an aggregate",
        "write output='append', or aggregate first",
    ),
    "files of a running result": (
        'rows.key_by("id").agg(n="count(*)").write(hr.files("out", "json"))',
        "Unsupported: 'out' cannot be written so: json files in out takes append, not update",
        "a running result changes for ever; cut it into windows, or write it where rows can be replaced",
    ),
    "files of a changing window": (
        f'{WINDOW}.agg(n="count(*)").write(hr.files("out", "json"), output="update")',
        "Unsupported: 'out' cannot be written so: json files in out takes append, not update",
        "write it with output='append'",
    ),
    "sessions that change": (
        'rows.window(hr.session("1 minute"), late="drop").agg(n="count(*)").write(hr.memory(), output="update")',
        "Unsupported: Spark gives session windows when they are final, not while they change",
        "leave late='drop' out, and the kernel runs it, which does; or write output='append' or 'complete'",
    ),
    "files that would take rows back": (
        'rows.window(hr.count(3)).trigger(hr.each_row(), hr.retracting).agg(n="count(*)")'
        '.write(hr.files("out", "json"))',
        "Unsupported: the window takes panes back, and json files in out cannot give up rows that it has",
        "name hr.accumulating or hr.discarding instead, or write to a sink that takes rows back: "
        "hr.kafka(…), hr.memory(), hr.console(), hr.foreach_batch(…)",
    ),
    "append of early panes": (
        'rows.window(hr.count(3)).trigger(hr.each_row()).agg(n="count(*)").write(hr.memory(), output="append")',
        "Unsupported: output='append' takes final panes alone, and the other panes of 'each row' would never leave",
        "write output='update'; or hand on what is new in each pane: .trigger(…, hr.discarding); "
        "or leave the trigger out",
    ),
    "complete result of the kernel's": (
        'rows.window(hr.count(3)).agg(n="count(*)").write(hr.memory(), output="complete")',
        "Unsupported: a window of the kernel's gives its final or its changed rows, not the complete result",
        "write output='update'",
    ),
    "Spark's state beside the kernel's": (
        'rows.window(hr.count(3)).agg(n="count(*)").agg(m="max(n)").write(hr.memory())',
        "Unsupported: 'aggregate' keeps state in Spark's own operator, and a window of this stream in the kernel; "
        "one query cannot run both",
        "write .window(hr.all_time()).agg(…), which runs on the kernel",
    ),
    "two states that change": (
        f'{WINDOW}.agg(n="count(*)").agg(m="max(n)").write(hr.memory(), output="update")',
        "Unsupported: Spark runs one operator with state in update mode, and this stream has 2",
        "write output='append', or write the first result to a topic and read it in a second app",
    ),
    "complete of a reduce": (
        'rows.key_by("id").reduce(lambda a, b: b).write(hr.memory(), output="complete")',
        "Unsupported: Spark gives no complete result of reduce()",
        "write output='update', or use agg()",
    ),
    "append of a running SQL result": (
        'rows.sql("SELECT id, count(*) AS n FROM {stream} GROUP BY id").write(hr.memory())',
        "InvalidExpression: Invalid streaming output mode: append. This output mode is not supported for streaming "
        "aggregations without watermark on streaming DataFrames/DataSets",
        "write output='update' (changed rows) or 'complete' (all rows), or cut it into windows",
    ),
    "an output of no kind": (
        'rows.write(hr.memory(), output="updat")',
        "InvalidOption: no output 'updat'",
        "did you mean 'update'? (the outputs are: append, update, complete)",
    ),
    "text of many columns": (
        'rows.write(hr.files("out", "text"))',
        "InvalidSchema: a text file holds one string column, but there are: id string, n int, t timestamp",
        "select one first, as in .select(value='concat(id, n)'), or write json",
    ),
}


@pytest.mark.parametrize("line, message, hint", BAD_WRITES.values(), ids=BAD_WRITES)
def test_a_bad_write(fails: Fails, line: str, message: str, hint: str) -> None:
    told = fails(f"{line}\napp.run()")
    assert told.stderr.endswith(f"{message}\n{told.at('.write(')}\n  hint: {hint}\n")
    assert told.stderr.count('File "') == 1
    assert "src/headrace" not in told.stderr


def test_files_that_are_there_are_not_written_over_by_a_batch(fails: Fails, folder: Path) -> None:
    told = fails('rows.write(hr.files("in", "json"))\napp.run(mode="batch")')
    assert told.stderr.endswith(
        f"InvalidExpression: file:{folder}/in exists already\n{told.at('.write(')}\n"
        "  hint: write to another path, or replace what is there: hr.files(…, overwrite=True)\n"
    )


@pytest.mark.parametrize("mode", ["batch", "micro-batch"])
def test_a_missing_path(fails: Fails, mode: str) -> None:
    told = fails(f'app.read(hr.files("inn", "text")).write(hr.memory())\napp.run(mode="{mode}")')
    assert told.stderr.endswith(f"{told.at('inn')}\n  hint: create the folder, or mend the path\n")
    assert "MissingFile: there is no inn to read\n" in told.stderr


def test_an_app_that_writes_nothing(fails: Fails) -> None:
    told = fails("app.run()")
    assert told.stderr.endswith(
        f"NothingToRun: app 'job' writes nothing\n{told.at('app.run()')}\n"
        "  hint: end a stream with .write(hr.console())\n"
    )


def test_two_outputs_of_one_name(fails: Fails) -> None:
    told = fails('rows.write(hr.console(), name="x")\nrows.write(hr.memory(), name="x")')
    assert told.stderr.endswith(
        f"InvalidOption: two outputs are named 'x'\n{told.at('hr.memory()')}\n"
        "  hint: give one of them another name=\n"
    )


def test_two_sources_of_one_name(fails: Fails) -> None:
    told = fails('app.read(hr.files("in", "text"), name="rows")')
    assert told.stderr.endswith(
        f"InvalidOption: two sources are named 'rows'\n{told.at('text')}\n"
        "  hint: give one of them another name=\n"
    )


def test_a_mode_that_is_none(fails: Fails) -> None:
    told = fails('rows.write(hr.memory())\napp.run(mode="microbatch")')
    assert told.stderr.endswith(
        f"InvalidOption: no mode 'microbatch'\n{told.at('microbatch')}\n"
        "  hint: did you mean 'micro-batch'? (the modes are: batch, available-now, micro-batch, real-time)\n"
    )


def test_a_source_without_an_end_in_batch(fails: Fails) -> None:
    told = fails('app.read(hr.rate()).write(hr.memory())\napp.run(mode="batch")')
    assert told.stderr.endswith(
        "Unsupported: 'rate' cannot be run so: the rate source has no end, so it cannot be read in batch\n"
        f"{told.at('hr.rate')}\n  hint: run it in micro-batch\n"
    )


def test_a_batch_dataframe_in_a_stream(fails: Fails) -> None:
    told = fails(
        """
        from pyspark.sql import SparkSession
        app.read(SparkSession.getActiveSession().range(3)).write(hr.memory())
        app.run()
        """
    )
    assert told.stderr.endswith(
        "Unsupported: 'dataframe' cannot be run so: the DataFrame is not a streaming one, so it can be run in "
        f"batch and not in micro-batch\n{told.at('range')}\n  hint: run it in batch\n"
    )


TOPIC = 'topic = app.read(hr.kafka("t", value=hr.json("id string, n int"), servers="localhost:1"))\n'
AGAINST_REAL_TIME = {
    "files": (
        "rows.write(hr.console())  # !",
        "'rows' cannot be run so: Spark's real-time mode reads from Kafka alone",
        "rows = app.read",
        "run it in micro-batch",
    ),
    "memory": (
        "topic.write(hr.memory())  # !",
        "'memory' cannot be written so: Spark's real-time mode writes to Kafka and the console alone",
        "# !",
        "run it in micro-batch",
    ),
    "python": (
        'topic.map(lambda row: (row.id,), "id string").write(hr.console())  # !',
        "the job cannot run in real time: Spark's real-time mode hands rows to no Python function",
        "# !",
        "run it in micro-batch; `headrace explain --mode real-time` lists every reason",
    ),
    "two sinks": (
        'topic.write(hr.console(), name="a")\ntopic.write(hr.console(), name="b")  # !',
        "the job cannot run in real time: Spark's real-time mode feeds one sink a query",
        "# !",
        "run it in micro-batch; `headrace explain --mode real-time` lists every reason",
    ),
    "append": (
        'topic.sql("SELECT id, count(*) AS n FROM {stream} GROUP BY id").write(hr.console())  # !',
        "the job cannot run in real time: Spark's real-time mode gives changed rows alone, not append",
        "# !",
        "run it in micro-batch; `headrace explain --mode real-time` lists every reason",
    ),
}


@pytest.mark.parametrize("lines, message, at, hint", AGAINST_REAL_TIME.values(), ids=AGAINST_REAL_TIME)
def test_what_cannot_run_in_real_time(fails: Fails, lines: str, message: str, at: str, hint: str) -> None:
    told = fails(f'{TOPIC}{lines}\napp.validate(mode="real-time")')
    assert told.stderr.endswith(f"Unsupported: {message}\n{told.at(at)}\n  hint: {hint}\n")


MEND = "mend that line and start again"
BAD_FUNCTIONS = {
    "map": (
        """
        def double(row):
            return {"id": row.id, "x": row.n / 0}  # !
        rows.map(double, "id string, x double").write(hr.memory("m"))
        """,
        f"JobFailed: query 'm' failed: ZeroDivisionError: division by zero\n{{at}}\n  hint: {MEND}\n",
    ),
    "map to other fields": (
        """
        def double(row):
            return {"id": row.id, "y": row.n}
        rows.map(double, "id string, x double").write(hr.memory("m"))  # !
        """,
        "JobFailed: query 'm' failed: TypeError: double() returned a dict without x and with y, "
        f"which the schema does not have; the schema has id, x\n{{at}}\n  hint: {MEND}\n",
    ),
    "map to another type": (
        """
        def double(row):
            return row.id, "many"
        rows.map(double, "id string, x double").write(hr.memory("m"))  # !
        """,
        "JobFailed: query 'm' failed: TypeError: double() returned a 'x' that is not double: "
        f"Could not convert 'many' with type str: tried to convert to double\n{{at}}\n  hint: {MEND}\n",
    ),
    "foreach_batch": (
        """
        def store(frame, number):
            raise ValueError("no disk")  # !
        rows.write(hr.foreach_batch(store))
        """,
        "JobFailed: query 'store' failed: ValueError: no disk\n{at}\n"
        f"  hint: 'store' was being written; {MEND}\n",
    ),
    "foreach_batch with Spark": (
        """
        def store(frame, number):
            frame.select("nope").collect()  # !
        rows.write(hr.foreach_batch(store))
        """,
        "JobFailed: query 'store' failed: AnalysisException: A column, variable, or function parameter with name "
        "`nope` cannot be resolved. Did you mean one of the following? [`id`, `n`, `t`]\n{at}\n"
        f"  hint: 'store' was being written; {MEND}\n",
    ),
}


@pytest.mark.parametrize("mode", ["batch", "micro-batch"])
@pytest.mark.parametrize("lines, told_as", BAD_FUNCTIONS.values(), ids=BAD_FUNCTIONS)
def test_a_function_that_fails(fails: Fails, lines: str, told_as: str, mode: str) -> None:
    lines = "\n".join(line.removeprefix("        ") for line in lines.strip("\n").splitlines())
    told = fails(f'{lines}\napp.run(mode="{mode}")')
    assert told.stderr.endswith(told_as.replace("{at}", told.at("# !")))
    assert told.stderr.count('File "') == 1


def test_a_long_complaint_of_a_function_ends_the_query_too(fails: Fails) -> None:
    """Spark's thread dies of a long text, and the run would wait for ever."""
    told = fails(
        """
        def store(frame, number):
            raise ValueError("no " * 20_000)
        rows.write(hr.foreach_batch(store))
        app.run(mode="available-now")
        """
    )
    assert "JobFailed: query 'store' failed: ValueError: no no no" in told.stderr
    assert len(told.stderr) < 1000
    assert told.at("20_000") in told.stderr


def test_a_function_that_exits_ends_the_query(fails: Fails) -> None:
    told = fails(
        """
        def store(frame, number):
            raise SystemExit(3)
        rows.write(hr.foreach_batch(store))
        app.run(mode="available-now")
        """
    )
    assert f"JobFailed: query 'store' failed: SystemExit: 3\n{told.at('SystemExit')}" in told.stderr


def test_a_value_that_cannot_be_computed(fails: Fails) -> None:
    told = fails('rows.select(x="n / 0").write(hr.memory("m"))\napp.run(mode="available-now")')
    assert "JobFailed: query 'm' failed: Division by zero. Use `try_divide`" in told.stderr
    assert told.at(".write(") in told.stderr
    assert f"  hint: the whole story is in {Path.cwd()}/.headrace/logs/spark.log\n" in told.stderr


ANEW = "put it back; or give this job another name or --checkpoint, or delete that folder to begin anew"
RUN_ONCE = 'rows.key_by("id").agg(n="count(*)").write(hr.memory("m"))\napp.run(mode="available-now", checkpoint="c")\n'
AGAIN = 'app.read(hr.files("in", "json", schema="id string, n int"), name="rows")'


def test_a_checkpoint_of_another_job(fails: Fails, folder: Path) -> None:
    told = fails(
        f'{RUN_ONCE}app = hr.App("other")\n{AGAIN}.key_by("id").agg(n="count(*)").write(hr.memory("m"))\n'
        'app.run(mode="available-now", checkpoint="c")'
    )
    assert told.stderr.endswith(
        f"CheckpointMismatch: the checkpoint in {folder}/c/m belongs to app 'job', not 'other'\n"
        f"{told.at('other')}\n  hint: {ANEW}\n"
    )


def test_a_checkpoint_of_another_shape_of_the_job(fails: Fails, folder: Path) -> None:
    told = fails(
        f'{RUN_ONCE}app = hr.App("job")\n{AGAIN}.key_by("n").agg(n="count(*)").write(hr.memory("m"))  # !\n'
        'app.run(mode="available-now", checkpoint="c")'
    )
    assert told.stderr.endswith(
        f"CheckpointMismatch: the checkpoint in {folder}/c/m holds state for aggregate by id: n = count(*); "
        f"the program now says aggregate by n: n = count(*)\n{told.at('# !')}\n  hint: {ANEW}\n"
    )


def test_a_checkpoint_of_a_query_that_is_not_ours(fails: Fails, folder: Path) -> None:
    (folder / "c" / "m").mkdir(parents=True)
    (folder / "c" / "m" / "metadata").write_text('{"id":"1"}')
    told = fails(RUN_ONCE)
    assert told.stderr.endswith(
        f"CheckpointMismatch: {folder}/c/m holds the checkpoint of a Spark query that Headrace did not start\n"
        f"{told.at('hr.App')}\n  hint: {ANEW}\n"
    )


REALLY = {
    "column": (
        "rows.select('idd').write(hr.memory())",
        "UnknownColumn: no column 'idd' in the stream",
        "idd",
    ),
    "function": (
        "def store(frame, number):\n    raise ValueError('no disk')\nrows.write(hr.foreach_batch(store))",
        "JobFailed: query 'store' failed: ValueError: no disk",
        "no disk",
    ),
}


def test_a_real_process_ends_and_says_the_same(folder: Path, head: str) -> None:
    """No log of Spark's, no frame of ours, no thread that keeps the process alive."""
    running = {}
    for name, (lines, _message, _mark) in REALLY.items():
        (folder / name).mkdir()
        (folder / name / "in").symlink_to(folder / "in")
        (folder / name / "job.py").write_text(f"{head}{lines}\napp.run()\n")
        (folder / name / "headrace.toml").touch()
        running[name] = subprocess.Popen(
            [sys.executable, "job.py"],
            cwd=folder / name,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    for name, process in running.items():
        _lines, message, mark = REALLY[name]
        text = (folder / name / "job.py").read_text().splitlines()
        at = next(number for number, line in enumerate(text, 1) if mark in line)
        _out, err = process.communicate(timeout=200)
        assert process.returncode == 1
        assert err.splitlines()[:4] == [
            "Traceback (most recent call last):",
            f'  File "{folder}/{name}/job.py", line {len(text)}, in <module>',
            "    app.run()",
            message,
        ]
        assert err.splitlines()[4] == f"  at job.py:{at}: {text[at - 1].strip()}"
        assert err.splitlines()[5].startswith("  hint: ") and len(err.splitlines()) == 6

"""Why a query failed: the cause and the user's line, out of what Spark says."""

from __future__ import annotations

import pytest

from headrace.origin import Origin
from headrace.spark.failure import failed, lost_broker, python_cause
from headrace.spark.translate import first_sentence

SAID = """[STREAM_FAILED] Query [id = 1] terminated with exception: Job aborted. SQLSTATE: XXKST
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/venv/lib/python3.11/site-packages/pyspark/python/lib/pyspark.zip/pyspark/worker.py", line 9, in main
    process()
  File "/srv/job.py", line 12, in price
    return row.amount / row.count
           ~~~~~~~~~~~^~~~~~~~~~~
  File "/srv/helper.py", line 3, in divide
    return a / b
ZeroDivisionError: division by zero

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
Caused by: java.lang.RuntimeException: other
"""


def test_the_python_cause_is_at_the_users_last_line() -> None:
    assert python_cause(SAID) == ("ZeroDivisionError: division by zero", Origin("/srv/helper.py", 3))


def test_no_traceback_is_no_python_cause() -> None:
    assert python_cause("java.lang.RuntimeException: no") == (None, None)


def test_a_failure_in_python_is_told_at_its_line() -> None:
    error = failed("q", SAID, Origin("/srv/job.py", 30), "log")
    assert error.message == "query 'q' failed: ZeroDivisionError: division by zero"
    assert error.origin == Origin("/srv/helper.py", 3)


def test_a_failure_in_java_is_its_innermost_cause() -> None:
    said = "[A.B] Outer. SQLSTATE: 1\nCaused by: x.Y: middle\n\tat z\nCaused by: x.Z: [DIVIDE_BY_ZERO] Inner. SQLSTATE: 22012\n"
    error = failed("q", said, Origin("/srv/job.py", 30), "/srv/spark.log")
    assert error.message == "query 'q' failed: Inner."
    assert error.hint == "the whole story is in /srv/spark.log"
    assert error.origin == Origin("/srv/job.py", 30)


@pytest.mark.parametrize("said, message", [("", "no reason was given"), ("[X] Just so.\nmore", "Just so.")])
def test_a_failure_without_a_cause(said: str, message: str) -> None:
    assert failed("q", said, None, "log").message == f"query 'q' failed: {message}"


@pytest.mark.parametrize(
    "said, lost",
    [
        ("Caused by: org.apache.kafka.common.errors.TimeoutException: Topic t not present in metadata", True),
        ("Caused by: org.apache.kafka.common.KafkaException: Failed to construct kafka consumer", False),
        ("java.util.concurrent.TimeoutException: Cannot fetch record for offset 3", True),
        ("ValueError: timeout", False),
        ("java.util.concurrent.TimeoutException: Futures timed out", False),
    ],
)
def test_a_broker_that_went_away(said: str, lost: bool) -> None:
    assert lost_broker(said) is lost


@pytest.mark.parametrize(
    "said, told",
    [
        ("[A.B_C] It went wrong. SQLSTATE: 42000\n== SQL ==\nx", "It went wrong"),
        ("It went wrong; line 1 pos 3;\n'Filter", "It went wrong"),
        ("plain", "plain"),
    ],
)
def test_sparks_words_without_codes_and_plans(said: str, told: str) -> None:
    assert first_sentence(said) == told

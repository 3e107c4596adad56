from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.errors import DiskFull, HeadraceError, JarMismatch, NoNetwork, SetupError
from headrace.supply import jars as module
from headrace.supply.jars import classpath, folder_of, jars, kernel_jar, locked, pyspark_home

HERE = Path(module.__file__).parent


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A set of two small jars, in a cache of its own."""
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path))
    pins = {f"{name}.jar": hashlib.sha256(name.encode()).hexdigest() for name in ("one", "two")}
    monkeypatch.setattr(module, "locked", lambda name: pins)
    return pins


@pytest.fixture
def ivy(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An Ivy that writes the jars at once, and the sets that it was asked for."""
    asked: list[str] = []

    def retrieve(name: str, stage: Path, *_: object) -> None:
        asked.append(name)
        (stage / "jars").mkdir(parents=True)
        for jar in ("one", "two"):
            (stage / "jars" / f"{jar}.jar").write_text(jar)

    monkeypatch.setattr(module, "_run_ivy", retrieve)
    return asked


def test_fetched_once(pinned: dict[str, str], ivy: list[str]) -> None:
    first = jars("spark")
    assert [path.read_text() for path in first] == ["one", "two"]
    assert jars("spark") == first
    assert ivy == ["spark"]
    assert [path.name for path in folder_of("spark").parent.glob("*.part")] == []
    assert classpath("spark").split(os.pathsep) == [str(path) for path in first]


def test_a_touched_jar_is_hashed_again_and_stays(pinned: dict[str, str], ivy: list[str]) -> None:
    first = jars("spark")
    os.utime(first[0], (1, 1))
    assert jars("spark") == first


def test_a_changed_jar_is_refused(pinned: dict[str, str], ivy: list[str]) -> None:
    jar = jars("spark")[1]
    jar.write_text("evil")
    with pytest.raises(JarMismatch) as error:
        jars("spark")
    found = hashlib.sha256(b"evil").hexdigest()
    assert str(error.value) == (
        f"the jar two.jar of the spark set is not the one that was pinned "
        f"(SHA-256 {found[:12]}…, pinned {pinned['two.jar'][:12]}…)\n"
        f"  hint: delete {jar.parent} and run this again: the jars will be fetched anew"
    )


def test_a_lost_jar_is_named(pinned: dict[str, str], ivy: list[str]) -> None:
    jars("spark")[1].unlink()
    with pytest.raises(JarMismatch, match=r"^the jar two\.jar of the spark set is missing"):
        jars("spark")


def test_what_was_fetched_wrong_is_not_kept(
    pinned: dict[str, str], ivy: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned["two.jar"] = "0" * 64
    with pytest.raises(JarMismatch):
        jars("spark")
    assert not folder_of("spark").exists()


def test_a_full_disk(pinned: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "_run_ivy", full)
    with pytest.raises(DiskFull) as error:
        jars("spark")
    assert str(error.value) == (
        f"no room left on the disk of {tmp_path / 'jars'} for the jars (60 MB)\n"
        "  hint: free some room, or point HEADRACE_CACHE at a folder on another disk"
    )


IVY_SAID: list[tuple[str, type[HeadraceError], str]] = [
    (
        "Server access error at url x (java.net.ConnectException: Connection refused)",
        NoNetwork,
        "the jars for the broker are fetched once, and no registry can be reached (ConnectException)\n"
        "  hint: connect to the network and run this again (what was fetched is kept), "
        "or let HEADRACE_IVY_SETTINGS name a mirror's settings",
    ),
    (
        "Server access error at url x (javax.net.ssl.SSLHandshakeException: PKIX path building failed)",
        NoNetwork,
        "the jars for the broker are fetched once, and no registry can be reached (SSLHandshakeException)\n"
        "  hint: this Java does not trust the network's certificate: set "
        "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE to a store that has it, "
        "and run this again (what was fetched is kept)",
    ),
    (
        "\t\t:: org.apache.kafka#kafka-clients;3.9.99: not found",
        NoNetwork,
        "the registry does not have kafka-clients 3.9.99, which the broker needs\n"
        "  hint: point HEADRACE_IVY_SETTINGS at an ivysettings.xml whose registry has them, "
        "and run this again (what was fetched is kept)",
    ),
    (
        "one\ntwo",
        SetupError,
        "fetching the jars for the broker failed: one | two\n"
        "  hint: run this again (what was fetched is kept)",
    ),
]


@pytest.mark.parametrize(("said", "kind", "message"), IVY_SAID)
def test_what_ivy_says_in_our_words(said: str, kind: type[HeadraceError], message: str) -> None:
    with pytest.raises(kind) as error:
        module._explain(said, "broker", Path("stage"))
    assert type(error.value) is kind
    assert str(error.value) == message


def test_every_jar_of_the_ivy_file_is_locked() -> None:
    text = (HERE / "ivy.xml").read_text(encoding="utf-8")
    for name in ("spark", "broker"):
        listed = re.findall(rf'name="(\S+)" rev="(\S+)" transitive="false" conf="{name}->default"', text)
        assert sorted(f"{artifact}-{revision}.jar" for artifact, revision in listed) == sorted(locked(name))
    assert text.count("<dependency ") == len(locked("spark")) + len(locked("broker")) == 50


@pytest.mark.parametrize("file", ["ivy.xml", "ivysettings.xml", "jars.lock"])
def test_no_host_stands_in_the_files(file: str) -> None:
    assert "://" not in (HERE / file).read_text(encoding="utf-8")


def test_an_unknown_set() -> None:
    with pytest.raises(SetupError) as error:
        locked("sparc")
    assert (
        str(error.value)
        == "no set of jars 'sparc'\n  hint: did you mean 'spark'? (the sets are: spark, broker)"
    )


def test_a_missing_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_HERE", tmp_path)
    with pytest.raises(SetupError) as error:
        kernel_jar()
    assert str(error.value) == (
        f"the kernel has not been built: {tmp_path / 'headrace-kernel.jar'} is missing\n"
        "  hint: run `make kernel` in the checkout"
    )


def test_pyspark_is_found() -> None:
    assert (pyspark_home() / "jars").is_dir()


def missing_spec(*_: object) -> None:
    return None


def test_a_missing_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    find: Callable[..., None] = missing_spec
    monkeypatch.setattr(module.importlib.util, "find_spec", find)
    with pytest.raises(SetupError) as error:
        pyspark_home()
    assert (
        str(error.value)
        == "PySpark is not installed in this Python\n  hint: pip install 'pyspark[sql]==4.3.0'"
    )

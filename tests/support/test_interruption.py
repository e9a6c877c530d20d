"""Ctrl-C while something is finished: it ends the questions, before or within them, and nothing else."""

from __future__ import annotations

import signal
import threading

import pytest

from palmette.support.interruption import asking, finishing


def press() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def _as_in_a_terminal():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_nothing_happens_without_it():
    with finishing() as interruption, asking():
        pass
    assert not interruption.came
    assert not interruption.cut_short


def test_within_the_questions_it_is_raised_at_once():
    with finishing() as interruption:
        with pytest.raises(KeyboardInterrupt), asking():
            press()
        assert interruption.cut_short
    assert interruption.came


def test_before_the_questions_it_is_raised_as_they_begin():
    with finishing() as interruption:
        press()
        assert not interruption.cut_short
        with pytest.raises(KeyboardInterrupt), asking():
            raise AssertionError("the question was asked")
    assert interruption.cut_short


def test_after_the_questions_it_is_noted():
    with finishing() as interruption:
        with asking():
            pass
        press()
    assert interruption.came
    assert not interruption.cut_short


def test_the_second_one_ends_everything():
    with finishing():
        press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_outside_it_is_raised_as_ever():
    with pytest.raises(KeyboardInterrupt), asking():
        press()


def test_a_handler_of_somebody_else_stays():
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append("pressed"))
    try:
        with finishing() as interruption:
            press()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert heard == ["pressed"]
    assert not interruption.came


def test_another_thread_has_no_handlers():
    ended = []

    def finish() -> None:
        with finishing(), asking():
            ended.append(True)

    thread = threading.Thread(target=finish)
    thread.start()
    thread.join()
    assert ended == [True]

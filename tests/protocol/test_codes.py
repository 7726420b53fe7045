import pytest

from tabiya.protocol.codes import CloseCode, RefusalCode, close_text, refusal_text, should_reconnect


@pytest.mark.parametrize("code", list(RefusalCode))
def test_every_refusal_names_cause_and_cure(code: RefusalCode) -> None:
    assert refusal_text(code).cause.endswith(".")
    assert refusal_text(code).cure.endswith(".")


@pytest.mark.parametrize("code", list(CloseCode))
def test_every_close_code_names_cause_and_cure(code: CloseCode) -> None:
    assert close_text(code).cause.endswith(".")
    assert close_text(code).cure.endswith(".")


@pytest.mark.parametrize("code", list(CloseCode))
def test_close_codes_are_in_the_range_for_applications_apart_from_oversize(code: CloseCode) -> None:
    assert 4000 <= code <= 4999 or code == 1009


def test_a_replaced_bot_stays_away_and_a_restarted_server_is_tried_again() -> None:
    assert not should_reconnect(CloseCode.REPLACED)
    assert should_reconnect(CloseCode.SERVER_CLOSING)


@pytest.mark.parametrize("code", [1000, 1001, 1006, 1011, 4999, 0])
def test_codes_that_are_not_ours_are_worth_another_try(code: int) -> None:
    assert should_reconnect(code)

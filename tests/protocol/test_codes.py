from tabiya.protocol.codes import (
    CloseCode,
    CloseText,
    RefusalCode,
    RefusalText,
    close_text,
    refusal_text,
    should_reconnect,
)


def test_every_code_names_cause_and_cure() -> None:
    texts: list[RefusalText | CloseText] = [*map(refusal_text, RefusalCode), *map(close_text, CloseCode)]
    assert [text for text in texts if not (text.cause.endswith(".") and text.cure.endswith("."))] == []


def test_close_codes_are_in_the_range_for_applications_apart_from_oversize() -> None:
    assert [code for code in CloseCode if not 4000 <= code <= 4999] == [CloseCode.OVERSIZE] == [1009]


def test_a_replaced_bot_stays_away_and_a_restarted_server_is_tried_again() -> None:
    assert not should_reconnect(CloseCode.REPLACED)
    assert should_reconnect(CloseCode.SERVER_CLOSING)
    assert all(map(should_reconnect, (1000, 1001, 1006, 1011, 4999, 0)))  # codes that are not ours

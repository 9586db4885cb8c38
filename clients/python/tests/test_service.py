"""Requests over HTTP: which are repeated, and what errors say."""

import asyncio
import json

import httpx
import pytest
from sluice_client import SluiceError
from sluice_client.service import Service


def asked(answers, use):
    """What a use of the service sends, while the server answers so."""
    requests, rest = [], iter(answers)

    def answer(request):
        requests.append(request)
        given = next(rest)
        if isinstance(given, Exception):
            raise given
        status, body, *headers = given
        return httpx.Response(status, content=body, headers=headers[0] if headers else {})

    async def main():
        async with Service("http://a", token="t", transport=httpx.MockTransport(answer)) as service:
            return await use(service)

    return asyncio.run(main()), requests


def test_a_set_whose_answer_is_lost_is_sent_again_under_its_key():
    answers = [httpx.ReadError("lost"), (200, '{"epoch":"e","rev":2}')]
    result, requests = asked(answers, lambda service: service.set("g/x", 1))
    assert result["rev"] == 2 and len(requests) == 2
    assert len({request.headers["Idempotency-Key"] for request in requests}) == 1
    assert requests[0].headers["Authorization"] == "Bearer t"


def test_a_server_that_is_not_there_is_unreachable():
    with pytest.raises(SluiceError) as error:
        asked([httpx.ConnectError("refused")] * 9, lambda service: service.get("g/x"))
    assert error.value.code == "unreachable"


def test_a_definition_is_not_sent_twice():
    with pytest.raises(SluiceError) as error:
        asked([httpx.ReadError("lost")], lambda service: service.define("g", {"nodes": {}}))
    assert error.value.code == "unreachable"


def test_a_server_that_is_busy_is_asked_again():
    busy = (503, '{"code":"not_ready","detail":"soon","retry":true}', {"Retry-After": "0"})
    result, requests = asked([busy, (200, "7")], lambda service: service.get("g/x", int))
    assert result == 7 and len(requests) == 2


def test_a_proxy_that_waits_for_its_server_is_asked_again():
    result, requests = asked([(502, "<html>"), (200, "7")], lambda service: service.get("g/x", int))
    assert result == 7 and len(requests) == 2


@pytest.mark.parametrize("busy", [
    (503, '{"code":"busy","retry":true}', {"Retry-After": "3600"}),
    (429, '{"code":"sub_limit","retry":false}'),
])
def test_a_server_that_will_not_answer_soon_is_not_asked_again(busy):
    with pytest.raises(SluiceError) as error:
        asked([busy], lambda service: service.get("g/x"))
    assert error.value.code in ("busy", "sub_limit")


def test_the_pause_may_be_a_date():
    busy = (503, '{"code":"busy"}', {"Retry-After": "Tue, 01 Dec 2026 10:00:00 GMT"})
    assert asked([busy, (200, "7")], lambda service: service.get("g/x"))[0] == 7


def test_names_are_quoted():
    _, requests = asked([(200, "1")], lambda service: service.get("g/a?b/../c#d"))
    assert requests[0].url.raw_path == b"/v1/graphs/g/nodes/a%3Fb%2F..%2Fc%23d"


def test_an_answer_that_is_not_json_is_malformed():
    with pytest.raises(SluiceError) as error:
        asked([(200, "<html>")], lambda service: service.get("g/x"))
    assert error.value.code == "malformed"


def test_a_value_of_another_type_is_refused():
    with pytest.raises(SluiceError) as error:
        asked([(200, '"warm"')], lambda service: service.get("g/x", float))
    assert error.value.code == "type_mismatch" and error.value.path == "g/x"


def test_a_refusal_has_its_code_and_details():
    problem = {"code": "expr_parse", "detail": "no", "problems": [{"line": 3}]}
    with pytest.raises(SluiceError) as error:
        asked([(422, json.dumps(problem))], lambda service: service.define("g", "nodes: {}"))
    assert error.value.code == "expr_parse" and error.value.details["problems"] == [{"line": 3}]


def test_a_proxy_may_answer_anything():
    for body in ("<html>", "[]", "{}", ""):
        with pytest.raises(SluiceError) as error:
            asked([(404, body)], lambda service: service.get("g/x"))
        assert error.value.code == "http_404"


def test_pages_are_read_to_the_end():
    pages = [(200, '{"m":{"a":{"v":1},"b":{"empty":true}},"next":"b"}'), (200, '{"m":{"c":{"v":3}}}')]

    async def read(service):
        return [pair async for pair in service.values("g")]

    result, requests = asked(pages, read)
    assert result == [("a", 1), ("c", 3)] and requests[1].url.params["next"] == "b"


def test_a_history_is_read_to_the_end():
    pages = [(200, '{"d":[{"rev":2,"v":1}],"more":true}'), (200, '{"d":[{"rev":3,"v":2}]}')]

    async def read(service):
        return [entry["v"] async for entry in service.history("g/x", since=1)]

    result, requests = asked(pages, read)
    assert result == [1, 2] and requests[1].url.params["since"] == "2"


def test_a_history_that_does_not_go_on_ends():
    async def read(service):
        return [entry async for entry in service.history("g/x", since=1)]

    assert asked([(200, '{"d":[],"more":true}')], read)[0] == []

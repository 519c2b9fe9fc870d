from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.archive.helpers import FORM, HTML, JSON, T, archive_of, get, pack, post
from verifaible.archive.lookup import Archive, Player
from verifaible.archive.matching import body_of
from verifaible.archive.reader import WaczReader
from verifaible.errors import OfflineMiss, StoreError
from verifaible.schema.web import Headers, WebAnswer, WebExchange, WebRequest, WebResponse, header

NOW = int(T.timestamp())
JS = (("Content-Type", "application/javascript"), ("Content-Length", "0"))


def ask(player: Player, url: str, method: str = "GET", sent: bytes = b"", headers: Headers = ()) -> WebAnswer:
    return player.find(WebRequest(url, method, headers, sent))


def found(exchanges: list[WebExchange], url: str) -> tuple[bytes, str]:
    answer = ask(archive_of(*exchanges).player(), url)
    return answer.response.body, answer.match


def misses(exchanges: list[WebExchange], url: str) -> bool:
    with pytest.raises(OfflineMiss) as caught:
        ask(archive_of(*exchanges).player(), url)
    return caught.value.url == url


# --- exact ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("https://a.com/x", "https://a.com/x"),
        ("https://a.com/x", "https://a.com/x#part"),
        ("https://a.com/x#part", "https://a.com/x"),
        ("https://a.com/x", "HTTPS://A.COM:443/x"),
        ("http://a.com:80/", "http://a.com"),
        ("https://a.com/x", "https://a.com/y/../x"),
        ("https://a.com/%e9%83%91?q=%d6%a3", "https://a.com/%E9%83%91?q=%D6%A3"),
        ("https://a.com/郑?q=郑", "https://a.com/%E9%83%91?q=%E9%83%91"),
        ("https://例子.cn/", "https://xn--fsqu00a.cn/"),
        ("https://a.com/a b", "https://a.com/a%20b"),
    ],
)
def test_spellings_of_one_address_are_exact(recorded: str, asked: str) -> None:
    assert found([get(recorded, b"yes"), get("https://a.com/other", b"no")], asked) == (b"yes", "exact")


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("https://a.com/x", "https://www.a.com/x"),
        ("https://www.a.com/x", "https://a.com/x"),
        ("https://a.com/x", "https://a.com/X"),
        ("https://a.com/x", "https://a.com/x/"),
        ("https://a.com/x", "https://a.com:8443/x"),
        ("https://a.com/x?q=%D6%A3", "https://a.com/x?q=%E9%83%91"),
        ("https://a.com/a+b", "https://a.com/a%20b"),
        ("https://a.com/x?a=1&a=2", "https://a.com/x?a=2&a=1"),
        ("https://a.com/x?a=1", "https://a.com/x"),
        ("https://a.com/x?a=1", "https://a.com/x?a=2"),
        ("https://a.com/x?v=aaaa", "https://a.com/x?v=bbbb"),
        ("https://a.com/x?t=90", "https://a.com/x?t=120"),
        ("https://a.com/x?_=abc", "https://a.com/x?_=abd"),
        ("https://a.com/x?_=1", "https://a.com/x?_=2"),
        (f"https://a.com/x?ts={NOW - 86400}", f"https://a.com/x?ts={NOW - 86399}"),
        (f"https://a.com/x?ts={NOW}", f"https://a.com/x?ts={NOW - 86400}"),
        (f"https://a.com/x?before={NOW}", f"https://a.com/x?before={NOW + 1}"),
        (f"https://a.com/x?from={NOW - 60}&to={NOW}", f"https://a.com/x?from={NOW}&to={NOW + 60}"),
        ("https://a.com/x?nextToken=0123456789abcdef", "https://a.com/x?nextToken=fedcba9876543210"),
        ("https://a.com/x?callback=orders", "https://a.com/x?callback=clients"),
        ("https://a.com/x?date=1700000000", "https://a.com/x?date=1700000001"),
        ("https://a.com/x?callback=cb1", "https://a.com/x"),
        ("https://a.com/x?callback=https://b.com/", "https://a.com/x?callback=https://c.com/"),
        ("https://a.com/x?A=1", "https://a.com/x?a=1"),
    ],
)
def test_what_can_mean_something_else_is_a_miss(recorded: str, asked: str) -> None:
    assert misses([get(recorded, b"no")], asked)


def test_a_miss_names_url_and_method() -> None:
    with pytest.raises(OfflineMiss, match=r"POST https://a\.com/none"):
        ask(archive_of(get("https://a.com/none")).player(), "https://a.com/none", "post")


# --- normalised ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (f"https://a.com/x?_={NOW}236&q=1", f"https://a.com/x?q=1&_={NOW + 9}001"),
        ("https://a.com/x?t=0.4383715", "https://a.com/x?t=0.993318273645"),
        (f"https://a.com/x?ts={NOW}", f"https://a.com/x?ts={NOW + 20}"),
        ("https://a.com/x?rnd=42", "https://a.com/x?rnd=43"),
        ("https://a.com/x", "https://a.com/x?cachebuster=99"),
        (f"https://a.com/x?R={NOW}123", f"https://a.com/x?R={NOW}999"),
        (f"https://a.com/x?{NOW}123", f"https://a.com/x?{NOW + 3}999"),
        (f"https://a.com/x?q=1&v={NOW}123", f"https://a.com/x?v={NOW + 3}999&q=1"),
        ("https://a.com/x?q=1&nonce=0123456789abcdef", "https://a.com/x?q=1&nonce=fedcba9876543210"),
        (f"https://a.com/x?from={NOW - 86400}&to={NOW}", f"https://a.com/x?from={NOW - 86390}&to={NOW + 10}"),
        (f'https://a.com/x?v={{"a":1,"ts":{NOW}}}', f'https://a.com/x?v={{"a":1,"ts":{NOW + 4}}}'),
        ("https://a.com/x?b=2&a=1", "https://a.com/x?a=1&b=2"),
        ("https://a.com/x?b=2&a=1&a=0", "https://a.com/x?a=1&b=2&a=0"),
        ("https://a.com/x?q=a+b", "https://a.com/x?q=a%20b"),
        ("https://a.com/~x", "https://a.com/%7Ex"),
        ("https://a.com/x", "https://a.com/x?"),
        ("https://a.com/x", "http://a.com/x"),
        ("http://a.com/x?b=1&a=2", "https://a.com/x?a=2&b=1"),
    ],
)
def test_spellings_that_mean_the_same_are_normalised(recorded: str, asked: str) -> None:
    assert found([get(recorded, b"yes"), get("https://a.com/other", b"no")], asked) == (b"yes", "normalised")


def test_exact_goes_before_normalised_whatever_was_recorded_first() -> None:
    exchanges = [get("https://a.com/x?_=1", b"one"), get("https://a.com/x?_=2", b"two")]
    assert found(exchanges, "https://a.com/x?_=2") == (b"two", "exact")


def test_the_scheme_that_was_asked_for_is_preferred() -> None:
    exchanges = [get("https://a.com/x?a=1&b=2", b"tls"), get("http://a.com/x?a=1&b=2", b"plain")]
    assert found(exchanges, "http://a.com/x?b=2&a=1") == (b"plain", "normalised")


def test_the_answer_says_which_url_archive_and_time_it_is_from() -> None:
    data = pack([get("https://a.com/x?b=1&a=2", b"x")], synthetic=True)
    archive = Archive([WaczReader(data, name="a.wacz")])
    answer = ask(archive.player(), "https://a.com/x?a=2&b=1")
    assert answer == WebAnswer(
        "https://a.com/x?b=1&a=2", WebResponse(200, HTML, b"x"), "normalised", T, "a.wacz", synthetic=True
    )


# --- JSONP ---------------------------------------------------------------------------------

URL = "https://query.sse.com.cn/commonQuery.do?jsonCallBack={}&sqlId=S&_={}"
THEN, LATER = NOW * 1000 + 236, NOW * 1000 + 9_001


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'jsonp1({"a":"jsonp1("})', b'cb_22({"a":"jsonp1("})'),
        (b" \n/* jsonp1( */ jsonp1 ([1]);", b" \n/* jsonp1( */ cb_22 ([1]);"),
        (b"/**/jsonp1 && jsonp1({})", b"/**/cb_22 && cb_22({})"),
        (
            b"/**/ typeof jsonp1 === 'function' && jsonp1({});",
            b"/**/ typeof cb_22 === 'function' && cb_22({});",
        ),
        (b"window.jsonp1&&window.jsonp1({})", b"window.cb_22&&window.cb_22({})"),
        (b"if(typeof jsonp1=='function'){jsonp1({})}", b"if(typeof cb_22=='function'){cb_22({})}"),
        (b"try{jsonp1({})}catch(e){}", b"try{cb_22({})}catch(e){}"),
        (b"\xef\xbb\xbf;jsonp1({})", b"\xef\xbb\xbf;cb_22({})"),
        (b"", b""),
    ],
)
def test_the_callback_is_renamed_where_the_body_calls_it(body: bytes, expected: bytes) -> None:
    recorded = get(URL.format("jsonp1", THEN), body, headers=JS)
    answer = ask(archive_of(recorded).player(), URL.format("cb_22", LATER))
    assert answer.response.body == expected
    assert answer.match == "normalised"
    assert header(answer.response.headers, "content-length") == str(len(expected))


@pytest.mark.parametrize(
    "body", [b"jsonp1\xd6\xa3", b"jsonp12({})", b"xjsonp1({})", b'{"a": "jsonp1({})"}', b"[]"]
)
def test_a_body_that_does_not_call_its_callback_answers_no_other_name(body: bytes) -> None:
    recorded = get(URL.format("jsonp1", THEN), body, headers=JS)
    assert misses([recorded], URL.format("cb_22", LATER))
    assert found([recorded], URL.format("jsonp1", LATER)) == (body, "normalised")


@pytest.mark.parametrize("parameter", ["fn", "callbackName", "func", "jsonp_cb"])
def test_a_callback_under_any_name_is_known_by_the_call(parameter: str) -> None:
    exchanges = [
        get(f"https://a.com/q?code={code}&{parameter}=f{code}_1", f"f{code}_1({code})".encode(), headers=JS)
        for code in (1, 2)
    ]
    assert found(exchanges, f"https://a.com/q?code=2&{parameter}=g77") == (b"g77(2)", "normalised")
    assert misses(exchanges, f"https://a.com/q?code=three&{parameter}=f1_1")


def test_repeated_jsonp_requests_are_answered_in_order() -> None:
    exchanges = [
        get(f"https://a.com/q?callback=cb_{n}&_={NOW + n}", f"cb_{n}({n})".encode(), headers=JS)
        for n in (1, 2)
    ]
    player = archive_of(*exchanges).player()
    asked = [f"https://a.com/q?callback=cb_{n}&_={NOW + n}" for n in (71, 72, 73)]
    answers = [ask(player, url).response.body for url in asked]
    assert answers == [b"cb_71(1)", b"cb_72(2)", b"cb_73(2)"]


def test_an_exact_jsonp_url_keeps_its_body_and_dotted_names_work() -> None:
    recorded = get(URL.format("jQuery.x[1]", 1), b"jQuery.x[1]({})", headers=JS)
    archive = archive_of(recorded)
    assert ask(archive.player(), URL.format("jQuery.x[1]", 1)).response.body == b"jQuery.x[1]({})"
    assert ask(archive.player(), URL.format("a$1.b", 1)).response.body == b"a$1.b({})"


def test_cb_is_a_callback_by_name_and_a_cache_buster_by_number() -> None:
    exchanges = [
        get("https://a.com/x?cb=f1", b"f1(1)", headers=JS),
        get(f"https://a.com/y?cb={NOW}", b"y"),
    ]
    assert found(exchanges, "https://a.com/x?cb=g2") == (b"g2(1)", "normalised")
    assert found(exchanges, f"https://a.com/y?cb={NOW + 1}") == (b"y", "normalised")


# --- bodies --------------------------------------------------------------------------------


def player_body(name: str, stamp: str = "n-1") -> bytes:
    context = {"client": {"clientName": name, "clientVersion": "2.0", "visitorData": stamp}}
    return json.dumps({"context": context, "videoId": "aircAruvnKk"}).encode()


def test_json_that_means_the_same_is_exact() -> None:
    archive = archive_of(post("https://a.com/api", b'{"a": 1, "b": [1, 2]}', b"yes"))
    assert ask(archive.player(), "https://a.com/api", "POST", b'{"b":[1,2],"a":1}', JSON).match == "exact"
    answer = ask(archive.player(), f"https://a.com/api?_={NOW}", "POST", b'{"b":[1,2],"a":1}', JSON)
    assert answer.match == "normalised"


def test_the_same_body_of_several_answers_and_none_that_is_only_like_it() -> None:
    url = "https://a.com/player"
    archive = archive_of(
        post(url, player_body("WEB"), b"web"),
        post(url, player_body("ANDROID"), b"android"),
        post(url, player_body("IOS"), b"ios"),
    )
    for name in ("ANDROID", "WEB", "IOS"):
        answer = ask(archive.player(), url, "POST", player_body(name), JSON)
        assert (answer.response.body, answer.match) == (name.lower().encode(), "exact")
        with pytest.raises(OfflineMiss):
            ask(archive.player(), url, "POST", player_body(name, "another-visitor"), JSON)


def test_a_body_that_only_resembles_a_recorded_one_is_a_miss() -> None:
    bodies = [json.dumps({"kind": "a", "lang": "b", "note": note * 20}).encode() for note in ("1a", "2b")]
    archive = archive_of(post("https://a.com/api", bodies[0], b"no"))
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/api", "POST", bodies[1], JSON)


def test_a_body_that_differs_in_what_is_made_up_is_the_same() -> None:
    def body(key: str, stamp: int) -> bytes:
        return json.dumps({"page": 1, "requestId": key, "sent": {"ts": stamp}}).encode()

    archive = archive_of(post("https://a.com/api", body("0123456789abcdef", NOW), b"yes"))
    answer = ask(archive.player(), "https://a.com/api", "POST", body("fedcba9876543210", NOW + 3), JSON)
    assert (answer.response.body, answer.match) == (b"yes", "normalised")


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (b'{"videoId": "a", "hl": "en", "gl": "US"}', b'{"videoId": "b", "hl": "en", "gl": "US"}'),
        (b'{"size": 10, "lang": "x", "page": 1}', b'{"size": 10, "lang": "x", "page": 2}'),
        (b'{"size": 10, "lang": "x", "page": 1}', b'{"size": 10, "lang": "x"}'),
        (
            b'{"list": {"productCode": "1", "x": 1, "y": 1}}',
            b'{"list": {"productCode": "2", "x": 1, "y": 1}}',
        ),
        (b'{"ids": [1, 2], "x": 1, "y": 1}', b'{"ids": [1, 3], "x": 1, "y": 1}'),
        (b'{"size": 10, "lang": "x", "city": "Bern"}', b'{"size": 10, "lang": "x", "city": "Basel"}'),
        (b'{"size": 10, "lang": "x", "sort": ["a", "b"]}', b'{"size": 10, "lang": "x", "sort": ["b", "a"]}'),
        (b'{"size": 10, "lang": "x", "n": 1}', b'{"size": 10, "lang": "x", "n": "1"}'),
        (b'{"a": 1}', b'{"b": 1}'),
        (b'{"a": 1}', b""),
        (b'{"a": 1}', b"a=1"),
    ],
)
def test_a_body_that_asks_for_something_else_is_a_miss(recorded: bytes, asked: bytes) -> None:
    archive = archive_of(post("https://a.com/api", recorded, b"no"))
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/api", "POST", asked, JSON if asked.startswith(b"{") else FORM)


def test_the_url_has_to_be_the_same_for_a_similar_body() -> None:
    archive = archive_of(post("https://a.com/api", player_body("WEB"), b"no"))
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/api2", "POST", player_body("WEB"), JSON)


def test_forms_are_compared_by_field() -> None:
    archive = archive_of(
        post("https://a.com/f", f"q=%E9%83%91&k=a+b&_={NOW}123".encode(), b"yes", headers=FORM),
        post("https://a.com/f", f"q=x&k=a+b&_={NOW}124".encode(), b"no", headers=FORM),
    )

    def sent(body: bytes) -> tuple[bytes, str]:
        answer = ask(archive.player(), "https://a.com/f", "POST", body, FORM)
        return answer.response.body, answer.match

    assert sent(f"k=a%20b&q=%e9%83%91&_={NOW}123".encode()) == (b"yes", "exact")
    assert sent(f"k=a%20b&q=%e9%83%91&_={NOW + 5}123".encode()) == (b"yes", "normalised")
    with pytest.raises(OfflineMiss):
        sent(f"q=other&k=a+b&_={NOW}124".encode())


def test_multipart_bodies_are_compared_without_their_boundary() -> None:
    def body(boundary: str, value: str) -> tuple[bytes, Headers]:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="city"\r\n\r\n'
        return f"{head}{value}\r\n--{boundary}--\r\n".encode(), (
            ("Content-Type", f"multipart/form-data; boundary={boundary}"),
        )

    sent, headers = body("abc", "郑")
    archive = archive_of(post("https://a.com/m", sent, b"yes", headers=headers))
    again, other_headers = body("----xyz", "郑")
    assert ask(archive.player(), "https://a.com/m", "POST", again, other_headers).match == "exact"
    wrong, other_headers = body("----xyz", "京")
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/m", "POST", wrong, other_headers)


def test_text_and_binary_bodies() -> None:
    text = (("Content-Type", "text/plain"),)
    blob = (("Content-Type", "application/octet-stream"),)
    archive = archive_of(
        post("https://a.com/t", b"list the bonds for 0123456789abcdef0123", b"yes", headers=text),
        post("https://a.com/b", b"\xff\x00\x01", b"blob", headers=blob),
    )
    same = b"list the bonds for 0123456789abcdef0123"
    assert ask(archive.player(), "https://a.com/t", "POST", same, text).match == "exact"
    for other in (b"list the bonds for fedcba9876543210abcd", b"list the stocks for 0123456789abcdef0123"):
        with pytest.raises(OfflineMiss):
            ask(archive.player(), "https://a.com/t", "POST", other, text)
    assert ask(archive.player(), "https://a.com/b", "POST", b"\xff\x00\x01", blob).match == "exact"
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/b", "POST", b"\xff\x00\x02", blob)


def test_methods_do_not_answer_each_other() -> None:
    archive = archive_of(post("https://a.com/api", b"{}", b"post"), get("https://a.com/g", b"get"))
    for url, method in (
        ("https://a.com/api", "GET"),
        ("https://a.com/api", "PUT"),
        ("https://a.com/g", "POST"),
    ):
        with pytest.raises(OfflineMiss):
            ask(archive.player(), url, method, b"{}", JSON)


# --- repeated requests, methods, statuses ---------------------------------------------------


def test_repeated_requests_are_answered_in_order_and_the_last_stays() -> None:
    archive = archive_of(*[get("https://a.com/poll", body) for body in (b"1", b"2", b"3")])
    player = archive.player()
    assert [ask(player, "https://a.com/poll").response.body for _ in range(5)] == [
        b"1",
        b"2",
        b"3",
        b"3",
        b"3",
    ]
    assert ask(archive.player(), "https://a.com/poll").response.body == b"1"


def test_repeated_requests_with_cache_busters_and_bodies_are_answered_in_order() -> None:
    archive = archive_of(
        *[get(f"https://a.com/poll?_={NOW + number}", str(number).encode()) for number in (1, 2)],
        *[post("https://a.com/api", b'{"a": 1}', str(number).encode()) for number in (3, 4)],
    )
    player = archive.player()
    assert [ask(player, f"https://a.com/poll?_={NOW + n}").response.body for n in (91, 92, 93)] == [
        b"1",
        b"2",
        b"2",
    ]
    sent = [ask(player, "https://a.com/api", "POST", b'{"a":1}', JSON).response.body for _ in range(3)]
    assert sent == [b"3", b"4", b"4"]


def test_a_redirect_to_itself_that_sets_a_cookie_comes_through() -> None:
    first = get("https://a.com/", status=302, headers=(("Location", "/"), ("Set-Cookie", "seen=1")))
    player = archive_of(first, get("https://a.com/", b"in")).player()
    answer = ask(player, "https://a.com/")
    assert (answer.response.status, header(answer.response.headers, "location")) == (302, "/")
    assert ask(player, "https://a.com/").response.body == b"in"


def test_head_is_answered_by_get_without_its_body_and_never_the_other_way() -> None:
    headers = (("content-length", "4"), ("ETag", '"e"'))
    archive = archive_of(
        get("https://a.com/x", b"body", headers=headers), get("https://a.com/h", method="HEAD")
    )
    player = archive.player()
    answer = ask(player, "https://a.com/x", "HEAD")
    assert (answer.response.body, answer.response.headers, answer.match) == (b"", headers, "exact")
    assert ask(player, "https://a.com/h", "head").match == "exact"
    with pytest.raises(OfflineMiss):
        ask(player, "https://a.com/h")


def test_asking_for_the_head_does_not_use_up_an_answer() -> None:
    player = archive_of(get("https://a.com/x", b"1"), get("https://a.com/x", b"2")).player()
    ask(player, "https://a.com/x", "HEAD")
    assert ask(player, "https://a.com/x").response.body == b"1"


def test_statuses_without_a_body_and_binary_bodies() -> None:
    blob = bytes(range(256)) * 40
    archive = archive_of(
        get("https://a.com/none", status=204, headers=()),
        get("https://a.com/gone", b"gone", status=404),
        get("https://a.com/i.png", blob, headers=(("content-TYPE", "image/png"),)),
    )
    assert ask(archive.player(), "https://a.com/none").response == WebResponse(204)
    assert ask(archive.player(), "https://a.com/gone").response.status == 404
    image = ask(archive.player(), "https://a.com/i.png").response
    assert (image.body, image.content_type) == (blob, "image/png")


def test_not_modified_answers_only_conditional_requests() -> None:
    archive = archive_of(
        get("https://a.com/x", status=304, headers=(("ETag", '"e"'),)),
        get("https://a.com/x", b"whole"),
        get("https://a.com/only", status=304, headers=()),
    )
    assert ask(archive.player(), "https://a.com/x").response.body == b"whole"
    conditional = (("If-None-Match", '"e"'),)
    assert ask(archive.player(), "https://a.com/x", headers=conditional).response.status == 304
    with pytest.raises(OfflineMiss):
        ask(archive.player(), "https://a.com/only")


def test_a_part_answers_only_a_request_for_that_part() -> None:
    sent = WebRequest("https://a.com/v.mp4", headers=(("Range", "bytes=0-3"),))
    archive = archive_of(WebExchange(sent, WebResponse(206, (("Content-Range", "bytes 0-3/9"),), b"0123"), T))
    answer = ask(archive.player(), "https://a.com/v.mp4", headers=(("range", "bytes=0-3"),))
    assert answer.response.body == b"0123"
    for headers in ((), (("range", "bytes=4-7"),)):
        with pytest.raises(OfflineMiss):
            ask(archive.player(), "https://a.com/v.mp4", headers=headers)


def test_what_changed_each_time_is_not_given_once_more_where_that_is_not_wanted() -> None:
    changing = [get("https://a.com/next", body) for body in (b"1", b"2")]
    still = [get("https://a.com/same", b"1") for _ in range(2)]
    player = archive_of(*changing, *still).player()
    request = WebRequest("https://a.com/next")
    assert [player.find(request, again=False).response.body for _ in range(2)] == [b"1", b"2"]
    with pytest.raises(OfflineMiss):
        player.find(request, again=False)
    assert player.knows(request)
    assert not player.knows(WebRequest("https://a.com/none"))
    for _ in range(4):
        assert player.find(WebRequest("https://a.com/same"), again=False).response.body == b"1"


def test_a_replica_gives_its_last_answer_once_more() -> None:
    data = pack([get("https://a.com/next", body) for body in (b"1", b"2")], synthetic=True)
    player = Archive([WaczReader(data)]).player()
    request = WebRequest("https://a.com/next")
    assert [player.find(request, again=False).response.body for _ in range(3)] == [b"1", b"2", b"2"]


def test_a_value_that_an_answer_gave_was_not_made_up() -> None:
    ids = ("3f2a9c7be1d04458", "90be77ad1c2f4e61")
    listed = get("https://a.com/list", " ".join(ids).encode())
    opened = get(f"https://a.com/q?traceId={ids[0]}", b"one")
    player = archive_of(listed, opened).player()
    other = f"https://a.com/q?traceId={ids[1]}"
    assert ask(player, other).response.body == b"one"  # nothing says yet that it is another record
    ask(player, "https://a.com/list")
    with pytest.raises(OfflineMiss):
        ask(player, other)
    assert ask(player, "https://a.com/q?traceId=00000000deadbeef").response.body == b"one"


# --- headers --------------------------------------------------------------------------------


def variant(name: str, value: str, *answer: tuple[str, str]) -> WebExchange:
    sent = WebRequest("https://a.com/q", headers=(("accept", "*/*"), (name, value)))
    return WebExchange(sent, WebResponse(200, answer, value.encode()), T)


@pytest.mark.parametrize("name", ["X-Page", "accept-language", "HX-Target", "Cookie"])
def test_the_headers_choose_among_answers(name: str) -> None:
    values = ("page=1", "page=2", "page=3")
    player = archive_of(*[variant(name, value) for value in values]).player()
    for value in reversed(values):
        headers = (("accept", "*/*"), (name.lower(), value))
        assert ask(player, "https://a.com/q", headers=headers).response.body == value.encode()


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (variant("x-page", "1"), ("x-page", "2")),
        (variant("x-page", "1"), ("x-other", "1")),
        (variant("accept-language", "de", ("Vary", "Accept-Language")), ("accept-language", "en")),
        (variant("cookie", "lang=de"), ("cookie", "lang=en")),
    ],
)
def test_headers_that_ask_for_something_else_are_a_miss(
    recorded: WebExchange, asked: tuple[str, str]
) -> None:
    with pytest.raises(OfflineMiss):
        ask(archive_of(recorded).player(), "https://a.com/q", headers=(("accept", "*/*"), asked))


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        (variant("x-csrf-token", "0123456789abcdef"), ("x-csrf-token", "fedcba9876543210")),
        (variant("user-agent", "one"), ("user-agent", "two")),
        (variant("accept-language", "de"), ("accept-language", "en")),
        (variant("cookie", "_ga=GA1.2.5519"), ("cookie", "_ga=GA1.2.7330")),
        (variant("sec-ch-ua", "one"), ("sec-ch-ua", "two")),
    ],
)
def test_headers_that_ask_for_nothing_are_left_out(recorded: WebExchange, asked: tuple[str, str]) -> None:
    player = archive_of(recorded).player()
    headers = (("accept", "*/*"), asked)
    assert ask(player, "https://a.com/q", headers=headers).response.body == recorded.response.body


# --- several archives -----------------------------------------------------------------------


def test_the_first_archive_wins_but_exact_beats_order(tmp_path: Path) -> None:
    (tmp_path / "a.wacz").write_bytes(
        pack([get("https://a.com/x", b"a1"), get(f"https://a.com/y?_={NOW + 1}", b"ay")])
    )
    (tmp_path / "b.wacz").write_bytes(
        pack(
            [
                get("https://a.com/x", b"b1"),
                get(f"https://a.com/y?_={NOW + 2}", b"by"),
                get("https://a.com/z", b"bz"),
            ]
        )
    )
    archive = Archive.open([tmp_path / "a.wacz", tmp_path / "b.wacz"])
    player = archive.player()
    assert [ask(player, "https://a.com/x").response.body for _ in range(2)] == [b"a1", b"a1"]
    assert ask(player, f"https://a.com/y?_={NOW + 2}").archive == "b.wacz"
    assert ask(player, f"https://a.com/y?_={NOW + 3}").archive == "a.wacz"
    assert ask(player, "https://a.com/z").archive == "b.wacz"
    assert sorted(archive.urls())[0] == "https://a.com/x"
    archive.close()


def test_pages(tmp_path: Path) -> None:
    pages = [("https://a.com/bonds/day/", "Bonds", "债券"), ("https://a.com/stocks/", "Stocks", "股票")]
    (tmp_path / "a.wacz").write_bytes(pack([], pages=pages))
    archive = Archive.open([tmp_path / "a.wacz"])
    assert [(page.url, page.title, page.text) for page in archive.pages()] == pages
    archive.close()


def test_an_unusable_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.wacz").write_bytes(pack([]))
    (tmp_path / "bad.wacz").write_bytes(b"PK")
    with pytest.raises(StoreError, match=r"bad\.wacz"):
        Archive.open([tmp_path / "good.wacz", tmp_path / "bad.wacz"])


@pytest.mark.parametrize("kind", ["", "application/x-www-form-urlencoded", "application/json", "text/plain"])
def test_no_body_is_the_same_whatever_its_type(kind: str) -> None:
    assert body_of(b"", kind) == body_of(b"", "")

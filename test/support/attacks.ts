/** Shapes of HTML that try to run `hit()`: every way in, with every way to write it. */
export function attackShapes(): string[] {
  return [...handlers(), ...addresses(), ...contexts(), ...confusions()].map(shape => shape.replaceAll('X', 'hit()'))
}

const TAGS_WITH_EVENTS: [tag: string, event: string][] = [
  ['img src=q', 'onerror'],
  ['img src=data:image/gif;base64,R0lGODlhAQABAAAAACw=', 'onload'],
  ['svg', 'onload'],
  ['body', 'onload'],
  ['body', 'onpageshow'],
  ['video src=q', 'onerror'],
  ['video><source src=q', 'onerror'],
  ['audio src=q', 'onerror'],
  ['object data=q', 'onerror'],
  ['embed src=q', 'onload'],
  ['iframe', 'onload'],
  ['input autofocus', 'onfocus'],
  ['select autofocus', 'onfocus'],
  ['textarea autofocus', 'onfocus'],
  ['a href=#q id=q autofocus tabindex=1', 'onfocus'],
  ['p tabindex=1 autofocus', 'onfocus'],
  ['details open', 'ontoggle'],
  ['marquee', 'onstart'],
  ['p', 'onclick'],
  ['p', 'onmouseover'],
  ['p', 'onpointerenter'],
  ['p style="animation:a 1s"', 'onanimationstart'],
  ['script src=q', 'onerror'],
  ['link rel=stylesheet href=q', 'onerror'],
  ['style', 'onload'],
  ['svg><animate attributeName=x dur=1s', 'onbegin'],
  ['svg><image href=q', 'onerror'],
  ['math', 'onclick'],
  ['custom-thing', 'onclick'],
]

const WRITTEN: ((tag: string, event: string) => string)[] = [
  (tag, event) => `<${tag} ${event}=X>t`,
  (tag, event) => `<${tag} ${event}="X">t`,
  (tag, event) => `<${tag.toUpperCase()} ${event.toUpperCase()}='X'>t`,
  (tag, event) => `<${tag}\n\t${event}\f=\r"X">t`,
  (tag, event) => `<${tag} a="b"${event}=X>t`,
  (tag, event) => `<${tag} ${event}="&#104;it&#40;&#41;">t`,
  (tag, event) => `<${tag} ${event}="hit&lpar;&rpar;">t`,
]

function handlers(): string[] {
  return TAGS_WITH_EVENTS.flatMap(([tag, event]) => WRITTEN.map(write => write(tag, event)))
}

const SCHEMES = [
  'javascript:X',
  'JaVaScRiPt:X',
  ' javascript:X',
  '&#1;javascript:X',
  'java&#9;script:X',
  'java&NewLine;script:X',
  'javascript&colon;X',
  'javascript&#58X',
  '&#106;&#97;vascript:X',
  'javascript://%0aX',
  'javascript:/*--></title></style></textarea></script>*/X',
  'data:text/html,<script>parent.X</script>',
  `data:text/html;base64,${Buffer.from('<script>parent.hit()</script>').toString('base64')}`,
  'view-source:javascript:X',
  'blob:javascript:X',
]

const PLACES = [
  (address: string) => `<a href="${address}">t</a>`,
  (address: string) => `<a xlink:href="${address}">t</a>`,
  (address: string) => `<svg><a href="${address}"><text y=9>t</text></a></svg>`,
  (address: string) => `<math href="${address}">t</math>`,
  (address: string) => `<iframe src="${address}"></iframe>`,
  (address: string) => `<object data="${address}"></object>`,
  (address: string) => `<embed src="${address}">`,
  (address: string) => `<form action="${address}"><button>t</button></form>`,
  (address: string) => `<form><button formaction="${address}">t</button></form>`,
  (address: string) => `<area href="${address}">`,
  (address: string) => `<base href="${address}"><a href="#">t</a>`,
  (address: string) => `<meta http-equiv=refresh content="0;url=${address}">`,
  (address: string) => `<img src="${address}">`,
  (address: string) => `<p style="background:url('${address}')">t`,
]

function addresses(): string[] {
  return PLACES.flatMap(place => SCHEMES.map(place))
}

const RUNS = '<img src=q onerror=X>'

/** What opens one kind of content and closes it within another. */
function contexts(): string[] {
  const raw = [
    'title',
    'textarea',
    'style',
    'noscript',
    'xmp',
    'iframe',
    'noembed',
    'noframes',
    'script',
    'template',
    'plaintext',
  ]
  const foreign = [
    'svg',
    'math',
    'svg><foreignObject',
    'svg><desc',
    'svg><title',
    'math><mtext',
    'math><annotation-xml encoding=text/html',
  ]
  return [
    ...raw.map(tag => `<${tag}>${RUNS}</${tag}>`),
    ...raw.map(tag => `<${tag}><p title="</${tag}>${RUNS}">`),
    ...foreign.flatMap(tag => raw.map(inner => `<${tag}><${inner}><!--</${inner}>${RUNS}-->`)),
    ...foreign.flatMap(tag => raw.map(inner => `<${tag}><${inner}><p title="</${inner}>${RUNS}">`)),
    ...foreign.map(tag => `<form><${tag}></form><form><mglyph><style></math>${RUNS}`),
    ...foreign.map(tag => `<table><${tag}><td>${RUNS}`),
  ]
}

function confusions(): string[] {
  return [
    `<!-->${RUNS}-->`,
    `<!--->${RUNS}-->`,
    `<!-- --!>${RUNS}-->`,
    `<![CDATA[>${RUNS}]]>`,
    `<?xml ${RUNS}?>`,
    `<!doctype "${RUNS}">`,
    `</${RUNS}>`,
    `<a title="&quot;>${RUNS}">`,
    `<a title='\`'>${RUNS.replace(' ', '/')}`,
    `<scr<script>ipt>X</scr</script>ipt>`,
    `<<img src=q onerror=X>`,
    `<img """><script>X</script>">`,
    `<img src=q onerror\0=X>`,
    `<im\0g src=q onerror=X>`,
    `<script\n>X</script\n>`,
    `<script/src="data:,X"></script>`,
    `<svg><script href="data:,X"></script></svg>`,
    `<svg><set attributeName=onmouseover to=X><text y=9>t`,
    `<svg><a><animate attributeName=href values="javascript:X" /><text y=9>t</text></a></svg>`,
    `<svg><use href="data:image/svg+xml,<svg id='a' xmlns='http://www.w3.org/2000/svg'><script>X</script></svg>#a"/>`,
    `<form id=f><input name=attributes><input name=innerHTML></form>${RUNS}`,
    `<div id=x></div><a href="javascript:X" id=attributes>t</a>`,
    `${'<div>'.repeat(600)}${RUNS}`,
    `<b>${'<p>'.repeat(60)}</b>${RUNS}`,
    `<select><style></select>${RUNS}</style>`,
    `<iframe srcdoc="<script>parent.X</script>"></iframe>`,
    `<iframe srcdoc="&lt;img src=q onerror=parent.X&gt;"></iframe>`,
    `<style>@import 'data:text/css,*{x:expression(X)}';</style><p>t`,
    `<link rel=import href="data:text/html,<script>X</script>">`,
    `<object type=text/html data="data:text/html,<script>parent.X</script>"></object>`,
  ]
}

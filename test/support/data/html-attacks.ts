/** HTML fragments that try to call `hit()`: every known vector in every spelling. */
export function listAttacks(): string[] {
  return [...listEventHandlers(), ...listScriptUrls(), ...listContextSwitches(), ...listParserConfusions()].map(shape =>
    shape.replaceAll('X', 'hit()'),
  )
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

const ATTRIBUTE_SPELLINGS: ((tag: string, event: string) => string)[] = [
  (tag, event) => `<${tag} ${event}=X>t`,
  (tag, event) => `<${tag} ${event}="X">t`,
  (tag, event) => `<${tag.toUpperCase()} ${event.toUpperCase()}='X'>t`,
  (tag, event) => `<${tag}\n\t${event}\f=\r"X">t`,
  (tag, event) => `<${tag} a="b"${event}=X>t`,
  (tag, event) => `<${tag} ${event}="&#104;it&#40;&#41;">t`,
  (tag, event) => `<${tag} ${event}="hit&lpar;&rpar;">t`,
]

function listEventHandlers(): string[] {
  return TAGS_WITH_EVENTS.flatMap(([tag, event]) => ATTRIBUTE_SPELLINGS.map(write => write(tag, event)))
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

const URL_CONTEXTS = [
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

function listScriptUrls(): string[] {
  return URL_CONTEXTS.flatMap(place => SCHEMES.map(place))
}

const PAYLOAD = '<img src=q onerror=X>'

/** Elements that change how their content is parsed, closed inside each other's content. */
function listContextSwitches(): string[] {
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
    ...raw.map(tag => `<${tag}>${PAYLOAD}</${tag}>`),
    ...raw.map(tag => `<${tag}><p title="</${tag}>${PAYLOAD}">`),
    ...foreign.flatMap(tag => raw.map(inner => `<${tag}><${inner}><!--</${inner}>${PAYLOAD}-->`)),
    ...foreign.flatMap(tag => raw.map(inner => `<${tag}><${inner}><p title="</${inner}>${PAYLOAD}">`)),
    ...foreign.map(tag => `<form><${tag}></form><form><mglyph><style></math>${PAYLOAD}`),
    ...foreign.map(tag => `<table><${tag}><td>${PAYLOAD}`),
  ]
}

function listParserConfusions(): string[] {
  return [
    `<!-->${PAYLOAD}-->`,
    `<!--->${PAYLOAD}-->`,
    `<!-- --!>${PAYLOAD}-->`,
    `<![CDATA[>${PAYLOAD}]]>`,
    `<?xml ${PAYLOAD}?>`,
    `<!doctype "${PAYLOAD}">`,
    `</${PAYLOAD}>`,
    `<a title="&quot;>${PAYLOAD}">`,
    `<a title='\`'>${PAYLOAD.replace(' ', '/')}`,
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
    `<form id=f><input name=attributes><input name=innerHTML></form>${PAYLOAD}`,
    `<div id=x></div><a href="javascript:X" id=attributes>t</a>`,
    `${'<div>'.repeat(600)}${PAYLOAD}`,
    `<b>${'<p>'.repeat(60)}</b>${PAYLOAD}`,
    `<select><style></select>${PAYLOAD}</style>`,
    `<iframe srcdoc="<script>parent.X</script>"></iframe>`,
    `<iframe srcdoc="&lt;img src=q onerror=parent.X&gt;"></iframe>`,
    `<style>@import 'data:text/css,*{x:expression(X)}';</style><p>t`,
    `<link rel=import href="data:text/html,<script>X</script>">`,
    `<object type=text/html data="data:text/html,<script>parent.X</script>"></object>`,
  ]
}

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

const PHOTO = readFileSync('tasks/samples/gradient.png')
const PDF = readFileSync('tasks/samples/two-pages.pdf')
const TEXT = 'The river rose in the night, and by the morning it had reached the lowest of the gardens. '.repeat(12)

/** “Река поднялась ночью. ” */
const RIVER_IN_WINDOWS_1251 = '\xd0\xe5\xea\xe0 \xef\xee\xe4\xed\xff\xeb\xe0\xf1\xfc \xed\xee\xf7\xfc\xfe. '

const box = (color: string, height: number, more = '') =>
  `<div style="background:${color};height:${height}px;${more}"></div>`
const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Page</title>${head}<style>body{margin:0;font:16px sans-serif}</style></head><body>${body}</body></html>`

const ARTICLE = page(
  `<nav><a href="/">Home</a></nav><article><h1>The River</h1><p>${TEXT}</p><h2>After</h2><ul><li>one<ul><li>deep</li></ul></li><li>two</li></ul>
  <p>See <a href="more?x=1&amp;y=2">the notes</a> and <img src="/photo.png" alt="a photo">.</p><pre>line 1\n  line 2</pre>
  <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p>${TEXT}</p><script>alert(1)</script>
  <p onclick="x()">Last <a href="javascript:alert(1)">bad</a></p></article><footer>Imprint</footer>`,
  `<meta property="og:site_name" content="The Site"><meta name="author" content="Ada"><link rel="canonical" href="/river">
  <meta property="article:published_time" content="2026-01-02"><meta property="og:image" content="/photo.png">`,
)

type Answer = (request: IncomingMessage, reply: ServerResponse) => void

const html =
  (content: string | Buffer, type = 'text/html; charset=utf-8'): Answer =>
  (_, reply) =>
    reply.setHeader('content-type', type).end(content)
const redirect =
  (location: string): Answer =>
  (_, reply) =>
    reply.writeHead(302, { location }).end()

const PATHS: Record<string, Answer> = {
  '/': html(page(`${box('#0a0', 300)}<p id="hello">Hello</p>`)),
  '/article': html(ARTICLE),
  '/thin': html(
    page(
      `<div id="app"></div><script>app.innerHTML='<article><h1>Drawn</h1><p>'+${JSON.stringify(TEXT)}.repeat(2)+'</p></article>'</script>`,
    ),
  ),
  '/polling': html(
    page(`${box('#00f', 100)}<script>setInterval(() => fetch('/photo.png?' + Math.random()), 50)</script>`),
  ),
  '/banner': html(
    page(
      `${box('#0a0', 900)}<div style="position:fixed;bottom:0;left:0;right:0;height:300px;background:#f00">We use cookies. <button>Accept</button></div>`,
    ),
  ),
  '/lazy': html(
    page(`${box('#fff', 3000)}<img id="late" loading="lazy" width="100" height="100" src="/photo.png"><img class="js" width="100" height="100">
    <script>new IntersectionObserver((seen, o) => seen.forEach(e => { if (e.isIntersecting) e.target.src = '/photo.png' })).observe(document.querySelector('.js'))</script>`),
  ),
  '/sticky': html(
    page(
      `<header style="position:sticky;top:0;height:50px;background:#f00"></header><div style="position:fixed;top:60px;right:0;width:40px;height:40px;background:#00f"></div>${box('#fff', 2500)}`,
    ),
  ),
  '/tall': html(page(Array.from({ length: 20 }, (_, at) => box(at % 2 ? '#0000ff' : '#ff0000', 1000)).join(''))),
  '/dark': html(page('<style>@media (prefers-color-scheme: dark){body{background:#000}}</style>')),
  '/moved': redirect('/'),
  '/script-moved': html(page(`<script>location.href = '/'</script>`)),
  '/endless': html(
    page(
      `<script>(function lead() { location.href = URL.createObjectURL(new Blob(['<script>(' + lead + ')()<' + '/script>'], { type: 'text/html' })) })()</script>`,
    ),
  ),
  '/to-loopback': redirect('http://127.0.0.2:1/'),
  '/to-metadata': redirect('http://169.254.169.254/latest/meta-data/'),
  '/to-file': redirect('file:///etc/passwd'),
  '/loop': redirect('/loop'),
  '/missing': (_, reply) => reply.writeHead(404, { 'content-type': 'text/html' }).end(page('<h1>Nothing here</h1>')),
  '/file.pdf': html(PDF, 'application/pdf'),
  '/file.zip': html('PK\x03\x04', 'application/zip'),
  '/download': (_, reply) =>
    reply.writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment' }).end('x'),
  '/photo.png': html(PHOTO, 'image/png'),
  '/notes.txt': html('Plain <b>notes</b>', 'text/plain'),
  '/closing': (_, reply) => reply.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('closed'),
  '/empty': html('<!doctype html><title></title>'),
  '/latin': html(
    Buffer.from(page(`<article><h1>Se\u00f1or</h1><p>${TEXT}</p></article>`, '<meta charset="iso-8859-1">'), 'latin1'),
    'text/html',
  ),
  '/undeclared-cyrillic': html(
    Buffer.from(
      page(`<article><h1>\xd0\xe5\xea\xe0</h1><p>${RIVER_IN_WINDOWS_1251.repeat(12)}</p></article>`),
      'latin1',
    ),
    'text/html',
  ),
  '/undeclared': html(page(`<article><h1>Se\u00f1or \u6771\u4eac</h1><p>${TEXT}</p></article>`), 'text/html'),
  '/long-headers': (_, reply) =>
    reply.writeHead(200, { 'content-type': 'text/html', 'x-policy': 'a'.repeat(60_000) }).end('long headers'),
  '/rtl': html(
    page(
      `<article dir="rtl"><h1>النهر</h1><p>${'ارتفع النهر في الليل وبلغ البساتين. '.repeat(20)}</p></article>`,
    ).replace('lang="en"', 'lang="ar" dir="rtl"'),
  ),
  '/challenge': html('<title>Just a moment...</title><p>Checking your browser</p>'),
  '/paywall': html(
    page(
      `<article><h1>Paid</h1><p>${TEXT}</p></article><script type="application/ld+json">{"@type":"NewsArticle","headline":"Paid","isAccessibleForFree":"False","author":{"name":"Bob"}}</script>`,
    ),
  ),
  '/zipped': (_, reply) =>
    reply.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync(ARTICLE)),
  '/slow': () => undefined,
  '/alerts': html(page(`<script>alert(1); confirm(2); open('/')</script>${box('#0a0', 100)}`)),
  '/inside': html(
    page(
      `<p id="got">?</p><script>fetch('http://127.0.0.2:9/').then(() => 'reached', () => 'refused').then(text => { got.textContent = text })</script>`,
    ),
  ),
  '/secret': (request, reply) => {
    const { authorization, cookie, 'x-key': key, 'user-agent': agent, 'accept-language': language } = request.headers
    const seen = { authorization, cookie, key, agent, language }
    reply.setHeader('set-cookie', 'visit=2; Path=/').setHeader('content-type', 'text/html')
    if (authorization !== `Basic ${Buffer.from('ada:pass').toString('base64')}`) reply.statusCode = 401
    reply.end(page(`<article><p id="seen">${JSON.stringify(seen)}</p><p>${TEXT}</p></article>`))
  },
}

export interface AwkwardSite extends AsyncDisposable {
  url: string
  port: number
  requests: string[]
}

/** A web site of pages that are awkward or hostile, each in its own way. */
export async function openAwkwardSite(): Promise<AwkwardSite> {
  const requests: string[] = []
  const server = createServer((request, reply) => {
    requests.push(request.url!)
    const answer = PATHS[request.url!.split('?')[0]!]
    if (answer) answer(request, reply)
    else reply.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, requests },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

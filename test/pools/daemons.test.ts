import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPools, type Pools } from '../../pools/index.ts'
import { findBinary } from '../../pools/tools/chromium/browser.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { listDescendants } from '../support/machine/processes.ts'
import { runProgram } from '../support/machine/programs.ts'
import { hasTool, runJob, testPools } from '../support/pools/open.ts'

let pools: Pools & AsyncDisposable
let hasBrowser = false
beforeAll(async () => {
  pools = await testPools()
  hasBrowser = await hasTool(pools, 'chromium')
})
afterAll(() => pools[Symbol.asyncDispose]())

const print = (html: string, body: object = {}, options = {}) =>
  runJob(pools, 'pdf.from-html', { html, ...body }, options)
const textOf = (pdf: Uint8Array) => runProgram('pdftotext', ['-', '-'], pdf)

/** The ids and command lines of the running browsers. */
async function listBrowsers(): Promise<[number, string][]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async pid => [Number(pid), await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  )
  return lines.filter(([, line]) => line.startsWith(findBinary()) && !line.includes('--type=')) as [number, string][]
}

/** The renderers of this process's browsers. */
const listRenderers = () =>
  listDescendants(process.pid).flatMap(({ pid, command }) => (command.includes('--type=renderer') ? [pid] : []))

describe.skipIf(process.platform !== 'linux')('a browser', () => {
  test('starts for the first call and is kept', async context => {
    if (!hasBrowser) context.skip()
    expect(pools.stats().program.daemons).toBe(0)
    await print('<p>one')
    await print('<p>two')
    expect(pools.stats().program).toMatchObject({ daemons: 1, crashed: 0 })
  })

  test('is confined: no privilege, a network of its own, its renderers in their own sandbox', async context => {
    if (!hasBrowser) context.skip()
    await print('<p>one')
    const [[pid]] = (await listBrowsers()) as [[number, string]]
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(/CapEff:\s+0+\n/)
    expect(status).toMatch(/NoNewPrivs:\s+1/)
    const routes = await readFile(`/proc/${pid}/net/route`, 'utf8')
    expect(routes.trim().split('\n')).toHaveLength(1)
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    expect(line).not.toContain('--no-sandbox')
  })

  test('ends a page that never finishes, and the next call gets another browser', async context => {
    if (!hasBrowser) context.skip()
    await expect(print('<script>while (true) {}</script>', {}, { limitSeconds: 2 })).rejects.toMatchObject({
      code: 'TIME_LIMIT_EXCEEDED',
      hints: { limitSeconds: 2 },
    })
    expect((await print('<p>after')).result.pages).toBe(1)
  })

  test('ends a page that exceeds the memory limit, and the next call gets another browser', async context => {
    if (!hasBrowser) context.skip()
    const hungry = '<script>const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5))</script>'
    await expect(print(hungry)).rejects.toMatchObject({ code: 'MEMORY_LIMIT_EXCEEDED' })
    expect((await print('<p>after')).result.pages).toBe(1)
  })

  test('ends when its pools are closed', async context => {
    if (!hasBrowser) context.skip()
    const others = new Set((await listBrowsers()).map(([pid]) => pid))
    const own = await testPools()
    await runJob(own, 'pdf.from-html', { html: '<p>one' })
    const ownBrowsers = (await listBrowsers()).filter(([pid]) => !others.has(pid))
    expect(ownBrowsers.length).toBeGreaterThan(0)
    await own[Symbol.asyncDispose]()
    const listAlive = async () => (await listBrowsers()).filter(([pid]) => ownBrowsers.some(([other]) => other === pid))
    await expect.poll(listAlive).toEqual([])
  })

  test('gives each page with a script a renderer of its own, and keeps one ahead', async context => {
    if (!hasBrowser) context.skip()
    await using own = await testPools({ lanes: { thread: 1, native: 1, program: 1, remote: 1 } })
    const others = new Set(listRenderers())
    const seen = new Set<number>()
    for (let page = 0; page < 4; page += 1) {
      await runJob(own, 'pdf.from-html', { html: `<p id="p"><script>p.textContent = 'page ${page}'</script>` })
      const listAhead = () => listRenderers().filter(pid => !others.has(pid))
      await expect.poll(listAhead).toHaveLength(1)
      for (const pid of listAhead()) seen.add(pid)
    }
    expect(seen.size).toBe(4)
  })

  test('keeps no data of one page for the next', async context => {
    if (!hasBrowser) context.skip()
    const leave = "document.cookie = 'left=here'; localStorage.setItem('left', 'here'); window.name = 'here'"
    await print(`<script>${leave}</script><p>left`)
    const look =
      "document.body.textContent = ['<', document.cookie, localStorage.getItem('left'), window.name, '>'].join('')"
    expect(textOf((await print(`<body><script>${look}</script>`)).bytes)).toContain('<>')
  })
})

const CANARY = 'canary-in-a-file'

/** Ways for a page to reach a listener on this machine, or a file that all users may read. */
const ESCAPES: [string, (target: string) => string][] = [
  ['an iframe', target => `<iframe src="${target}" width="600" height="400"></iframe>`],
  ['an image', target => `<img src="${target}">`],
  ['a style sheet', target => `<link rel="stylesheet" href="${target}">`],
  ['an import', target => `<style>@import url("${target}");</style>`],
  ['a background', target => `<body style="background: url('${target}')">`],
  ['a font', target => `<style>@font-face { font-family: x; src: url("${target}") } p { font-family: x }</style><p>a`],
  ['an object', target => `<object data="${target}" width="600" height="400"></object><embed src="${target}">`],
  ['an image in SVG', target => `<svg width="99" height="99"><image href="${target}" width="99" height="99"/></svg>`],
  ['a foreign use in SVG', target => `<svg><use href="${target}#a"/></svg>`],
  ['a refresh', target => `<meta http-equiv="refresh" content="0; url=${target}"><p>stays`],
  ['a navigation', target => `<script>location.href = ${JSON.stringify(target)}</script><p>stays`],
  ['a window', target => `<script>window.open(${JSON.stringify(target)})</script>`],
  ['a form', target => `<form id="f" action="${target}"></form><script>f.submit()</script>`],
  ['fetch', target => showResult(`fetch(${JSON.stringify(target)}).then(reply => reply.text())`)],
  [
    'a request',
    target =>
      showResult(`new Promise((done, fail) => { const request = new XMLHttpRequest();
      request.onload = () => done(request.responseText); request.onerror = fail;
      request.open('GET', ${JSON.stringify(target)}); request.send() })`),
  ],
  [
    'a socket',
    target =>
      showResult(`new Promise((done, fail) => {
      const socket = new WebSocket(${JSON.stringify(target)}.replace(/^[a-z]+/, 'ws'))
      socket.onopen = () => done('open'); socket.onerror = fail })`),
  ],
  [
    'a worker',
    target =>
      showResult(`new Promise((done, fail) => {
      const code = 'fetch(' + ${JSON.stringify(JSON.stringify(target))} + ').then(r => r.text()).then(postMessage, () => postMessage(""))'
      const worker = new Worker(URL.createObjectURL(new Blob([code])))
      worker.onmessage = ({ data }) => done(data); worker.onerror = fail })`),
  ],
  ['a beacon', target => `<script>navigator.sendBeacon(${JSON.stringify(target)}, 'x')</script>`],
  [
    'a peer connection',
    target => `<script>new RTCPeerConnection({ iceServers: [{ urls:
      ${JSON.stringify(target)}.replace(/^[a-z]+:..([^/]*).*/, 'turn:$1?transport=tcp'), username: 'a', credential: 'b' }] })
      .createDataChannel('x')</script>`,
  ],
  ['a preconnection', target => `<link rel="preconnect" href="${target}"><link rel="prefetch" href="${target}">`],
]

function showResult(promise: string): string {
  return `<body><script>${promise}.then(text => { document.body.textContent = text }, () => {})</script>`
}

describe.each([
  ['with the sandbox of production', 'auto' as const],
  ['without a sandbox', 'off' as const],
])('a page reaches nothing on this machine, %s', (_, sandbox) => {
  test('neither a listener nor a file', async context => {
    if (!hasBrowser) context.skip()
    await using temporary = await freshFolder()
    await using own = await testPools({ sandbox })
    const connections: string[] = []
    const listener = createServer(socket => {
      connections.push('connected')
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    const file = join(temporary.path, 'canary.html')
    await writeFile(file, CANARY, { mode: 0o644 })
    const targets = [`http://127.0.0.1:${port}/x`, `http://localhost:${port}/x`, `file://${file}`]
    const wait = { timeoutMs: 10_000 }
    for (const [name, writeEscape] of ESCAPES) {
      const html = `<!doctype html>${targets.map(writeEscape).join('\n')}`
      const { bytes, result } = await runJob(own, 'pdf.from-html', { html, wait }).catch(error => {
        throw new Error(`${name}: ${error}`)
      })
      expect(textOf(bytes), name).not.toContain(CANARY)
      expect(result.pages, name).toBeGreaterThan(0)
      expect(connections, name).toEqual([])
    }
    listener.close()
  })
})

test('without a sandbox in production no browser is started', async () => {
  await using temporary = await freshFolder()
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const lanes = { thread: 1, native: 1, program: 1, remote: 1 }
  const refusing = await openPools({
    workRoot: join(temporary.path, 'work'),
    lanes,
    sandbox: 'off',
    production: true,
    log: silent,
  })
  await expect(runJob(refusing, 'pdf.from-html', { html: '<p>x' })).rejects.toMatchObject({
    code: 'SANDBOX_UNAVAILABLE',
  })
  await refusing.close()
})

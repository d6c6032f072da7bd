import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { HtmlSource } from '#kit'
import type { Fetched, Outbound } from '../outbound.ts'
import type { Tab } from './chromium-browser.ts'
import type { Params } from './chromium-pipe.ts'

/** The page's own address; `invalid` is a name that never resolves. */
const HOME = 'http://document.invalid'
export const PAGE_ADDRESS = `${HOME}/`

const MOST_REQUESTS = 200
const MOST_BYTES = 50 * 2 ** 20

export interface FailedRequest {
  url: string
  reason: string
}

interface Paused {
  requestId: string
  request: { url: string; method: string }
  frameId: string
  resourceType: string
}

/** Answers everything a page asks for: itself, its assets, and what may be fetched. Nothing goes past here. */
export class Requests {
  readonly failed: FailedRequest[] = []
  private readonly tab: Tab
  private readonly source: HtmlSource
  private readonly outbound: Outbound | undefined
  private readonly signal: AbortSignal
  private readonly assets: ReadonlyMap<string, string>
  private isOpened = false
  private count = 0
  private bytes = 0
  private open = 0
  private quietSince = 0

  constructor(tab: Tab, source: HtmlSource, outbound: Outbound | undefined, signal: AbortSignal) {
    this.signal = signal
    this.tab = tab
    this.source = source
    this.outbound = outbound
    this.assets = new Map(source.assets.map(({ name, path }) => [name, path]))
  }

  /** For how long nothing has been asked. */
  get quietMs(): number {
    return this.open > 0 ? 0 : performance.now() - this.quietSince
  }

  openAgain(): void {
    this.isOpened = false
  }

  async answer(params: Params): Promise<void> {
    const paused = params as unknown as Paused
    this.open += 1
    try {
      await this.respond(paused)
    } catch (error) {
      await this.refuse(paused, (error as Error).message)
    } finally {
      this.open -= 1
      this.quietSince = performance.now()
    }
  }

  private async respond(paused: Paused): Promise<void> {
    const { url, method } = paused.request
    if (/^(data|blob|about):/.test(url))
      return void this.tab.send('Fetch.continueRequest', { requestId: paused.requestId })
    if (paused.frameId === this.tab.frameId && paused.resourceType === 'Document') return this.openPage(paused)
    if (url.startsWith(PAGE_ADDRESS)) return this.asset(paused)
    if (!/^https?:/.test(url)) throw new Error('not an address that pages are given files of')
    if (!this.outbound) throw new Error('fetching from the web is off')
    this.count += 1
    if (this.count > MOST_REQUESTS) throw new Error(`more than ${MOST_REQUESTS} files`)
    if (method !== 'GET') throw new Error('pages only get files')
    const fetched = await this.outbound(url, { bytes: MOST_BYTES - this.bytes, signal: this.signal })
    this.bytes += fetched.body.length
    if (fetched.status >= 400) this.failed.push({ url, reason: `answered ${fetched.status}` })
    await this.fulfil(paused, fetched)
  }

  /** The page itself, once: whoever leads it elsewhere is stopped, and the page stays. */
  private async openPage(paused: Paused): Promise<void> {
    if (this.isOpened || paused.request.url !== PAGE_ADDRESS) {
      this.failed.push({ url: paused.request.url.slice(0, 300), reason: 'the page stays where it is' })
      await this.tab.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Aborted' })
      return
    }
    this.isOpened = true
    const { html, path } = this.source
    const type = html === undefined ? 'text/html' : 'text/html; charset=utf-8'
    const body = html === undefined ? await readFile(path!) : Buffer.from(html)
    await this.fulfil(paused, { status: 200, headers: { 'content-type': type }, body })
  }

  private async asset(paused: Paused): Promise<void> {
    const name = decodeURIComponent(new URL(paused.request.url).pathname.slice(1))
    const path = this.assets.get(name)
    if (path === undefined) {
      if (name !== 'favicon.ico') this.failed.push({ url: name, reason: 'is not among the assets' })
      return this.fulfil(paused, { status: 404, headers: {}, body: new Uint8Array() })
    }
    const type = TYPES[extname(name).toLowerCase()]
    await this.fulfil(paused, {
      status: 200,
      headers: type ? { 'content-type': type } : {},
      body: await readFile(path),
    })
  }

  private async fulfil({ requestId }: Paused, { status, headers, body }: Fetched): Promise<void> {
    const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }))
    const answer = { requestId, responseCode: status, responseHeaders, body: Buffer.from(body).toString('base64') }
    await this.tab.send('Fetch.fulfillRequest', answer)
  }

  private async refuse({ requestId, request }: Paused, reason: string): Promise<void> {
    this.failed.push({ url: request.url.slice(0, 300), reason })
    await this.tab.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined)
  }
}

const TYPES: Record<string, string | undefined> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
}

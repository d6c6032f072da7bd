import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { HtmlSource } from '#kit'
import type { OutboundFetch } from '../../fetch/outbound.ts'
import { isPageRequest, OpenRequests, type PausedRequest, sendAnswer } from './answers.ts'
import type { Tab } from './browser.ts'
import type { Params } from './pipe.ts'

/** The page's own origin; `.invalid` is a reserved domain that never resolves. */
const PAGE_ORIGIN = 'http://document.invalid'
export const PAGE_URL = `${PAGE_ORIGIN}/`

const MAX_REQUESTS = 200
const MAX_BYTES = 50 * 2 ** 20

export interface FailedRequest {
  url: string
  reason: string
}

/** Answers every request of a page: the page itself, its assets, and permitted fetches from the web. */
export class Requests {
  readonly failed: FailedRequest[] = []
  readonly #tab: Tab
  readonly #source: HtmlSource
  readonly #outbound: OutboundFetch | undefined
  readonly #signal: AbortSignal
  readonly #assets: ReadonlyMap<string, string>
  #isPageServed = false
  #fetchCount = 0
  #fetchedBytes = 0
  readonly #open = new OpenRequests()

  constructor(tab: Tab, source: HtmlSource, outbound: OutboundFetch | undefined, signal: AbortSignal) {
    this.#signal = signal
    this.#tab = tab
    this.#source = source
    this.#outbound = outbound
    this.#assets = new Map(source.assets.map(({ name, path }) => [name, path]))
  }

  /** The time since the last request was answered; 0 while requests are open. */
  get idleMs(): number {
    return this.#open.idleMs
  }

  allowReload(): void {
    this.#isPageServed = false
  }

  handlePaused(params: Params): Promise<void> {
    const paused = params as unknown as PausedRequest
    return this.#open.track(() => this.#respond(paused).catch((error: Error) => this.#fail(paused, error.message)))
  }

  async #respond(paused: PausedRequest): Promise<void> {
    const { url, method } = paused.request
    if (/^(data|blob|about):/.test(url))
      return void this.#tab.send('Fetch.continueRequest', { requestId: paused.requestId })
    if (isPageRequest(this.#tab, paused)) return this.#servePage(paused)
    if (url.startsWith(PAGE_URL)) return this.#serveAsset(paused)
    if (!/^https?:/.test(url)) throw new Error('only http and https URLs can be fetched')
    if (!this.#outbound) throw new Error('network access is off')
    this.#fetchCount += 1
    if (this.#fetchCount > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests`)
    if (method !== 'GET') throw new Error('only GET requests are allowed')
    const fetched = await this.#outbound(url, { bytes: MAX_BYTES - this.#fetchedBytes, signal: this.#signal })
    this.#fetchedBytes += fetched.body.length
    if (fetched.status >= 400) this.failed.push({ url, reason: `answered ${fetched.status}` })
    await sendAnswer(this.#tab, paused, fetched)
  }

  /** Serves the page once. Later navigations of the main frame are aborted, and the page stays as it is. */
  async #servePage(paused: PausedRequest): Promise<void> {
    if (this.#isPageServed || paused.request.url !== PAGE_URL) {
      this.failed.push({ url: paused.request.url.slice(0, 300), reason: 'navigation is blocked' })
      await this.#tab.send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Aborted' })
      return
    }
    this.#isPageServed = true
    const { html, path } = this.#source
    const type = html === undefined ? 'text/html' : 'text/html; charset=utf-8'
    const body = html === undefined ? await readFile(path!) : Buffer.from(html)
    await sendAnswer(this.#tab, paused, { status: 200, headers: { 'content-type': type }, body })
  }

  async #serveAsset(paused: PausedRequest): Promise<void> {
    const name = decodeURIComponent(new URL(paused.request.url).pathname.slice(1))
    const path = this.#assets.get(name)
    if (path === undefined) {
      if (name !== 'favicon.ico') this.failed.push({ url: name, reason: 'is not among the assets' })
      return sendAnswer(this.#tab, paused, { status: 404, headers: {}, body: new Uint8Array() })
    }
    const type = CONTENT_TYPES[extname(name).toLowerCase()]
    await sendAnswer(this.#tab, paused, {
      status: 200,
      headers: type ? { 'content-type': type } : {},
      body: await readFile(path),
    })
  }

  async #fail({ requestId, request }: PausedRequest, reason: string): Promise<void> {
    this.failed.push({ url: request.url.slice(0, 300), reason })
    await this.#tab.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined)
  }
}

const CONTENT_TYPES: Record<string, string | undefined> = {
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

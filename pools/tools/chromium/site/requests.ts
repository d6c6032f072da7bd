import { isAscii, isUtf8 } from 'node:buffer'
import { Problem } from '#kit'
import { findDeclaredCharset } from '../../../../tasks/formats/html/charset.ts'
import { DestinationRefused } from '../../../../tasks/formats/web-address/destination.ts'
import type { FetchResponse, OutboundFetch } from '../../../fetch/outbound.ts'
import { isPageRequest, OpenRequests, type PausedRequest, sendAnswer } from '../answers.ts'
import type { Tab } from '../browser.ts'
import type { Params } from '../pipe.ts'
import type { FailedRequest } from '../requests.ts'
import { type Blockable, findBlock } from './blocking.ts'

/** How a site is asked for, besides its address. */
export interface SiteAccess {
  url: string
  headers: Readonly<Record<string, string>>
  cookies: readonly { name: string; value: string; domain?: string; path?: string }[]
  auth?: { username: string; password: string }
  userAgent?: string
  locale: string
  block: readonly Blockable[]
  allowErrorStatus: boolean
}

export interface SiteDocument {
  finalUrl: string
  status: number
  contentType: string
  redirects: number
  /** Nothing of it loads later than the page, whatever is done with it. */
  isStill: boolean
  /** Of a document that no page is made of. */
  file?: Uint8Array
}

/** What runs, loads late or hides such things; zeros are of charsets in which this would not be found. */
const LATE_CONTENT = /<(script|i?frame|frameset|object|embed|template)\b|\bloading\s*=|[\s"'/]on\w+\s*=|javascript:|\0/i

const MAX_REQUESTS = 400
const MAX_BYTES = 50 * 2 ** 20
const MAX_REDIRECTS = 5
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']
const SHOWN_TYPES = /^(text\/|image\/|application\/(xhtml\+xml|xml|json|[\w.-]+\+(xml|json))|$)/

/** Answers every request of a site from the web, through the guard. The browser itself has no network. */
export class SiteRequests {
  readonly failed: FailedRequest[] = []
  /** The answer of the page itself, after all redirects. */
  document: SiteDocument | undefined
  /** Why there is no page. */
  problem: Problem | undefined
  readonly #tab: Tab
  readonly #site: SiteAccess
  readonly #outbound: OutboundFetch
  readonly #signal: AbortSignal
  readonly #origin: string
  #redirects = -1
  #isFrozen = false
  #fetchCount = 0
  #fetchedBytes = 0
  readonly #open = new OpenRequests()

  constructor(tab: Tab, site: SiteAccess, outbound: OutboundFetch, signal: AbortSignal) {
    this.#tab = tab
    this.#site = site
    this.#outbound = outbound
    this.#signal = signal
    this.#origin = new URL(site.url).origin
  }

  get idleMs(): number {
    return this.#open.idleMs
  }

  /** From now on the page stays where it is. */
  freeze(): void {
    this.#isFrozen = true
  }

  handlePaused(params: Params): Promise<void> {
    const paused = params as unknown as PausedRequest
    return this.#open.track(() => this.#respond(paused).catch(error => this.#refuse(paused, error)))
  }

  async #respond(paused: PausedRequest): Promise<void> {
    const { url, method } = paused.request
    if (/^(data|blob|about):/.test(url))
      return void (await this.#tab.send('Fetch.continueRequest', { requestId: paused.requestId }))
    const isPage = isPageRequest(this.#tab, paused)
    if (isPage) this.#countPage()
    else if (findBlock(url, paused.resourceType, this.#site.block)) return this.#abort(paused)
    if (!METHODS.includes(method)) throw new Error(`${method} requests are not sent`)
    if (++this.#fetchCount > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests`)
    const response = await this.#outbound(url, {
      method,
      headers: await this.#buildHeaders(paused),
      ...(paused.request.postData !== undefined && { body: Buffer.from(paused.request.postData) }),
      bytes: MAX_BYTES - this.#fetchedBytes,
      signal: this.#signal,
    })
    this.#fetchedBytes += response.body.length
    if (isPage && !this.#acceptPage(url, response)) return this.#abort(paused)
    if (!isPage && response.status >= 400) this.#addFailure(url, `answered ${response.status}`)
    await sendAnswer(this.#tab, paused, paused.resourceType === 'Document' ? declareUtf8(response) : response)
  }

  #countPage(): void {
    if (this.#isFrozen) throw new Error('navigation is blocked')
    this.#redirects += 1
    if (this.#redirects > MAX_REDIRECTS)
      throw new Problem('FETCH_FAILED', { reason: `more than ${MAX_REDIRECTS} redirects` })
  }

  /** Whether a page can be made of the answer. */
  #acceptPage(url: string, { status, headers, body }: FetchResponse): boolean {
    if (status >= 300 && status < 400 && headers.location !== undefined) return true
    if (status >= 400 && !this.#site.allowErrorStatus) throw new Problem('FETCH_FAILED', { status, finalUrl: url })
    const contentType = String(headers['content-type'] ?? '').toLowerCase()
    const isDownload = /^\s*attachment/i.test(String(headers['content-disposition'] ?? ''))
    const isStill = contentType.startsWith('text/html') && !LATE_CONTENT.test(Buffer.from(body).toString('latin1'))
    this.document = { finalUrl: url, status, contentType, redirects: this.#redirects, isStill }
    if (!isDownload && SHOWN_TYPES.test(contentType)) return true
    this.document.file = body
    return false
  }

  /** Secrets of the caller go to the origin that they were given for, and to no other. */
  async #buildHeaders({ request }: PausedRequest): Promise<Record<string, string>> {
    const { headers, auth, locale } = this.#site
    const { cookies } = await this.#tab.send<{ cookies: { name: string; value: string }[] }>('Network.getCookies', {
      urls: [request.url],
    })
    const isOwn = new URL(request.url).origin === this.#origin
    const own = isOwn ? { ...headers, ...(auth && { authorization: encodeBasic(auth) }) } : {}
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    return {
      ...lowerCaseNames(request.headers),
      'accept-encoding': 'gzip, deflate, br',
      'accept-language': locale,
      ...lowerCaseNames(own),
      ...(cookie !== '' && { cookie }),
    }
  }

  async #refuse(paused: PausedRequest, error: unknown): Promise<void> {
    const isPage = isPageRequest(this.#tab, paused)
    if (isPage && !this.#isFrozen) this.problem ??= toProblem(error)
    else this.#addFailure(paused.request.url, describe(error))
    await this.#abort(paused).catch(() => undefined)
  }

  async #abort({ requestId }: PausedRequest): Promise<void> {
    await this.#tab.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
  }

  #addFailure(url: string, reason: string): void {
    if (this.failed.length < 100) this.failed.push({ url: url.slice(0, 300), reason })
  }
}

/** Errors of the network name addresses inside, so only their code is told. */
function describe(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: unknown; message: string }
  if (error instanceof Problem || error instanceof DestinationRefused) return message
  if (name === 'TimeoutError' || name === 'AbortError') return 'no complete answer in time'
  return typeof code === 'string' ? code : message
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DestinationRefused) return new Problem('URL_NOT_ALLOWED', { reason: error.message })
  return new Problem('FETCH_FAILED', { reason: describe(error) })
}

/** Browsers take a page that names no charset for one in Windows-1252; where it is UTF-8, the other operations read it so. */
function declareUtf8(response: FetchResponse): FetchResponse {
  const { headers, body } = response
  const type = headers['content-type']
  const isUndeclared = typeof type === 'string' && /^\s*text\/html\s*;?\s*$/i.test(type)
  if (!isUndeclared || findDeclaredCharset(body) !== undefined || isAscii(body) || !isUtf8(body)) return response
  return { ...response, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' } }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

export function encodeBasic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

import { type HtmlSource, Problem, type Rendering, type Warning } from '#kit'
import type { HostRoom } from '../job-room.ts'
import type { Tab } from './chromium-browser.ts'
import { type Params, type PipeEvent, Refusal } from './chromium-pipe.ts'
import { type FailedRequest, PAGE_ADDRESS, Requests } from './chromium-requests.ts'

export type FailOn = 'resource' | 'console' | 'font'

export interface PageOptions extends Rendering {
  failOn?: readonly FailOn[]
}

const MOST_WARNINGS = 20
const LONGEST_IDLE_WAIT_MS = 2_000
const QUIET_MS = 150
const POLL_MS = 25

/** A page that is opened in a tab, made ready and asked what went wrong. */
export class Page {
  readonly tab: Tab
  /** Written into a tab that is kept. */
  isPlain = false
  private readonly requests: Requests
  private readonly options: PageOptions
  private readonly complaints: string[] = []
  private loaded = Promise.withResolvers<void>()
  private isWhole = false
  private readonly broken = Promise.withResolvers<never>()
  private isThere = false
  private until = 0

  constructor(
    tab: Tab,
    source: HtmlSource,
    options: PageOptions,
    { outbound, signal }: Pick<HostRoom, 'outbound' | 'signal'>,
  ) {
    this.tab = tab
    this.options = options
    this.requests = new Requests(tab, source, options.network === 'public' ? outbound : undefined, signal)
    this.broken.promise.catch(() => undefined)
    tab.listen(event => this.hear(event))
  }

  /** Opens the page and waits until it can be drawn. */
  async open(): Promise<void> {
    const { wait } = this.options
    this.until = performance.now() + wait.timeoutMs
    await this.emulate()
    await this.load()
    if (!this.isWhole) await this.loadAgain()
    if (wait.selector !== undefined) await this.appearance(wait.selector)
    await this.settle()
    if (wait.delayMs > 0) await this.pause(wait.delayMs)
  }

  private async load(): Promise<void> {
    const { errorText } = await this.inTime(
      this.tab.send<{ errorText?: string }>('Page.navigate', { url: PAGE_ADDRESS }),
    )
    if (errorText) throw new Problem('HTML_RENDER_FAILED', { detail: errorText })
    await this.inTime(this.loaded.promise)
  }

  /** A page that leads itself away before it is whole is drawn as it is without its scripts. */
  private async loadAgain(): Promise<void> {
    await this.unbroken(this.tab.send('Emulation.setScriptExecutionDisabled', { value: true }))
    this.requests.openAgain()
    this.isThere = false
    this.loaded = Promise.withResolvers<void>()
    await this.load()
  }

  /** The same for a page that is plain, in a tab that is kept. */
  async write(html: string): Promise<void> {
    this.isPlain = true
    this.until = performance.now() + this.options.wait.timeoutMs
    await this.inTime(this.tab.send('Page.setDocumentContent', { frameId: this.tab.frameId, html }))
    await this.evaluate(DECODED)
  }

  /** What an expression comes to in a world of our own, which the page's scripts cannot bend. */
  async evaluate<Value>(expression: string): Promise<Value> {
    this.tab.world ??= this.tab.send('Page.createIsolatedWorld', { frameId: this.tab.frameId, worldName: 'ours' })
    const { executionContextId: contextId } = await this.inTime(this.tab.world)
    const asked = { expression, contextId, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await this.inTime(this.tab.send<Evaluated>('Runtime.evaluate', asked))
    if (exceptionDetails) throw new Refusal(exceptionDetails.text)
    return result.value as Value
  }

  /** Whatever is asked of the browser ends when the page breaks; the deadline of the job stands over all of it. */
  unbroken<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([work, this.broken.promise])
  }

  /** What a careful caller wants to know; a Problem where the caller asked for one. */
  findings(missingFonts: readonly string[]): Warning[] {
    const { failOn = [] } = this.options
    const { failed } = this.requests
    if (failOn.includes('font') && missingFonts.length > 0)
      throw new Problem('FONT_UNAVAILABLE', { font: missingFonts[0] })
    if (failOn.includes('resource') && failed.length > 0) throw new Problem('RESOURCE_FAILED', { ...failed[0] })
    if (failOn.includes('console') && this.complaints.length > 0)
      throw new Problem('HTML_RENDER_FAILED', { detail: this.complaints[0] })
    return [
      ...missingFonts.map(fontWarning),
      ...failed.map(failedWarning),
      ...this.complaints.map(complaintWarning),
    ].slice(0, MOST_WARNINGS)
  }

  private async emulate(): Promise<void> {
    const { javascript, locale, timezone, colorScheme } = this.options
    const { tab } = this
    const features = colorScheme ? [{ name: 'prefers-color-scheme', value: colorScheme }] : []
    const asked = [
      this.accepted('timezone', tab.send('Emulation.setTimezoneOverride', { timezoneId: timezone })),
      ...(locale
        ? [this.accepted('locale', tab.send('Emulation.setLocaleOverride', { locale: locale.replace('-', '_') }))]
        : []),
      ...(javascript ? [] : [tab.send('Emulation.setScriptExecutionDisabled', { value: true })]),
      ...(features.length > 0 ? [tab.send('Emulation.setEmulatedMedia', { features })] : []),
    ]
    await this.unbroken(Promise.all(asked))
  }

  private async accepted(field: string, asked: Promise<unknown>): Promise<void> {
    await asked.catch(error => {
      throw error instanceof Refusal ? new Problem('INVALID_PARAM', { field }) : error
    })
  }

  private async appearance(selector: string): Promise<void> {
    const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
    while (!(await this.asked(expression))) {
      if (performance.now() + POLL_MS > this.until) throw new Problem('SELECTOR_NOT_FOUND', { selector })
      await this.pause(POLL_MS)
    }
  }

  private async asked(expression: string): Promise<boolean> {
    return await this.evaluate<boolean>(expression).catch(error => {
      throw error instanceof Refusal ? new Problem('INVALID_PARAM', { field: 'wait.selector' }) : error
    })
  }

  /** Fonts are there, scripts have drawn their frames, and nothing is on its way any more. */
  private async settle(): Promise<void> {
    const { javascript, wait } = this.options
    const isStill = await this.evaluate<boolean | undefined>(javascript ? SETTLED : FONTS)
    if (!javascript || isStill !== false || !wait.networkIdle) return
    const until = Math.min(this.until, performance.now() + LONGEST_IDLE_WAIT_MS)
    while (this.requests.quietMs < QUIET_MS && performance.now() < until) await this.pause(POLL_MS)
    await this.evaluate(SETTLED)
  }

  private pause(forMs: number): Promise<void> {
    return this.unbroken(new Promise(resolve => setTimeout(resolve, forMs)))
  }

  private async inTime<Value>(work: Promise<Value>): Promise<Value> {
    const { timeoutMs } = this.options.wait
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: timeoutMs / 1000, waitedFor: 'the page' })),
      Math.max(0, this.until - performance.now()),
    )
    try {
      return await this.unbroken(Promise.race([work, late.promise]))
    } finally {
      clearTimeout(timer)
    }
  }

  private hear({ method, params }: PipeEvent): void {
    if (method === 'Fetch.requestPaused') void this.requests.answer(params)
    else if (method === 'Page.frameNavigated') this.arrive(params)
    else if (STOPS.has(method) && this.isThere) this.stop(method, params)
    else if (method === 'Page.javascriptDialogOpening')
      void this.tab.send('Page.handleJavaScriptDialog', { accept: false })
    else if (method === 'Inspector.targetCrashed')
      this.broken.reject(new Problem('MEMORY_LIMIT_EXCEEDED', { detail: 'the page crashed' }))
    else if (method === 'Runtime.exceptionThrown') this.complain(thrownText(params))
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.complain(consoleText(params))
  }

  private stop(method: string, { frameId }: Params): void {
    if (method === 'Page.loadEventFired') this.isWhole = true
    else if (frameId !== this.tab.frameId) return
    this.loaded.resolve()
  }

  private arrive(params: Params): void {
    const { frame } = params as { frame: { id: string; url: string } }
    if (frame.id === this.tab.frameId && frame.url === PAGE_ADDRESS) this.isThere = true
  }

  private complain(text: string): void {
    if (this.complaints.length < MOST_WARNINGS) this.complaints.push(text.slice(0, 300))
  }
}

/** The second comes where a script stopped the page before it was whole. */
const STOPS = new Set(['Page.loadEventFired', 'Page.frameStoppedLoading'])

interface Evaluated {
  result: { value: unknown }
  exceptionDetails?: { text: string }
}

/** A page that was stopped half way has neither fonts that are ready nor frames. */
const within = (promise: string) => `Promise.race([${promise}, new Promise(done => setTimeout(done, 2000))])`

const DECODED = within(
  'Promise.all([document.fonts.ready, ...[...document.images].map(image => image.decode().catch(() => {}))]).then(() => true)',
)

const FONTS = within('document.fonts.ready.then(() => true)')

/** Comes to whether the page has no scripts that could still be at work. Two frames, because charts draw in the first. */
const SETTLED = within(`document.fonts.ready.then(() => document.scripts.length === 0 || new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(false)))))`)

function thrownText(params: Params): string {
  const { exceptionDetails: told } = params as {
    exceptionDetails?: { text?: string; exception?: { description?: string } }
  }
  return (told?.exception?.description ?? told?.text ?? 'a script failed').split('\n')[0]!
}

function consoleText(params: Params): string {
  const { args = [] } = params as { args?: { value?: unknown; description?: string }[] }
  return args.map(({ value, description }) => description ?? String(value)).join(' ')
}

function failedWarning({ url, reason }: FailedRequest): Warning {
  return { code: 'RESOURCE_FAILED', message: `${url}: ${reason}` }
}

function fontWarning(font: string): Warning {
  return { code: 'FONT_SUBSTITUTED', message: `${font} is not here; another font stands in for it.` }
}

function complaintWarning(message: string): Warning {
  return { code: 'CONSOLE_ERROR', message }
}

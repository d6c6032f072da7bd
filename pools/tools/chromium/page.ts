import { type HtmlSource, Problem, type Rendering, type Warning } from '#kit'
import type { HostContext } from '../../host-context.ts'
import type { Tab } from './browser.ts'
import { isDoneOnceLoaded } from './loading-page.ts'
import { toConsoleWarning, toFontWarning, toResourceWarning } from './page-warnings.ts'
import { type DevtoolsEvent, type Params, ProtocolError } from './pipe.ts'
import { type FailedRequest, PAGE_URL, Requests } from './requests.ts'
import { WAIT_FOR_FONTS, WAIT_FOR_IMAGES, WAIT_UNTIL_SETTLED } from './waits.ts'

type FailOn = 'resource' | 'console' | 'font'

export interface PageOptions extends Rendering {
  failOn?: readonly FailOn[]
}

/** Where a page comes from, and what answers its requests. */
interface PageContent {
  url: string
  requests: {
    readonly failed: readonly FailedRequest[]
    readonly idleMs: number
    handlePaused(params: Params): Promise<void>
    /** Absent for a site, which is not loaded again. */
    allowReload?(): void
  }
  isDoneOnceLoaded: boolean
  /** For a site: the page counts as loaded so long after its text is there, although files of it are still missing. */
  patienceMs?: number
}

export function createContent(
  tab: Tab,
  source: HtmlSource,
  options: PageOptions,
  { outbound, signal }: Pick<HostContext, 'outbound' | 'signal'>,
): PageContent {
  const requests = new Requests(tab, source, options.network === 'public' ? outbound : undefined, signal)
  return { url: PAGE_URL, requests, isDoneOnceLoaded: isDoneOnceLoaded(source) }
}

const MAX_WARNINGS = 20
const MAX_IDLE_WAIT_MS = 2_000
const IDLE_MS = 150
const POLL_MS = 25
const MAX_TRIES = 20
/** Pages that scripts make of blobs ask for nothing, so nothing else ends their row. */
const MAX_NAVIGATIONS = 10
/** The page has led on to another one while a script ran in it. */
const LOST_WORLD = /context|navigat|target|No frame/i

/** Loads a page in a tab, waits until it can be drawn, and records what went wrong. */
export class Page {
  readonly tab: Tab
  /** The page was written into the shared tab for plain pages. */
  isPlain = false
  readonly #content: PageContent
  readonly #options: PageOptions
  readonly #consoleErrors: string[] = []
  #loaded = Promise.withResolvers<void>()
  #isLoadComplete = false
  readonly #failed = Promise.withResolvers<never>()
  #isNavigated = false
  #navigations = 0
  #deadlineMs = 0

  constructor(tab: Tab, content: PageContent, options: PageOptions) {
    this.tab = tab
    this.#options = options
    this.#content = content
    this.#failed.promise.catch(() => undefined)
    tab.listen(event => this.#handleEvent(event))
  }

  /** Opens the page and waits until it can be drawn. */
  async open(): Promise<void> {
    const { wait } = this.#options
    this.#deadlineMs = performance.now() + wait.timeoutMs
    await this.#emulate()
    await this.#load()
    if (!this.#isLoadComplete && this.#content.requests.allowReload) await this.#loadWithoutScripts()
    if (wait.selector !== undefined) await this.#waitForSelector(wait.selector)
    await this.waitUntilSettled()
    if (wait.delayMs > 0) await this.pause(wait.delayMs)
  }

  async #load(): Promise<void> {
    const { errorText } = await this.#withDeadline(
      this.tab.send<{ errorText?: string }>('Page.navigate', { url: this.#content.url }),
    )
    if (errorText) throw new Problem('HTML_RENDER_FAILED', { detail: errorText })
    await this.#withDeadline(this.#loaded.promise)
  }

  /** Loads the page again with scripts disabled, because a script navigated away before loading was complete. */
  async #loadWithoutScripts(): Promise<void> {
    await this.rejectOnCrash(this.tab.send('Emulation.setScriptExecutionDisabled', { value: true }))
    this.#content.requests.allowReload?.()
    this.#isNavigated = false
    this.#loaded = Promise.withResolvers<void>()
    await this.#load()
  }

  /** Replaces the content of the shared tab, for plain pages. */
  async write(html: string): Promise<void> {
    this.isPlain = true
    this.#deadlineMs = performance.now() + this.#options.wait.timeoutMs
    await this.#withDeadline(this.tab.send('Page.setDocumentContent', { frameId: this.tab.frameId, html }))
    await this.evaluate(WAIT_FOR_IMAGES)
  }

  /** Evaluates an expression in an isolated world, which the page's scripts cannot manipulate. */
  async evaluate<Value>(expression: string, tries = MAX_TRIES): Promise<Value> {
    try {
      return await this.#evaluateOnce<Value>(expression)
    } catch (error) {
      const hasMoved = error instanceof ProtocolError && LOST_WORLD.test(error.message)
      if (!hasMoved || tries === 1 || this.#content.patienceMs === undefined) throw error
      this.tab.isolatedWorld = undefined
      await this.pause(POLL_MS)
      return this.evaluate(expression, tries - 1)
    }
  }

  async #evaluateOnce<Value>(expression: string): Promise<Value> {
    this.tab.isolatedWorld ??= this.tab.send('Page.createIsolatedWorld', {
      frameId: this.tab.frameId,
      worldName: 'ours',
    })
    const { executionContextId: contextId } = await this.#withDeadline(this.tab.isolatedWorld)
    const evaluation = { expression, contextId, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await this.#withDeadline(
      this.tab.send<EvaluationResponse>('Runtime.evaluate', evaluation),
    )
    if (exceptionDetails) throw new ProtocolError(exceptionDetails.text)
    return result.value as Value
  }

  /** Rejects if the page crashes, because the browser then never answers, or leads on without an end. */
  rejectOnCrash<Value>(work: Promise<Value>): Promise<Value> {
    return Promise.race([work, this.#failed.promise])
  }

  /** Throws a Problem instead for the kinds of failure that the caller listed in `failOn`. */
  collectWarnings(missingFonts: readonly string[]): Warning[] {
    const { failOn = [] } = this.#options
    const { failed } = this.#content.requests
    if (failOn.includes('font') && missingFonts.length > 0)
      throw new Problem('FONT_UNAVAILABLE', { font: missingFonts[0] })
    if (failOn.includes('resource') && failed.length > 0) throw new Problem('RESOURCE_FAILED', { ...failed[0] })
    if (failOn.includes('console') && this.#consoleErrors.length > 0)
      throw new Problem('HTML_RENDER_FAILED', { detail: this.#consoleErrors[0] })
    return [
      ...missingFonts.map(toFontWarning),
      ...failed.map(toResourceWarning),
      ...this.#consoleErrors.map(toConsoleWarning),
    ].slice(0, MAX_WARNINGS)
  }

  async #emulate(): Promise<void> {
    const { javascript, locale, timezone, colorScheme } = this.#options
    const { tab } = this
    const features = colorScheme ? [{ name: 'prefers-color-scheme', value: colorScheme }] : []
    const requests = [
      this.#mapProtocolError('timezone', tab.send('Emulation.setTimezoneOverride', { timezoneId: timezone })),
      ...(locale
        ? [
            this.#mapProtocolError(
              'locale',
              tab.send('Emulation.setLocaleOverride', { locale: locale.replace('-', '_') }),
            ),
          ]
        : []),
      ...(javascript ? [] : [tab.send('Emulation.setScriptExecutionDisabled', { value: true })]),
      ...(features.length > 0 ? [tab.send('Emulation.setEmulatedMedia', { features })] : []),
    ]
    await this.rejectOnCrash(Promise.all(requests))
  }

  /** Reports a value that the browser rejects as invalid input. */
  async #mapProtocolError(field: string, request: Promise<unknown>): Promise<void> {
    await request.catch(error => {
      throw error instanceof ProtocolError ? new Problem('INVALID_PARAM', { field }) : error
    })
  }

  async #waitForSelector(selector: string): Promise<void> {
    const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
    const missing = new Problem('SELECTOR_NOT_FOUND', { selector })
    for (let late: Problem | undefined; !(await this.#evaluateSelector(expression, late)); late = missing) {
      if (performance.now() + POLL_MS > this.#deadlineMs) throw missing
      await this.pause(POLL_MS)
    }
  }

  /** Once the page has answered, the end of the time, while it is asked again, is `late`. */
  async #evaluateSelector(expression: string, late?: Problem): Promise<boolean> {
    return await this.evaluate<boolean>(expression).catch(error => {
      if (late && error instanceof Problem && error.code === 'TIME_LIMIT_EXCEEDED') throw late
      throw error instanceof ProtocolError ? new Problem('INVALID_PARAM', { field: 'wait.selector' }) : error
    })
  }

  /** Waits until fonts are loaded, scripts have drawn their first frames, and no request is pending. */
  async waitUntilSettled(): Promise<void> {
    const { javascript, wait } = this.#options
    const mayGoOn = javascript && !this.#content.isDoneOnceLoaded
    const hasNoScripts = await this.evaluate<boolean | undefined>(mayGoOn ? WAIT_UNTIL_SETTLED : WAIT_FOR_FONTS)
    if (!mayGoOn || hasNoScripts !== false || !wait.networkIdle) return
    const idleDeadlineMs = Math.min(this.#deadlineMs, performance.now() + MAX_IDLE_WAIT_MS)
    while (this.#content.requests.idleMs < IDLE_MS && performance.now() < idleDeadlineMs) await this.pause(POLL_MS)
    await this.evaluate(WAIT_UNTIL_SETTLED)
  }

  /** Waits, for as long as the page lives. */
  pause(durationMs: number): Promise<void> {
    return this.rejectOnCrash(new Promise(resolve => setTimeout(resolve, durationMs)))
  }

  async #withDeadline<Value>(work: Promise<Value>): Promise<Value> {
    const { timeoutMs } = this.#options.wait
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(
      () =>
        timeout.reject(new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: timeoutMs / 1000, waitedFor: 'the page' })),
      Math.max(0, this.#deadlineMs - performance.now()),
    )
    try {
      return await this.rejectOnCrash(Promise.race([work, timeout.promise]))
    } finally {
      clearTimeout(timer)
    }
  }

  #handleEvent({ method, params }: DevtoolsEvent): void {
    if (method === 'Fetch.requestPaused') void this.#content.requests.handlePaused(params)
    else if (method === 'Page.frameNavigated') this.#handleNavigation(params)
    else if (LOAD_END_EVENTS.has(method) && this.#isNavigated) this.#handleLoadEnd(method, params)
    else if (method === 'Page.domContentEventFired') this.#limitPatience()
    else if (method === 'Page.javascriptDialogOpening')
      void this.tab.send('Page.handleJavaScriptDialog', { accept: false })
    else if (method === 'Inspector.targetCrashed')
      this.#failed.reject(new Problem('MEMORY_LIMIT_EXCEEDED', { detail: 'the page crashed' }))
    else if (method === 'Runtime.exceptionThrown') this.#addConsoleError(readExceptionText(params))
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      this.#addConsoleError(readConsoleText(params))
  }

  #handleLoadEnd(method: string, { frameId }: Params): void {
    if (method === 'Page.loadEventFired') this.#isLoadComplete = true
    else if (frameId !== this.tab.frameId) return
    this.#loaded.resolve()
  }

  #limitPatience(): void {
    const { patienceMs } = this.#content
    if (patienceMs !== undefined) setTimeout(() => this.#loaded.resolve(), patienceMs).unref()
  }

  #handleNavigation(params: Params): void {
    const { frame } = params as { frame: { id: string; url: string } }
    if (frame.id !== this.tab.frameId) return
    if (++this.#navigations > MAX_NAVIGATIONS)
      this.#failed.reject(new Problem('HTML_RENDER_FAILED', { detail: `more than ${MAX_NAVIGATIONS} navigations` }))
    // A site may lead on to another page, with a new world for scripts.
    if (this.#content.patienceMs !== undefined) this.tab.isolatedWorld = undefined
    if (frame.url === this.#content.url || this.#content.patienceMs !== undefined) this.#isNavigated = true
  }

  #addConsoleError(text: string): void {
    if (this.#consoleErrors.length < MAX_WARNINGS) this.#consoleErrors.push(text.slice(0, 300))
  }
}

/** The second event fires if a script stops loading before it is complete. */
const LOAD_END_EVENTS = new Set(['Page.loadEventFired', 'Page.frameStoppedLoading'])

interface EvaluationResponse {
  result: { value: unknown }
  exceptionDetails?: { text: string }
}

function readExceptionText(params: Params): string {
  const { exceptionDetails: details } = params as {
    exceptionDetails?: { text?: string; exception?: { description?: string } }
  }
  return (details?.exception?.description ?? details?.text ?? 'a script failed').split('\n')[0]!
}

function readConsoleText(params: Params): string {
  const { args = [] } = params as { args?: { value?: unknown; description?: string }[] }
  return args.map(({ value, description }) => description ?? String(value)).join(' ')
}

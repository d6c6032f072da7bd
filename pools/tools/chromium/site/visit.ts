import { Problem, type Warning } from '#kit'
import type { HostContext } from '../../../host-context.ts'
import { CHROMIUM, type Tab, takeTab } from '../browser.ts'
import { Page } from '../page.ts'
import { ProtocolError } from '../pipe.ts'
import { HIDDEN_ELEMENTS } from './blocking.ts'
import { type SiteAccess, type SiteDocument, SiteRequests } from './requests.ts'
import {
  addStyle,
  clickFirst,
  HIDE_CONSENT_DIALOGS,
  isSelector,
  READ_FACTS,
  type SiteFacts,
  scrollThrough,
  WAIT_FOR_LATE_IMAGES,
} from './scripts.ts'

export interface SiteOptions extends SiteAccess {
  viewport: { width: number; height: number; scale: number; mobile: boolean }
  wait: { until: 'load' | 'domcontentloaded' | 'networkidle'; selector?: string; delayMs: number; timeoutMs: number }
  javascript: boolean
  timezone?: string
  colorScheme?: 'light' | 'dark'
  hide: readonly string[]
  click: readonly string[]
  scroll: boolean
  css?: string
}

export interface SitePage {
  finalUrl: string
  status: number
  title: string
  contentType: string
  loadMs: number
  redirects: number
}

export interface Visit<Result> {
  page: SitePage
  warnings: Warning[]
  /** Absent if the address is that of a file that no page is made of. */
  result?: Result
  file?: Uint8Array
}

/** A page whose text is there is not waited for longer, although files of it are missing. */
const PATIENCE_MS = { load: 30_000, networkidle: 6_000, domcontentloaded: 0 }
const MAX_SCROLL = 20_000

/** Opens a site in a browser context of its own, prepares it as the options say, and hands it to `run`. */
export async function visitSite<Result>(
  context: HostContext,
  site: SiteOptions,
  run: (page: Page) => Promise<Result>,
): Promise<Visit<Result>> {
  const { outbound } = context
  if (!outbound) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'web', set: 'OUTBOUND=public' })
  return context.daemons.use(context, CHROMIUM, async browser => {
    const tab = await takeTab(browser)
    const requests = new SiteRequests(tab, site, outbound, context.signal)
    const page = openPage(tab, site, requests)
    const startMs = performance.now()
    await prepareTab(page, site)
    const isFile = await loadOrFail(page, requests)
    const loadMs = Math.round(performance.now() - startMs)
    if (isFile) {
      const { file, isStill: _, ...answer } = requests.document!
      return { page: { ...answer, title: '', loadMs }, warnings: [], file }
    }
    const missed = await arrangePage(page, site)
    await loadLateContent(page, site, requests.document)
    requests.freeze()
    const facts = await page.evaluate<SiteFacts>(READ_FACTS)
    const result = await run(page)
    const warnings = [
      ...missed.map(warnOfClick),
      ...(facts.isChallenge ? [BOT_CHALLENGE] : []),
      ...page.collectWarnings([]),
    ]
    return { page: describePage(requests.document, facts, loadMs), warnings, result }
  })
}

function openPage(tab: Tab, site: SiteOptions, requests: SiteRequests): Page {
  const { wait, javascript, timezone, colorScheme, locale } = site
  const { until, ...limits } = wait
  const content = { url: site.url, requests, isDoneOnceLoaded: false, patienceMs: PATIENCE_MS[until] }
  const rendering = { javascript, colorScheme, locale, timezone: timezone ?? 'UTC', network: 'public' as const }
  return new Page(tab, content, { ...rendering, wait: { ...limits, networkIdle: until === 'networkidle' } })
}

async function prepareTab(page: Page, { viewport, userAgent, locale, cookies, url }: SiteOptions): Promise<void> {
  const { tab } = page
  const { width, height, scale, mobile } = viewport
  const { userAgent: own } = await tab.send<{ userAgent: string }>('Browser.getVersion')
  const jar = cookies.map(({ domain, path, ...cookie }) => ({
    ...cookie,
    url,
    ...(domain && { domain }),
    path: path ?? '/',
  }))
  const setCookies = tab.send('Network.setCookies', { cookies: jar }).catch(error => {
    throw error instanceof ProtocolError ? new Problem('INVALID_PARAM', { field: 'cookies' }) : error
  })
  await page.rejectOnCrash(
    Promise.all([
      tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile }),
      tab.send('Emulation.setUserAgentOverride', {
        userAgent: userAgent ?? own.replace('HeadlessChrome', 'Chrome'),
        acceptLanguage: locale,
      }),
      ...(mobile ? [tab.send('Emulation.setTouchEmulationEnabled', { enabled: true })] : []),
      ...(jar.length > 0 ? [setCookies] : []),
    ]),
  )
}

/** Returns whether the address is that of a file. What went wrong on the way is told as the reason. */
async function loadOrFail(page: Page, requests: SiteRequests): Promise<boolean> {
  try {
    await page.open()
  } catch (error) {
    if (requests.problem) throw requests.problem
    if (requests.document?.file) return true
    throw error
  }
  if (requests.problem && !requests.document) throw requests.problem
  return requests.document?.file !== undefined
}

/** Returns the selectors that found nothing to click. */
async function arrangePage(page: Page, site: SiteOptions): Promise<string[]> {
  for (const [field, selectors] of [
    ['hide', site.hide],
    ['click', site.click],
  ] as const) {
    for (const selector of selectors) await checkSelector(page, selector, field)
  }
  const hidden = [...site.block.flatMap(kind => HIDDEN_ELEMENTS[kind] ?? []), ...site.hide]
  if (hidden.length > 0) await page.evaluate(addStyle(`${hidden.join(',\n')} { display: none !important }`))
  if (site.css !== undefined) await page.evaluate(addStyle(site.css))
  if (site.block.includes('cookie-banners')) await page.evaluate(HIDE_CONSENT_DIALOGS)
  const missed: string[] = []
  for (const selector of site.click) {
    if (!(await page.evaluate<boolean>(clickFirst(selector)))) missed.push(selector)
    else await page.waitUntilSettled()
  }
  return missed
}

/** The browser draws each part that it scrolls to, which takes as long as to print the page. */
async function loadLateContent(page: Page, site: SiteOptions, document: SiteDocument | undefined): Promise<void> {
  if (!site.scroll || !site.javascript) return
  await page.evaluate(document?.isStill ? WAIT_FOR_LATE_IMAGES : scrollThrough(MAX_SCROLL))
}

async function checkSelector(page: Page, selector: string, field: string): Promise<void> {
  await page.evaluate(isSelector(selector)).catch(error => {
    throw error instanceof ProtocolError
      ? new Problem('INVALID_PARAM', { field, given: selector.slice(0, 100) })
      : error
  })
}

function describePage(document: SiteDocument | undefined, { title }: SiteFacts, loadMs: number): SitePage {
  const { finalUrl = '', status = 200, contentType = '', redirects = 0 } = document ?? {}
  return { finalUrl, status, title, contentType, loadMs, redirects }
}

const BOT_CHALLENGE: Warning = {
  code: 'BOT_CHALLENGE',
  message: 'The site asks for a proof of being human, and shows that instead of its page.',
}

function warnOfClick(selector: string): Warning {
  return { code: 'NOTHING_TO_CLICK', message: `No element matches ${selector.slice(0, 100)}.` }
}

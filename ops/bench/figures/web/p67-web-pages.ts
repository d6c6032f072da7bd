import { availableParallelism } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Pools } from '../../../../pools/index.ts'
import { findBinary } from '../../../../pools/tools/chromium/browser.ts'
import { measureCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openLocalPools, runOperation, startSite } from './local-pools.ts'

const CLIENTS = availableParallelism()
const VIEWPORT = { width: 1280, height: 800 }
/** Shorter bursts hold too few pages. */
const MIN_SECONDS = 2

type Render = (page: Page) => Promise<unknown>

const WORKS: readonly { name: string; render: Render }[] = [
  { name: 'web.screenshot', render: page => page.screenshot() },
  {
    name: 'web.pdf',
    render: page => page.pdf({ format: 'A4', printBackground: true, outline: true, tagged: true }),
  },
]

/** The browser that is called directly opens each page in a context of its own, as the operations do. */
export default {
  id: 'P67',
  title:
    'web/screenshot and web/pdf of a local page over the warm browser called directly, and web/readability without one',
  async measure(bench) {
    await using site = await startSite()
    await using pools = await openDisposable(bench.environment.folder)
    const browser = await chromium.launch({ executablePath: findBinary(), args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const readings: Reading[] = []
      for (const work of WORKS) readings.push(await compare(bench, { ...work, pools, browser, url: site.url }))
      readings.push(await measureReading(bench, pools, site.url))
      return readings
    } finally {
      await browser.close()
    }
  },
} satisfies Figure

async function openDisposable(folder: string): Promise<Pools & AsyncDisposable> {
  const pools = await openLocalPools(folder)
  return Object.assign(pools, { [Symbol.asyncDispose]: () => pools.close() })
}

interface Comparison {
  name: string
  render: Render
  pools: Pools
  browser: Browser
  url: string
}

async function compare({ profile }: Bench, { name, render, pools, browser, url }: Comparison): Promise<Reading> {
  const seconds = Math.max(MIN_SECONDS, profile.seconds)
  const byService = () => runOperation(pools, name, { url })
  const direct = () => renderDirectly(browser, url, render)
  await repeat(direct, 1)
  await repeat(byService, 1)
  const [ours, floor]: [Rate[], Rate[]] = [[], []]
  for (let round = 0; round < profile.rounds; round++) {
    floor.push(await repeat(direct, seconds))
    ours.push(await repeat(byService, seconds))
  }
  const cpu = (all: readonly Rate[]) => Math.round(median(all.map(({ cpuMs }) => cpuMs)))
  return {
    label: `${name}, ${CLIENTS} at once`,
    unit: 'pages/s',
    ours: median(ours.map(({ perSecond }) => perSecond)),
    floor: median(floor.map(({ perSecond }) => perSecond)),
    goal: { atLeast: 0.85 },
    judgedBy: 'ratio',
    limitedBy: `${cpu(ours)} ms of CPU per page, and ${cpu(floor)} ms directly; every request passes the guard`,
    facts: { ours, floor },
  }
}

async function renderDirectly(browser: Browser, url: string, render: Render): Promise<void> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  try {
    const page = await context.newPage()
    await page.goto(url)
    await render(page)
  } finally {
    await context.close()
  }
}

/** Judged by processor time, because a core is what the goal is given for. */
async function measureReading({ profile }: Bench, pools: Pools, url: string): Promise<Reading> {
  const read = () => runOperation(pools, 'web.readability', { url, render: 'static' })
  const seconds = Math.max(MIN_SECONDS, profile.seconds)
  await repeat(read, seconds)
  const rates: Rate[] = []
  for (let round = 0; round < profile.rounds; round++) rates.push(await repeat(read, seconds))
  const cpuMs = median(rates.map(rate => rate.cpuMs))
  return {
    label: 'web.readability without a browser',
    unit: 'pages/s a core',
    ours: 1_000 / cpuMs,
    floor: Number.NaN,
    goal: { atLeast: 200 },
    judgedBy: 'ours',
    limitedBy: `${cpuMs.toFixed(1)} ms of CPU per page, the local site included`,
    facts: { rates },
  }
}

interface Rate {
  perSecond: number
  /** Of this process and all that it started. */
  cpuMs: number
}

async function repeat(work: () => Promise<unknown>, seconds: number): Promise<Rate> {
  const startedAt = performance.now()
  let count = 0
  const loop = async () => {
    while (performance.now() - startedAt < seconds * 1_000) {
      await work()
      count += 1
    }
  }
  const { cost } = await measureCost({ self: process.pid }, () => Promise.all(Array.from({ length: CLIENTS }, loop)))
  const perSecond = count / ((performance.now() - startedAt) / 1_000)
  return { perSecond, cpuMs: cost.perCall(count).msPerCall.self! }
}

import { availableParallelism } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findBinary } from '../../../../pools/tools/chromium/browser.ts'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { median } from '../../median.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const ROWS = 60

/** A typical invoice of one page. */
const HTML = `<!doctype html><title>Invoice</title>
<style>body { font: 12px sans-serif } table { width: 100%; border-collapse: collapse }
td { border: 1px solid #ccc; padding: 4px }</style><h1>Invoice 4711</h1><table>${Array.from(
  { length: ROWS },
  (_, row) => `<tr><td>${row}<td>Item number ${row}<td>${(row * 3.7).toFixed(2)}`,
).join('')}</table><p>With thanks.`

/** The same with a script; such a page gets its own browser context and process. */
const HTML_WITH_SCRIPT = `${HTML}<p id="p"><script>p.textContent = 'Due in 30 days.'</script>`

type Render = (page: Page) => Promise<unknown>

const MARGIN = { top: '10mm', right: '10mm', bottom: '10mm', left: '10mm' }
const PRINT: Render = page =>
  page.pdf({ format: 'A4', margin: MARGIN, printBackground: true, outline: true, tagged: true })
const SCREENSHOT: Render = page => page.screenshot()

/** The service also charges, confines the browser and stores the output; the floor reuses one page. */
export default {
  id: 'P22',
  title: 'HTML to PDF and to PNG, over warm pages of the same Chromium called by playwright in a loop',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 8 })
    const browser = await chromium.launch({ executablePath: findBinary(), args: ['--no-sandbox', '--disable-gpu'] })
    const cores = availableParallelism()
    try {
      const readings = [
        await compare(bench, stack, browser, { label: 'PDF, one client', html: HTML, render: PRINT, clients: 1 }),
        await compare(bench, stack, browser, {
          label: `PDF, ${cores} clients`,
          html: HTML,
          render: PRINT,
          clients: cores,
        }),
        await compare(bench, stack, browser, {
          label: `PNG, ${cores} clients`,
          html: HTML,
          render: SCREENSHOT,
          clients: cores,
        }),
        await compare(bench, stack, browser, {
          label: 'PDF of a page with a script',
          html: HTML_WITH_SCRIPT,
          render: PRINT,
          clients: 1,
        }),
      ]
      await requireNoFailedJobs(stack)
      return readings
    } finally {
      await browser.close()
    }
  },
} satisfies Figure

interface Scenario {
  label: string
  html: string
  render: Render
  clients: number
}

async function compare(
  bench: Bench,
  stack: Stack,
  browser: Browser,
  { label, html, render, clients }: Scenario,
): Promise<Reading> {
  const call = render === PRINT ? buildPdfCall(stack, html) : buildPngCall(stack, html)
  await verifyCall(stack, call)
  const target = targetService(bench.environment, stack, call)
  const pages = await Promise.all(Array.from({ length: clients }, () => browser.newPage({ viewport: VIEWPORT })))
  await measureRenderLoop(pages, html, render, bench.profile.warmUpSeconds)
  await measureTarget(bench, target, clients, bench.profile.warmUpSeconds)
  const floor: number[] = []
  const measurements = []
  for (let round = 0; round < bench.profile.rounds; round++) {
    floor.push(await measureRenderLoop(pages, html, render, bench.profile.seconds))
    measurements.push(await measureTarget(bench, target, clients))
  }
  await Promise.all(pages.map(page => page.close()))
  return {
    label,
    unit: 'pages/s',
    ours: median(measurements.map(({ burst }) => burst.perSecond)),
    floor: median(floor),
    goal: { atLeast: 0.9 },
    judgedBy: 'ratio',
    limitedBy: formatCost(measurements.at(-1)!.cost),
    facts: { measurements, floor },
  }
}

const VIEWPORT = { width: 1200, height: 800 }

function buildPdfCall({ keys }: Stack, html: string): Call {
  const body = JSON.stringify({ html, inlineOutput: 'never' })
  return { path: '/v1/pdf/from-html', headers: JSON_HEADERS, body, keys }
}

function buildPngCall({ keys }: Stack, html: string): Call {
  const body = JSON.stringify({ html, ...VIEWPORT, inlineOutput: 'never' })
  return { path: '/v1/image/from-html', headers: JSON_HEADERS, body, keys }
}

/** Renders in all pages at once; gives how many pages are rendered per second. */
async function measureRenderLoop(
  pages: readonly Page[],
  html: string,
  render: Render,
  seconds: number,
): Promise<number> {
  const startedAt = performance.now()
  let rendered = 0
  const work = async (page: Page) => {
    while (performance.now() - startedAt < seconds * 1_000) {
      await page.setContent(html)
      await render(page)
      rendered += 1
    }
  }
  await Promise.all(pages.map(work))
  return rendered / ((performance.now() - startedAt) / 1_000)
}

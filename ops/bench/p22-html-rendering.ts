import { availableParallelism } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { binary } from '../../pools/tools/chromium-browser.ts'
import { AS_JSON } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import type { Call } from './load.ts'
import { median } from './median.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, tryCall } from './stack.ts'
import { oneTurn } from './versus.ts'

const ROWS = 60

/** An invoice of one page, as people print them. */
const HTML = `<!doctype html><title>Invoice</title>
<style>body { font: 12px sans-serif } table { width: 100%; border-collapse: collapse }
td { border: 1px solid #ccc; padding: 4px }</style><h1>Invoice 4711</h1><table>${Array.from(
  { length: ROWS },
  (_, row) => `<tr><td>${row}<td>Item number ${row}<td>${(row * 3.7).toFixed(2)}`,
).join('')}</table><p>With thanks.`

/** The same with a script in it, which is given a context and a process of its own. */
const ALIVE = `${HTML}<p id="p"><script>p.textContent = 'Due in 30 days.'</script>`

type Draw = (page: Page) => Promise<unknown>

const MARGIN = { top: '10mm', right: '10mm', bottom: '10mm', left: '10mm' }
const PRINT: Draw = page =>
  page.pdf({ format: 'A4', margin: MARGIN, printBackground: true, outline: true, tagged: true })
const SHOOT: Draw = page => page.screenshot()

/** Ours besides takes money, confines the browser and keeps what it made; theirs is one page used again and again. */
export default {
  id: 'P22',
  title: 'HTML to PDF and to PNG, over warm pages of the same Chromium called by playwright in a loop',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 8 })
    const browser = await chromium.launch({ executablePath: binary(), args: ['--no-sandbox', '--disable-gpu'] })
    const cores = availableParallelism()
    try {
      const readings = [
        await compare(bench, stack, browser, { of: 'PDF, one client', html: HTML, draw: PRINT, clients: 1 }),
        await compare(bench, stack, browser, { of: `PDF, ${cores} clients`, html: HTML, draw: PRINT, clients: cores }),
        await compare(bench, stack, browser, { of: `PNG, ${cores} clients`, html: HTML, draw: SHOOT, clients: cores }),
        await compare(bench, stack, browser, {
          of: 'PDF of a page with a script',
          html: ALIVE,
          draw: PRINT,
          clients: 1,
        }),
      ]
      await checkStack(stack)
      return readings
    } finally {
      await browser.close()
    }
  },
} satisfies Figure

interface Round {
  of: string
  html: string
  draw: Draw
  clients: number
}

async function compare(
  bench: Bench,
  stack: Stack,
  browser: Browser,
  { of, html, draw, clients }: Round,
): Promise<Reading> {
  const call = draw === PRINT ? pdfCall(stack, html) : pngCall(stack, html)
  await tryCall(stack, call)
  const side = ourSide(bench.home, stack, call)
  const pages = await Promise.all(Array.from({ length: clients }, () => browser.newPage({ viewport: VIEWPORT })))
  await drawLoop(pages, html, draw, bench.pace.warmUpSeconds)
  await oneTurn(bench, side, clients, bench.pace.warmUpSeconds)
  const floor: number[] = []
  const turns = []
  for (let round = 0; round < bench.pace.rounds; round++) {
    floor.push(await drawLoop(pages, html, draw, bench.pace.seconds))
    turns.push(await oneTurn(bench, side, clients))
  }
  await Promise.all(pages.map(page => page.close()))
  return {
    of,
    unit: 'pages/s',
    ours: median(turns.map(({ volley }) => volley.perSecond)),
    floor: median(floor),
    goal: { atLeast: 0.9 },
    judged: 'ratio',
    limit: costInWords(turns.at(-1)!.cost),
    facts: { turns, floor },
  }
}

const VIEWPORT = { width: 1200, height: 800 }

function pdfCall({ keys }: Stack, html: string): Call {
  const body = JSON.stringify({ html, inlineOutput: 'never' })
  return { path: '/v1/pdf/from-html', headers: AS_JSON, body, keys }
}

function pngCall({ keys }: Stack, html: string): Call {
  const body = JSON.stringify({ html, ...VIEWPORT, inlineOutput: 'never' })
  return { path: '/v1/image/from-html', headers: AS_JSON, body, keys }
}

/** Pages a second, all pages at work. */
async function drawLoop(pages: readonly Page[], html: string, draw: Draw, seconds: number): Promise<number> {
  const begun = performance.now()
  let drawn = 0
  const work = async (page: Page) => {
    while (performance.now() - begun < seconds * 1_000) {
      await page.setContent(html)
      await draw(page)
      drawn += 1
    }
  }
  await Promise.all(pages.map(work))
  return drawn / ((performance.now() - begun) / 1_000)
}

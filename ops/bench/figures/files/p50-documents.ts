import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { averageCosts, formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { measureListeners, measurePandoc, measureProgram } from './warm-engines.ts'

const CLIENTS = availableParallelism() * 2
const LOG_BOOK = fileURLToPath(new URL('../../../../tasks/samples/log-book.docx', import.meta.url))
const PROGRAM_RUNS = 3
/** Six pages, when printed. */
const REPORT_PARTS = 40
/** Shorter bursts may end before the first call does. */
const secondsOf = ({ profile }: Bench) => Math.max(4, profile.seconds * 2)
const PARAGRAPH =
  '## Watch\n\nWind *north-west*, **force 6**, see [the log](https://harbour.example).\n\n' +
  '| Hour | Wind |\n|------|------|\n| 6 | NW |\n\n- lamp\n- bell\n\n'

/** The engines are called directly on every core; the service also charges, confines them and stores the output. */
export default {
  id: 'P50',
  title: 'doc/convert and pdf/from-office over their warm engines, and over soffice a file',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'documents-'))
    const readings = [await compareConvert(bench, stack, folder), ...(await compareOffice(bench, stack, folder))]
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

async function compareConvert(bench: Bench, stack: Stack, folder: string): Promise<Reading> {
  const text = PARAGRAPH.repeat(Math.ceil(20_000 / PARAGRAPH.length))
  const path = join(folder, 'document.md')
  await writeFile(path, text)
  const body = JSON.stringify({ text, from: 'markdown', to: 'html' })
  const { ours, direct } = await alternate(bench, stack, { path: '/v1/doc/convert', body }, [
    () => measurePandoc(path, secondsOf(bench)),
  ])
  return describe('convert, 20 KB of Markdown to HTML', ours, direct[0]!, 0.8)
}

async function compareOffice(bench: Bench, stack: Stack, folder: string): Promise<Reading[]> {
  const report = join(folder, 'report.docx')
  await writeFile(report, await convertToDocx(stack, PARAGRAPH.repeat(REPORT_PARTS)))
  const one = await print(bench, stack, LOG_BOOK, [
    () => measureListeners(LOG_BOOK, folder, secondsOf(bench)),
    () => measureProgram(LOG_BOOK, folder, PROGRAM_RUNS),
  ])
  const six = await print(bench, stack, report, [() => measureListeners(report, folder, secondsOf(bench))])
  return [
    describe('from-office, 1 page, over a warm listener', one.ours, one.direct[0]!, 0.85),
    describe('from-office, 1 page, over soffice --convert-to', one.ours, one.direct[1]!, 5),
    describe('from-office, 6 pages, over a warm listener', six.ours, six.direct[0]!, 0.85),
  ]
}

async function print(bench: Bench, stack: Stack, path: string, measureDirect: readonly (() => Promise<number>)[]) {
  const key = await storeUpload(stack, stack.accounts[0]!, await readFile(path), 'application/octet-stream')
  const body = JSON.stringify({ file: { inputKey: key }, inlineOutput: 'never' })
  return alternate(bench, stack, { path: '/v1/pdf/from-office', body }, measureDirect)
}

async function convertToDocx(stack: Stack, text: string): Promise<Buffer> {
  const body = JSON.stringify({ text, from: 'markdown', to: 'docx' })
  const headers = { ...JSON_HEADERS, accept: 'application/octet-stream' }
  const reply = await verifyCall(stack, { path: '/v1/doc/convert', body, headers, keys: stack.keys })
  return Buffer.from(await reply.arrayBuffer())
}

type Measurement = Awaited<ReturnType<typeof measureTarget>>

/** The engines and the service take turns, so that noise on the machine affects them alike. */
async function alternate(
  bench: Bench,
  stack: Stack,
  request: { path: string; body: string },
  measureDirect: readonly (() => Promise<number>)[],
) {
  const call = { ...request, headers: JSON_HEADERS, keys: stack.keys }
  // As many at once as are measured, so that every engine is started.
  await Promise.all(Array.from({ length: CLIENTS }, () => verifyCall(stack, call)))
  const target = targetService(bench.environment, stack, call)
  const ours: Measurement[] = []
  const direct = measureDirect.map((): number[] => [])
  for (let round = 0; round < bench.profile.rounds; round++) {
    for (const [index, measure] of measureDirect.entries()) direct[index]!.push(await measure())
    ours.push(await measureTarget(bench, target, CLIENTS, secondsOf(bench)))
  }
  return { ours, direct }
}

function describe(label: string, ours: Measurement[], direct: number[], atLeast: number): Reading {
  return {
    label: `${label}, ${CLIENTS} clients`,
    unit: 'calls/s',
    ours: median(ours.map(({ burst }) => burst.perSecond)),
    floor: median(direct),
    goal: { atLeast },
    judgedBy: 'ratio',
    limitedBy: formatCost(averageCosts(ours.map(({ cost }) => cost))),
    facts: { bursts: ours.map(({ burst }) => burst), direct },
  }
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { measureListeners, measurePandoc, measureProgram } from './warm-engines.ts'

const CLIENTS = availableParallelism() * 2
const DOCX = fileURLToPath(new URL('../../../../test/samples/log-book.docx', import.meta.url))
const PROGRAM_RUNS = 3
/** Shorter bursts may end before the first call does. */
const MIN_SECONDS = 8
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
  const ours = await measureService(bench, stack, '/v1/doc/convert', body)
  const floor = await measurePandoc(path, Math.max(MIN_SECONDS, bench.profile.seconds))
  return describe('convert, 20 KB of Markdown to HTML', ours, floor, 0.8)
}

async function compareOffice(bench: Bench, stack: Stack, folder: string): Promise<Reading[]> {
  const key = await storeUpload(stack, stack.accounts[0]!, await readFile(DOCX), 'application/octet-stream')
  const body = JSON.stringify({ file: { inputKey: key }, inlineOutput: 'never' })
  const ours = await measureService(bench, stack, '/v1/pdf/from-office', body)
  const warm = await measureListeners(DOCX, folder, Math.max(MIN_SECONDS, bench.profile.seconds))
  const program = await measureProgram(DOCX, folder, PROGRAM_RUNS)
  return [
    describe('from-office, over a warm listener', ours, warm, 0.85),
    describe('from-office, over soffice --convert-to', ours, program, 5),
  ]
}

type Measurement = Awaited<ReturnType<typeof measureTarget>>

async function measureService(bench: Bench, stack: Stack, path: string, body: string): Promise<Measurement> {
  const call = { path, headers: JSON_HEADERS, body, keys: stack.keys }
  // As many at once as are measured, so that every engine is started.
  await Promise.all(Array.from({ length: CLIENTS }, () => verifyCall(stack, call)))
  const target = targetService(bench.environment, stack, call)
  return measureTarget(bench, target, CLIENTS, Math.max(MIN_SECONDS, bench.profile.seconds))
}

function describe(label: string, { burst, cost }: Measurement, floor: number, atLeast: number): Reading {
  return {
    label: `${label}, ${CLIENTS} clients`,
    unit: 'calls/s',
    ours: burst.perSecond,
    floor,
    goal: { atLeast },
    judgedBy: 'ratio',
    limitedBy: formatCost(cost),
    facts: { burst, floor },
  }
}

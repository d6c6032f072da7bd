import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const PAGES = 100
const CLIENTS = availableParallelism() * 2
const FIRST_RUNS = 10

interface PdfTask {
  operation: 'merge' | 'split' | 'rotate'
  body(keys: string[]): object
  /** The shell command that does the same. */
  command: string
}

const PDF_TASKS: readonly PdfTask[] = [
  {
    operation: 'merge',
    body: keys => ({ files: keys.map(inputKey => ({ inputKey })) }),
    command: 'qpdf 0.pdf --pages 0.pdf 1-100 1.pdf 1-100 -- out.pdf',
  },
  {
    operation: 'split',
    body: ([inputKey]) => ({ file: { inputKey }, every: 10 }),
    command: 'qpdf 0.pdf --split-pages=10 out-%d.pdf',
  },
  {
    operation: 'rotate',
    body: ([inputKey]) => ({ file: { inputKey }, degrees: '90' }),
    command: 'qpdf 0.pdf --rotate=+90:1-100 out.pdf',
  },
]

/** Both read files from disk; the service also charges, confines the program and stores the output. */
export default {
  id: 'P19',
  title: 'pdf/merge, split and rotate of files of 100 pages, over the qpdf program in a shell loop',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const files = [createTextPdf(PAGES, 'one'), createTextPdf(PAGES, 'two')]
    const folder = await mkdtemp(join(bench.environment.folder, 'loop-'))
    await Promise.all(files.map((bytes, index) => writeFile(join(folder, `${index}.pdf`), bytes)))
    const [account] = stack.accounts
    const keys = await Promise.all(files.map(bytes => storeUpload(stack, account!, bytes, 'application/pdf')))
    const readings: Reading[] = []
    for (const work of PDF_TASKS) readings.push(await compareWithLoop(bench, stack, work, keys, folder))
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

async function compareWithLoop(
  bench: Bench,
  stack: Stack,
  work: PdfTask,
  keys: string[],
  folder: string,
): Promise<Reading> {
  const body = JSON.stringify({ ...work.body(keys), ...(work.operation === 'split' ? {} : { inlineOutput: 'never' }) })
  const call = { path: `/v1/pdf/${work.operation}`, headers: JSON_HEADERS, body, keys: stack.keys }
  await verifyCall(stack, call)
  const target = targetService(bench.environment, stack, call)
  let bare = await measureShellLoop(work.command, folder, FIRST_RUNS)
  await measureTarget(bench, target, CLIENTS, bench.profile.warmUpSeconds)
  const rates: number[] = []
  const measurements = []
  for (let round = 0; round < bench.profile.rounds; round++) {
    bare = await measureShellLoop(work.command, folder, Math.max(1, Math.ceil(bare * bench.profile.seconds)))
    rates.push(bare)
    measurements.push(await measureTarget(bench, target, CLIENTS))
  }
  return {
    label: `${work.operation}, ${CLIENTS} clients`,
    unit: 'calls/s',
    ours: median(measurements.map(({ burst }) => burst.perSecond)),
    floor: median(rates),
    goal: { atLeast: 0.8 },
    judgedBy: 'ratio',
    limitedBy: formatCost(measurements.at(-1)!.cost),
    facts: { measurements, rates },
  }
}

/** Runs the command repeatedly, one at a time; gives how many runs end per second. */
async function measureShellLoop(line: string, folder: string, runs: number): Promise<number> {
  const startedAt = performance.now()
  await promisify(execFile)('sh', ['-c', `for run in $(seq ${runs}); do ${line}; done`], { cwd: folder })
  return runs / ((performance.now() - startedAt) / 1_000)
}

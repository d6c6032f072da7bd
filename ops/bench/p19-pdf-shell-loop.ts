import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AS_JSON } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import { median } from './median.ts'
import { textPdf } from './samples.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, storeUpload, tryCall } from './stack.ts'
import { oneTurn } from './versus.ts'

const PAGES = 100
const CLIENTS = availableParallelism() * 2
const FIRST_RUNS = 10

interface Work {
  operation: 'merge' | 'split' | 'rotate'
  body(keys: string[]): object
  /** What a shell would run for the same. */
  line: string
}

const WORKS: readonly Work[] = [
  {
    operation: 'merge',
    body: keys => ({ files: keys.map(inputKey => ({ inputKey })) }),
    line: 'qpdf 0.pdf --pages 0.pdf 1-100 1.pdf 1-100 -- out.pdf',
  },
  {
    operation: 'split',
    body: ([inputKey]) => ({ file: { inputKey }, every: 10 }),
    line: 'qpdf 0.pdf --split-pages=10 out-%d.pdf',
  },
  {
    operation: 'rotate',
    body: ([inputKey]) => ({ file: { inputKey }, degrees: '90' }),
    line: 'qpdf 0.pdf --rotate=+90:1-100 out.pdf',
  },
]

/** Both take files that lie on the disk; ours besides takes money, confines the program and keeps what it made. */
export default {
  id: 'P19',
  title: 'pdf/merge, split and rotate of files of 100 pages, over the qpdf program in a shell loop',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 1 })
    const files = [textPdf(PAGES, 'one'), textPdf(PAGES, 'two')]
    const folder = await mkdtemp(join(bench.home.folder, 'loop-'))
    await Promise.all(files.map((bytes, index) => writeFile(join(folder, `${index}.pdf`), bytes)))
    const [account] = stack.accounts
    const keys = await Promise.all(files.map(bytes => storeUpload(stack, account!, bytes, 'application/pdf')))
    const readings: Reading[] = []
    for (const work of WORKS) readings.push(await besideLoop(bench, stack, work, keys, folder))
    await rm(folder, { recursive: true, force: true })
    await checkStack(stack)
    return readings
  },
} satisfies Figure

async function besideLoop(bench: Bench, stack: Stack, work: Work, keys: string[], folder: string): Promise<Reading> {
  const body = JSON.stringify({ ...work.body(keys), ...(work.operation === 'split' ? {} : { inlineOutput: 'never' }) })
  const call = { path: `/v1/pdf/${work.operation}`, headers: AS_JSON, body, keys: stack.keys }
  await tryCall(stack, call)
  const side = ourSide(bench.home, stack, call)
  let bare = await runLoop(work.line, folder, FIRST_RUNS)
  await oneTurn(bench, side, CLIENTS, bench.pace.warmUpSeconds)
  const rates: number[] = []
  const turns = []
  for (let round = 0; round < bench.pace.rounds; round++) {
    bare = await runLoop(work.line, folder, Math.max(1, Math.ceil(bare * bench.pace.seconds)))
    rates.push(bare)
    turns.push(await oneTurn(bench, side, CLIENTS))
  }
  return {
    of: `${work.operation}, ${CLIENTS} clients`,
    unit: 'calls/s',
    ours: median(turns.map(({ volley }) => volley.perSecond)),
    floor: median(rates),
    goal: { atLeast: 0.8 },
    judged: 'ratio',
    limit: costInWords(turns.at(-1)!.cost),
    facts: { turns, rates },
  }
}

/** Gives how many runs, one after the other, end in a second. */
async function runLoop(line: string, folder: string, runs: number): Promise<number> {
  const begun = performance.now()
  await promisify(execFile)('sh', ['-c', `for run in $(seq ${runs}); do ${line}; done`], { cwd: folder })
  return runs / ((performance.now() - begun) / 1_000)
}

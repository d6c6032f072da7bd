import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { measureCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { readEndedChildrenTime } from '../../processor-time.ts'
import { createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload } from '../../stack.ts'
import { timeCall } from '../../timed-call.ts'

const PAGES = 4
const DPI = 300
const CORES = availableParallelism()
const run = promisify(execFile)

/** Tesseract reads the same pages, one on each core, from images that are there already; the operation renders them. */
export default {
  id: 'P52',
  title: 'pdf/ocr of a scan over tesseract run directly on its page images, one page a core',
  async measure({ environment, profile }) {
    await using stack = await openStack(environment, { accounts: 1 })
    const folder = await mkdtemp(join(environment.folder, 'scan-'))
    const scan = await createScan(folder)
    const inputKey = await storeUpload(stack, stack.accounts[0]!, scan, 'application/pdf')
    await readByService(stack, inputKey)
    const [ours, floor]: [Run[], Run[]] = [[], []]
    for (let round = 0; round < profile.rounds; round++) {
      floor.push(await readDirectly(folder))
      ours.push(await readByService(stack, inputKey))
    }
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    const of = (runs: readonly Run[], pick: (one: Run) => number) => median(runs.map(pick))
    const facts = { ours, floor }
    return [
      {
        label: `${PAGES} pages of ${DPI} dpi`,
        unit: 'pages/s',
        ours: PAGES / of(ours, one => one.seconds),
        floor: PAGES / of(floor, one => one.seconds),
        goal: { atLeast: 0.9 },
        judgedBy: 'ratio',
        limitedBy: 'tesseract, rendering pages and measuring how they lean',
        facts,
      },
      {
        label: 'processor time of a page',
        unit: 'ms',
        ours: of(ours, one => one.cpuMs),
        floor: of(floor, one => one.cpuMs),
        goal: { atMost: 1.1 },
        judgedBy: 'ratio',
        limitedBy: 'the same, in the worker and its programs',
        facts,
      },
    ]
  },
} satisfies Figure

interface Run {
  seconds: number
  /** For each page. */
  cpuMs: number
}

/** A document of images alone, which are also there as files. */
async function createScan(folder: string): Promise<Buffer> {
  const [source, scan] = [join(folder, 'source.pdf'), join(folder, 'scan.pdf')]
  await writeFile(source, createTextPdf(PAGES, 'Wind and tide'))
  await run('gs', ['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfimage8', `-r${DPI}`, '-o', scan, source])
  await run('pdftoppm', ['-gray', '-png', '-r', String(DPI), scan, join(folder, 'page')])
  return readFile(scan)
}

async function readByService(stack: Stack, inputKey: string): Promise<Run> {
  const read = () => timeCall(stack, '/v1/pdf/ocr', { file: { inputKey } })
  const { result, cost } = await measureCost({ worker: stack.workers[0]!.pid }, read)
  return { seconds: result.seconds, cpuMs: cost.perCall(PAGES).msPerCall.worker! }
}

async function readDirectly(folder: string): Promise<Run> {
  const pages = Array.from({ length: PAGES }, (_, index) => `page-${index + 1}`).values()
  const env = { ...process.env, OMP_THREAD_LIMIT: '1' }
  const options = ['-l', 'eng', '--dpi', String(DPI), '--psm', '3', 'txt', 'tsv']
  const readOneByOne = async () => {
    for (const page of pages) await run('tesseract', [`${page}.png`, page, ...options], { cwd: folder, env })
  }
  const startedAt = performance.now()
  const before = readEndedChildrenTime()
  await Promise.all(Array.from({ length: CORES }, readOneByOne))
  const cpuMs = ((readEndedChildrenTime() - before) * 1_000) / PAGES
  return { seconds: (performance.now() - startedAt) / 1_000, cpuMs }
}

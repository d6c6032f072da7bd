import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { median } from '../../median.ts'
import { createTextPdf } from '../../samples.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const PAGES = 100
const CLIENTS = availableParallelism() * 2
const FIRST_RUNS = 10

/** Both read files from disk; the service also charges, confines the program and stores the output. */
export default {
  id: 'P9',
  title: 'pdf/merge of two files of 100 pages, over the bare qpdf program run by xargs -P',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const files = [createTextPdf(PAGES, 'one'), createTextPdf(PAGES, 'two')]
    const call = await buildMergeCall(stack, files)
    await verifyCall(stack, call)
    const target = targetService(bench.environment, stack, call)
    const folder = await mkdtemp(join(bench.environment.folder, 'qpdf-'))
    await Promise.all(files.map((bytes, index) => writeFile(join(folder, `${index}.pdf`), bytes)))
    let bare = await measureBareQpdf(folder, FIRST_RUNS)
    await measureTarget(bench, target, CLIENTS, bench.profile.warmUpSeconds)
    const rates: number[] = []
    const measurements = []
    for (let round = 0; round < bench.profile.rounds; round++) {
      bare = await measureBareQpdf(folder, Math.ceil(bare * bench.profile.seconds))
      rates.push(bare)
      measurements.push(await measureTarget(bench, target, CLIENTS))
    }
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return [
      {
        label: `${CLIENTS} clients over xargs -P${availableParallelism()}`,
        unit: 'calls/s',
        ours: median(measurements.map(({ burst }) => burst.perSecond)),
        floor: median(rates),
        goal: { atLeast: 0.8 },
        judgedBy: 'ratio',
        limitedBy: formatCost(measurements.at(-1)!.cost),
        facts: { measurements, rates },
      },
    ]
  },
} satisfies Figure

async function buildMergeCall(stack: Stack, files: readonly Buffer[]): Promise<Call> {
  const [account] = stack.accounts
  const keys = await Promise.all(files.map(bytes => storeUpload(stack, account!, bytes, 'application/pdf')))
  const body = JSON.stringify({ files: keys.map(inputKey => ({ inputKey })), inlineOutput: 'never' })
  return { path: '/v1/pdf/merge', headers: JSON_HEADERS, body, keys: stack.keys }
}

/** Runs the program alone, one run per core at a time; gives how many runs end per second. */
async function measureBareQpdf(folder: string, runs: number): Promise<number> {
  const qpdf = 'qpdf 0.pdf --pages 0.pdf 1-100 1.pdf 1-100 -- out-{}.pdf'
  const command = `seq ${runs} | xargs -P ${availableParallelism()} -I{} ${qpdf}`
  const startedAt = performance.now()
  await promisify(execFile)('sh', ['-c', command], { cwd: folder })
  return runs / ((performance.now() - startedAt) / 1_000)
}

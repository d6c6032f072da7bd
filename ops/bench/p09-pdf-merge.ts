import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AS_JSON } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import type { Call } from './load.ts'
import { median } from './median.ts'
import { textPdf } from './samples.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, storeUpload, tryCall } from './stack.ts'
import { oneTurn } from './versus.ts'

const PAGES = 100
const CLIENTS = availableParallelism() * 2
const FIRST_RUNS = 10

/** Both take files that lie on the disk; ours besides takes money, confines the program and keeps what it made. */
export default {
  id: 'P9',
  title: 'pdf/merge of two files of 100 pages, over the bare qpdf program run by xargs -P',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 1 })
    const files = [textPdf(PAGES, 'one'), textPdf(PAGES, 'two')]
    const call = await mergeOfStored(stack, files)
    await tryCall(stack, call)
    const side = ourSide(bench.home, stack, call)
    const folder = await mkdtemp(join(bench.home.folder, 'qpdf-'))
    await Promise.all(files.map((bytes, index) => writeFile(join(folder, `${index}.pdf`), bytes)))
    let bare = await runBare(folder, FIRST_RUNS)
    await oneTurn(bench, side, CLIENTS, bench.pace.warmUpSeconds)
    const rates: number[] = []
    const turns = []
    for (let round = 0; round < bench.pace.rounds; round++) {
      bare = await runBare(folder, Math.ceil(bare * bench.pace.seconds))
      rates.push(bare)
      turns.push(await oneTurn(bench, side, CLIENTS))
    }
    await rm(folder, { recursive: true, force: true })
    await checkStack(stack)
    return [
      {
        of: `${CLIENTS} clients over xargs -P${availableParallelism()}`,
        unit: 'calls/s',
        ours: median(turns.map(({ volley }) => volley.perSecond)),
        floor: median(rates),
        goal: { atLeast: 0.8 },
        judged: 'ratio',
        limit: costInWords(turns.at(-1)!.cost),
        facts: { turns, rates },
      },
    ]
  },
} satisfies Figure

async function mergeOfStored(stack: Stack, files: readonly Buffer[]): Promise<Call> {
  const [account] = stack.accounts
  const keys = await Promise.all(files.map(bytes => storeUpload(stack, account!, bytes, 'application/pdf')))
  const body = JSON.stringify({ files: keys.map(inputKey => ({ inputKey })), inlineOutput: 'never' })
  return { path: '/v1/pdf/merge', headers: AS_JSON, body, keys: stack.keys }
}

/** Gives how many runs of the program alone end in a second, as many at once as there are cores. */
async function runBare(folder: string, runs: number): Promise<number> {
  const qpdf = 'qpdf 0.pdf --pages 0.pdf 1-100 1.pdf 1-100 -- out-{}.pdf'
  const line = `seq ${runs} | xargs -P ${availableParallelism()} -I{} ${qpdf}`
  const begun = performance.now()
  await promisify(execFile)('sh', ['-c', line], { cwd: folder })
  return runs / ((performance.now() - begun) / 1_000)
}

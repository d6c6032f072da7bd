import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type InputFile, markInputFile, runWithoutTools } from '#kit'
import { loadOperation } from '../../../../tasks/index.ts'
import { JSON_HEADERS } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, requireNoFailedJobs, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const BYTES = 50_000_000
const TARGETS = ['json', 'tsv'] as const
/** A call takes about a second, so a burst of the usual length would count too few calls. */
const SECONDS = 10

/** The engine is our own code, so the floor is the same operation on a file without the service around it. */
export default {
  id: 'P20',
  title: 'csv/convert of 50 MB that lie on the disk, one client, over the engine called directly',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const folder = await mkdtemp(join(bench.environment.folder, 'csv-'))
    const path = join(folder, 'table.csv')
    const bytes = buildTable(BYTES)
    await writeFile(path, bytes)
    const inputKey = await storeUpload(stack, stack.accounts[0]!, bytes, 'text/csv')
    const readings = []
    for (const to of TARGETS) {
      const body = JSON.stringify({ file: { inputKey }, to, inlineOutput: 'never' })
      const call = { path: '/v1/csv/convert', headers: JSON_HEADERS, body, keys: stack.keys }
      await verifyCall(stack, call)
      const target = targetService(bench.environment, stack, call)
      const seconds = bench.profile.bulk < 1 ? SECONDS / 2 : SECONDS
      const rates: number[] = []
      const measurements = []
      for (let round = 0; round < bench.profile.rounds; round++) {
        rates.push(await measureDirectConversion(path, to, seconds))
        measurements.push(await measureTarget(bench, target, 1, seconds))
      }
      readings.push({
        label: `csv to ${to}`,
        unit: 'calls/s',
        ours: median(measurements.map(({ burst }) => burst.perSecond)),
        floor: median(rates),
        goal: { atLeast: 0.7 },
        judgedBy: 'ratio' as const,
        limitedBy: formatCost(measurements.at(-1)!.cost),
        facts: { measurements, rates },
      })
    }
    await rm(folder, { recursive: true, force: true })
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

/** A table with several kinds of cells, some quoted, like an export of a shop. */
function buildTable(size: number): Buffer {
  const lines = ['id,when,name,city,amount,note']
  for (let length = 0, row = 1; length < size; row++) {
    const line = `${row},2026-03-${String((row % 28) + 1).padStart(2, '0')},"Customer ${row % 977}",Łódź,${(row * 7919) % 100_000}.50,"said ""yes"", then no"`
    lines.push(line)
    length += line.length + 4
  }
  const bytes = Buffer.from(lines.join('\n'))
  return bytes.subarray(0, bytes.lastIndexOf('\n', size))
}

/** Gives how many conversions from file to file end per second. */
async function measureDirectConversion(path: string, to: string, seconds: number): Promise<number> {
  const operation = await loadOperation('csv.convert')
  const options = { to, file: {} }
  new Ajv2020({ strict: false, useDefaults: true, validateFormats: false }).validate(operation.input, options)
  const startedAt = performance.now()
  let runs = 0
  for (; performance.now() - startedAt < seconds * 1_000; runs++) {
    const { result } = await runWithoutTools(operation, { ...options, file: await openInputFile(path) })
    const { output } = result as { output: { bytes: Uint8Array } }
    await writeFile(`${path}.out`, output.bytes)
  }
  return runs / ((performance.now() - startedAt) / 1_000)
}

async function openInputFile(path: string): Promise<InputFile> {
  return markInputFile({
    path,
    ...{ type: 'text/csv', name: undefined, facts: {} },
    sizeBytes: (await stat(path)).size,
    bytes: async () => new Uint8Array(await readFile(path)),
    chunks: () => createReadStream(path),
  })
}

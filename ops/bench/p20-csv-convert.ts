import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type InputFile, runHere } from '#kit'
import { loadOperation } from '../../tasks/index.ts'
import { AS_JSON } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { median } from './median.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, storeUpload, tryCall } from './stack.ts'
import { oneTurn } from './versus.ts'

const BYTES = 50_000_000
const TARGETS = ['json', 'tsv'] as const
/** A call takes about a second, so a turn of the usual length would count too few. */
const SECONDS = 10

/** The engine is ours, so calling it directly is the same operation on a file, without the service around it. */
export default {
  id: 'P20',
  title: 'csv/convert of 50 MB that lie on the disk, one client, over the engine called directly',
  async measure(bench) {
    await using stack = await openStack(bench.home, { accounts: 1 })
    const folder = await mkdtemp(join(bench.home.folder, 'csv-'))
    const path = join(folder, 'table.csv')
    const bytes = table(BYTES)
    await writeFile(path, bytes)
    const inputKey = await storeUpload(stack, stack.accounts[0]!, bytes, 'text/csv')
    const readings = []
    for (const to of TARGETS) {
      const body = JSON.stringify({ file: { inputKey }, to, inlineOutput: 'never' })
      const call = { path: '/v1/csv/convert', headers: AS_JSON, body, keys: stack.keys }
      await tryCall(stack, call)
      const side = ourSide(bench.home, stack, call)
      const seconds = bench.pace.bulk < 1 ? SECONDS / 2 : SECONDS
      const rates: number[] = []
      const turns = []
      for (let round = 0; round < bench.pace.rounds; round++) {
        rates.push(await convertDirectly(path, to, seconds))
        turns.push(await oneTurn(bench, side, 1, seconds))
      }
      readings.push({
        of: `csv to ${to}`,
        unit: 'calls/s',
        ours: median(turns.map(({ volley }) => volley.perSecond)),
        floor: median(rates),
        goal: { atLeast: 0.7 },
        judged: 'ratio' as const,
        limit: costInWords(turns.at(-1)!.cost),
        facts: { turns, rates },
      })
    }
    await rm(folder, { recursive: true, force: true })
    await checkStack(stack)
    return readings
  },
} satisfies Figure

/** Rows of several kinds of cells, some quoted, as a shop's export has them. */
function table(size: number): Buffer {
  const lines = ['id,when,name,city,amount,note']
  for (let length = 0, row = 1; length < size; row++) {
    const line = `${row},2026-03-${String((row % 28) + 1).padStart(2, '0')},"Customer ${row % 977}",Łódź,${(row * 7919) % 100_000}.50,"said ""yes"", then no"`
    lines.push(line)
    length += line.length + 4
  }
  const bytes = Buffer.from(lines.join('\n'))
  return bytes.subarray(0, bytes.lastIndexOf('\n', size))
}

/** Gives how many conversions, from file to file, end in a second. */
async function convertDirectly(path: string, to: string, seconds: number): Promise<number> {
  const operation = await loadOperation('csv.convert')
  const options = { to, file: {} }
  new Ajv2020({ strict: false, useDefaults: true, validateFormats: false }).validate(operation.input, options)
  const begun = performance.now()
  let runs = 0
  for (; performance.now() - begun < seconds * 1_000; runs++) {
    const { result } = await runHere(operation, { ...options, file: await fileAt(path) })
    const { output } = result as { output: { bytes: Uint8Array } }
    await writeFile(`${path}.out`, output.bytes)
  }
  return runs / ((performance.now() - begun) / 1_000)
}

async function fileAt(path: string): Promise<InputFile> {
  return {
    path,
    ...{ type: 'text/csv', name: undefined, facts: {} },
    sizeBytes: (await stat(path)).size,
    bytes: async () => new Uint8Array(await readFile(path)),
    chunks: () => createReadStream(path),
  }
}

import { mapFiles, runWithoutTools } from '#kit'
import { makeInputReady } from '../../../../api/intake/files/stage-files.ts'
import { validate } from '../../../../api/intake/validate.ts'
import { loadOperations, type NamedOperation } from '../../../../tasks/index.ts'
import type { Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { COSTLY_INPUTS } from './costly-inputs.ts'

const RUNS = 15

/** The api is busy for as long as an instant run takes, so that none may take long. */
export default {
  id: 'P27',
  title: 'operations that the api runs itself, with their dearest inputs: how long it is busy',
  async measure({ log }) {
    const readings = []
    for (const operation of (await loadOperations()).filter(({ instant }) => instant)) {
      const times: number[] = []
      for (const body of COSTLY_INPUTS[operation.name]!(operation.instant!.maxBytes))
        times.push(await time(operation, body))
      log(`${operation.name} ${times.map(ms => ms.toFixed(1)).join(' ')} ms`)
      readings.push({
        label: operation.name,
        unit: 'ms',
        ours: Math.max(...times),
        floor: await timeYardstick(),
        goal: { atMost: 20 },
        judgedBy: 'ours' as const,
        limitedBy: `${operation.instant!.maxBytes} bytes at most`,
      })
    }
    return readings
  },
} satisfies Figure

/** The median of some runs. Each is given its input anew, in memory as the api has it, and writes its answer. */
async function time(operation: NamedOperation, body: Record<string, unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const input = await stageInMemory(operation, body)
    const startedMs = performance.now()
    const { result } = await runWithoutTools(operation, input)
    JSON.stringify(result)
    times.push(performance.now() - startedMs)
  }
  return median(times)
}

async function stageInMemory(operation: NamedOperation, body: Record<string, unknown>): Promise<unknown> {
  const input = structuredClone(body)
  validate(operation.input, input)
  const staged = await mapFiles(operation.input, input, source => {
    const { text, name } = source as { text: string; name?: string }
    const bytes = Buffer.from(text)
    return { inline: bytes.toString('base64'), type: 'text/plain', sizeBytes: bytes.length, name, options: {} }
  })
  return makeInputReady(operation.input, staged)
}

const YARDSTICK = JSON.stringify(
  Array.from({ length: 8_000 }, (_, id) => ({ id, name: `row ${id}`, value: id / 7, tags: ['a', 'b'] })),
)

/** What the machine takes to read and write a list of 8,000 rows as JSON. */
async function timeYardstick(): Promise<number> {
  const times = Array.from({ length: RUNS }, () => {
    const startedMs = performance.now()
    JSON.stringify(JSON.parse(YARDSTICK))
    return performance.now() - startedMs
  })
  return median(times)
}

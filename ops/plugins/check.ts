import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { computeCharge, type Example, findTariff, formatUsd, mapFiles, markInputFile, newId, Problem } from '#kit'
import { validate } from '../../api/intake/validate.ts'
import { inlineSamples } from '../../api/surfaces/openapi/examples.ts'
import { openPools, type Pools } from '../../pools/index.ts'
import { recogniseFile } from '../../pools/inspect/file-type.ts'
import { requireAcceptedType } from '../../tasks/formats/file-types/accept.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import { openLog } from '../log.ts'
import { writeCode } from './code.ts'
import { describePlugin, explainRefusal } from './describe.ts'
import { readSource } from './folder.ts'
import { toOperation } from './operations.ts'

interface CheckedExample {
  title: string
  charge?: string
  /** Undefined if it ran as it is printed. */
  fault?: string
}

export interface CheckedPlugin {
  operation?: NamedOperation
  examples: CheckedExample[]
  /** Why it would be refused. */
  fault?: string
}

interface Place {
  pools: Pools
  root: string
}

/** Reads a plugin as the service would and runs its examples, without an installation. */
export async function checkPlugin(path: string): Promise<CheckedPlugin> {
  const folder = await mkdtemp(join(tmpdir(), 'coinop-plugin-'))
  const root = join(folder, 'plugins')
  const failures: string[] = []
  const pools = await openPools({
    workRoot: join(folder, 'work'),
    lanes: { thread: 1, native: 1, program: 1, remote: 0 },
    sandbox: 'auto',
    production: false,
    log: openLog({ logLevel: 'silent', name: 'plugin' }),
    plugins: {
      folder: root,
      open: async version => join(root, version),
      report: ({ error }) => failures.push(error),
    },
  })
  try {
    return await check({ pools, root }, path, failures)
  } finally {
    await pools.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function check({ pools, root }: Place, path: string, failures: string[]): Promise<CheckedPlugin> {
  const file = basename(path)
  try {
    const source = await readSource(dirname(path), file)
    await writeCode(root, source.version, source.files)
    const signal = new AbortController().signal
    const operation = toOperation(source.version, await describePlugin(source, { pools, root, signal }))
    const examples: CheckedExample[] = []
    for (const example of operation.examples) {
      const outcome = await tryExample(pools, operation, example)
      examples.push({ title: example.title, ...outcome, ...(failures.length > 0 && { fault: failures.join('; ') }) })
      failures.length = 0
    }
    return { operation, examples }
  } catch (error) {
    if (error instanceof Problem) return { examples: [], fault: explainRefusal(file, error) }
    throw error
  }
}

async function tryExample(
  pools: Pools,
  operation: NamedOperation,
  example: Example,
): Promise<Omit<CheckedExample, 'title'>> {
  const jobId = newId()
  const folder = await pools.openFolder(jobId)
  const signal = new AbortController().signal
  try {
    const input = await prepareInput(pools, operation, example, folder)
    const limitSeconds = operation.limitSeconds ?? 60
    const answer = await pools.run({
      jobId,
      operation: operation.name,
      given: operation,
      input,
      folder,
      signal,
      limitSeconds,
    })
    if (!answer.ok) throw Problem.from(answer.problem)
    const { outcome } = answer
    const charge = formatUsd(computeCharge(findTariff(operation.price, input as never), outcome))
    const isAsPrinted = contains(outcome.result, example.answer ?? {})
    return { charge, ...(!isAsPrinted && { fault: `it answers ${JSON.stringify(outcome.result)}` }) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { fault: [error.message, ...Object.values(error.hints)].join(' ') }
  } finally {
    await pools.closeFolder(jobId)
  }
}

/** Files as a call would have them: given as text or bytes, or a sample of ours. */
async function prepareInput(
  pools: Pools,
  operation: NamedOperation,
  { input }: Example,
  folder: string,
): Promise<unknown> {
  const body = inlineSamples(structuredClone(input))
  validate(operation.input, body)
  let count = 0
  return mapFiles(operation.input, body, async (source, slot) => {
    const { rule, field } = slot
    const { text, inline, name } = source as { text?: string; inline?: string; name?: string }
    if (text === undefined && inline === undefined)
      throw new Problem('INVALID_SOURCE', { field, reason: 'an example that is run has text, inline or a sample' })
    const path = join(folder, `input-${count++}`)
    await (text === undefined ? writeFile(path, inline!, 'base64') : writeFile(path, text))
    const type = requireAcceptedType(await recogniseFile(path), (await stat(path)).size, slot)
    const file = { path, type, sizeBytes: (await stat(path)).size, name, facts: {} }
    if (!rule.probe) return markInputFile(file)
    const signal = new AbortController().signal
    const [facts] = await pools.probe([{ ...file, probe: rule.probe, field }], folder, signal)
    return markInputFile({ ...file, facts: facts! })
  })
}

/** Whether an answer has what is printed of it; it may have more. */
function contains(answer: unknown, printed: unknown): boolean {
  if (typeof printed !== 'object' || printed === null) return isDeepStrictEqual(answer, printed)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) !== Array.isArray(printed)) return false
  if (Array.isArray(printed) && printed.length !== (answer as unknown[]).length) return false
  return Object.entries(printed).every(([name, value]) => contains((answer as Record<string, unknown>)[name], value))
}

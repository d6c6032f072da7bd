import { chownSync, mkdirSync } from 'node:fs'
import { copyFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  cleanName,
  computeCharge,
  computeMaxAmount,
  type FileLimits,
  type FileRule,
  findMarkedValues,
  findStepSources,
  findTariff,
  type Lane,
  laneOf,
  mapFiles,
  markInputFile,
  OUTPUT_RULE,
  type Outcome,
  type OutputFile,
  Problem,
  passwordFor,
  replaceAt,
  type Slot,
  type StepFile,
  type StepOutcome,
  type StepRun,
  slotOf,
} from '#kit'
import { requireAcceptedType } from '../tasks/formats/file-types/accept.ts'
import type { NamedOperation } from '../tasks/index.ts'
import { type PlainFile, toPlain } from './file-readers.ts'
import type { HostContext } from './host-context.ts'
import { recogniseFile } from './inspect/file-type.ts'
import { probeFiles } from './inspect/probe.ts'
import { resolveFileName } from './job-context.ts'
import { ownerOf } from './programs/run.ts'
import { isRoot } from './programs/sandbox.ts'
import { runOperation } from './run-operation.ts'
import type { Slots } from './slots.ts'
import type { Threads } from './threads/pool.ts'

// Decision 0162: run steps on files where their operations run.

export interface StepLimits {
  files: FileLimits
  /** The largest file that a step may leave, as for a file that a call brings. */
  fileBytes: number
}

/** All files of the steps of one call together may be this many times the largest. */
const MAX_FILES = 8

interface Places {
  /** Of the job. */
  lane: Lane
  slots: Record<Lane, Slots>
  threads: Threads
  load(name: string): Promise<NamedOperation>
}

interface StepOptions {
  limits: StepLimits
  missingTools?: readonly string[]
}

/** Opens the steps of one call. Each runs where a call of its operation does, in a folder inside of that of the job. */
export function openSteps(context: HostContext, options: StepOptions, places: Places) {
  const steps = new Steps(context, options, places)
  return (step: StepRun) => steps.run(step)
}

class Steps {
  readonly #context: HostContext
  readonly #options: StepOptions
  readonly #places: Places
  #bytes = 0

  constructor(context: HostContext, options: StepOptions, places: Places) {
    this.#context = context
    this.#options = options
    this.#places = places
  }

  async run({ id, operation: name, input: given, rates, resolve, approve }: StepRun): Promise<StepOutcome> {
    const operation = await this.#places.load(name)
    const context = this.#openFolder(`step-${id}`)
    const input = await this.#prepare(context, operation, resolveSources(operation, given, resolve))
    const tariff = findTariff(operation.price, input as never, rates)
    approve(computeMaxAmount(tariff))
    const outcome = await this.#runOperation(context, operation, input)
    const { files, fields } = await this.#keepFiles(id, operation, outcome)
    await rm(context.folder, { recursive: true, force: true })
    const chargeMicros = computeCharge(tariff, outcome)
    return { files, fields, warnings: outcome.warnings ?? [], chargeMicros }
  }

  /** A step waits for a place in a lighter lane that this worker serves; else it has that of its job. */
  #runOperation(context: HostContext, operation: NamedOperation, input: unknown): Promise<Outcome<unknown>> {
    const { threads, slots } = this.#places
    const { missingTools } = this.#options
    const lane = laneOf(operation.uses)
    const run = () => runOperation(context, threads, { operation, input, lane, missingTools })
    const isShared = lane !== this.#places.lane && slots[lane].size > 0
    return isShared ? slots[lane].use(context.signal, run) : run()
  }

  /** It belongs to the user of the job's folder, which is removed with all that is in it. */
  #openFolder(name: string): HostContext {
    const folder = join(this.#context.folder, name)
    mkdirSync(folder, { mode: 0o700 })
    const uid = ownerOf(this.#context.folder)
    if (isRoot) chownSync(folder, uid, uid)
    return { ...this.#context, folder, out: file => resolveFileName(folder, file) }
  }

  /** What a step made is checked as an upload is before another step works on it. */
  async #prepare(context: HostContext, operation: NamedOperation, input: unknown): Promise<unknown> {
    const prepared: { file: PlainFile; rule: FileRule; field: string; index?: number }[] = []
    const ready = await mapFiles(operation.input, input, async (given, slot) => {
      const file = isStepFile(given) ? await describe(given, slot) : toPlain(given as PlainFile)
      prepared.push({ file, rule: slot.rule, field: slot.field, index: slot.index })
      return file
    })
    const toProbe = prepared.filter(({ rule }) => rule.probe)
    if (toProbe.length === 0) return ready
    const probes = toProbe.map(({ file, rule, field, index }) => {
      const password = passwordFor(input, field, index)
      return { ...file, probe: rule.probe!, field, index, password }
    })
    const facts = await probeFiles(probes, context, this.#options.limits.files)
    for (const [index, { file }] of toProbe.entries()) file.facts = facts[index]!
    return ready
  }

  /** Moves what a step made to the folder of the job; nothing else of the step is kept. */
  async #keepFiles(id: string, operation: NamedOperation, { result }: Outcome<unknown>) {
    const places = findMarkedValues(OUTPUT_RULE, operation.output, result)
    const files: StepFile[] = []
    for (const [index, { value }] of places.entries()) {
      const { path: from, bytes, contentType, name } = value as OutputFile
      const path = join(this.#context.folder, `made-${id}-${index}`)
      if (bytes) await writeFile(path, bytes)
      else await moveFile(from!, path)
      const { size: sizeBytes } = await stat(path)
      this.#count(sizeBytes)
      files.push({ path, contentType, name: cleanName(name), sizeBytes })
    }
    const fields = { ...(result as Record<string, unknown>) }
    for (const { path } of places) delete fields[String(path[0])]
    return { files, fields }
  }

  #count(sizeBytes: number): void {
    const { fileBytes } = this.#options.limits
    this.#bytes += sizeBytes
    const isOver = sizeBytes > fileBytes ? fileBytes : this.#bytes > MAX_FILES * fileBytes ? MAX_FILES * fileBytes : 0
    if (isOver > 0)
      throw new Problem('OUTPUT_TOO_LARGE', { limit: isOver, actual: sizeBytes > fileBytes ? sizeBytes : this.#bytes })
  }
}

/** An input that is returned as it is has another name elsewhere, and a file of a job has only one. */
async function moveFile(from: string, to: string): Promise<void> {
  const { nlink } = await stat(from)
  await (nlink === 1 ? rename(from, to) : copyFile(from, to))
}

function isStepFile(file: unknown): file is StepFile {
  return 'contentType' in (file as object)
}

async function describe({ path, name }: StepFile, slot: Slot<FileRule>): Promise<PlainFile> {
  const { size: sizeBytes } = await stat(path)
  const type = requireAcceptedType(await recogniseFile(path), sizeBytes, slot)
  return markInputFile({ path, type, sizeBytes, name, facts: {} })
}

/** Puts the files of earlier steps in their places. In a list, all files of a step take the place of it. */
function resolveSources(operation: NamedOperation, input: unknown, resolve: StepRun['resolve']): unknown {
  return findStepSources(operation.input, input).reduceRight((resolved, marked) => {
    const files = resolve(marked.value)
    const last = marked.path.at(-1)
    const [file, ...others] = files
    if (typeof last !== 'number' && (!file || others.length > 0))
      throw new Problem('STEP_TYPE_MISMATCH', {
        expected: 'one file',
        got: `${files.length} files`,
        field: slotOf(marked).field,
        ...(file ? { use: 'index' } : { reason: 'The answer of the step before has no file.' }),
      })
    if (typeof last !== 'number') return replaceAt(resolved, marked.path, file)
    const list = marked.path.slice(0, -1)
    const items = list.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], resolved) as unknown[]
    return replaceAt(resolved, list, items.toSpliced(last, 1, ...files))
  }, input)
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Facts,
  FILE_RULE,
  type FileRule,
  hasMark,
  mapFiles,
  mapSecrets,
  type Outcome,
  type Payload,
  Problem,
  passwordFor,
  runHere,
  SECRET_RULE,
  type StagedFile,
} from '#kit'
import { open } from '../ops/secrets.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { WorkFloor } from './floor.ts'

const LIGHT_BYTES = 65_536

/** A file laid ready: where it is and what it was found to be. */
interface LaidFile {
  path: string
  type: string
  sizeBytes: number
  name: string | undefined
  facts: Facts
}

/**
 * Where one job is worked on: its files are fetched into a folder of its own and probed, its secrets opened, and in
 * the end all of it is cleared away. An operation without files and tools needs no folder and runs right here.
 */
export class Bench implements AsyncDisposable {
  readonly #floor: WorkFloor
  readonly #operation: NamedOperation
  readonly #payload: Payload
  readonly #signal: AbortSignal
  #folder: Promise<string> | undefined
  #input: unknown

  constructor(floor: WorkFloor, operation: NamedOperation, payload: Payload, signal: AbortSignal) {
    this.#floor = floor
    this.#operation = operation
    this.#payload = payload
    this.#signal = signal
  }

  /** The input ready to run. */
  async lay(): Promise<unknown> {
    const { input: schema } = this.#operation
    let input = this.#payload.input
    if (hasMark(SECRET_RULE, schema)) {
      input = await mapSecrets(schema, input, secret => open(this.#floor.config.secret, secret, this.#payload.id))
    }
    if (hasMark(FILE_RULE, schema)) input = await this.#layFiles(input)
    this.#input = input
    return input
  }

  async run(onProgress: (done: number, total: number, unit: string) => void): Promise<Outcome<unknown>> {
    if (this.#isLight()) return runHere(this.#operation, this.#input)
    const answer = await this.#floor.pools.run({
      jobId: this.#payload.id,
      operation: this.#operation.name,
      input: this.#input,
      folder: await this.#openFolder(),
      signal: this.#signal,
      limitSeconds: this.#payload.limitSeconds,
      onProgress,
    })
    if (!answer.ok) throw Problem.from(answer.problem)
    return answer.outcome
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#folder) return
    const { pools, log } = this.#floor
    await pools
      .closeFolder(this.#payload.id)
      .catch(error => log.warn({ jobId: this.#payload.id, err: error }, 'not cleared away'))
  }

  /** A thread costs more than the work itself where an operation has no tools, no files and little to read. */
  #isLight(): boolean {
    return this.#operation.uses.length === 0 && this.#folder === undefined && this.#payload.inputBytes <= LIGHT_BYTES
  }

  async #layFiles(input: unknown): Promise<unknown> {
    const laid: { file: LaidFile; rule: FileRule; field: string; index?: number }[] = []
    const ready = await mapFiles(this.#operation.input, input, async (staged, slot) => {
      const file = await this.#fetch(staged as StagedFile, laid.length)
      laid.push({ file, rule: slot.rule, field: slot.field, index: slot.index })
      return file
    })
    const toProbe = laid.filter(({ rule }) => rule.probe)
    if (toProbe.length > 0) {
      const questions = toProbe.map(({ file, rule, field, index }) => ({
        ...file,
        probe: rule.probe!,
        index,
        password: passwordFor(input, field, index),
      }))
      const facts = await this.#floor.pools.probe(questions, await this.#openFolder(), this.#signal)
      for (const [index, { file }] of toProbe.entries()) file.facts = facts[index]!
    }
    return ready
  }

  async #fetch(staged: StagedFile, index: number): Promise<LaidFile> {
    const { type, sizeBytes, name } = staged
    const path = await this.#place(staged, `input-${index}`)
    return { path, type, sizeBytes, name, facts: {} }
  }

  async #place(staged: StagedFile, name: string): Promise<string> {
    const { store } = this.#floor
    const path = join(await this.#openFolder(), name)
    if (staged.inline !== undefined) await writeFile(path, staged.inline, 'base64')
    else if (store.localPath) return store.localPath(staged.key!)
    else await store.fetchTo(staged.key!, path)
    return path
  }

  #openFolder(): Promise<string> {
    const folder = this.#folder ?? this.#floor.pools.openFolder(this.#payload.id)
    this.#folder = folder
    return folder
  }
}

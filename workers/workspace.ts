import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Facts,
  FILE_LIMITS,
  FILE_RULE,
  type FileLimits,
  type FileRule,
  type FileSettings,
  hasMark,
  isFileProducing,
  isInstantCall,
  type JobPayload,
  laneOf,
  mapFiles,
  mapSecrets,
  markInputFile,
  type Outcome,
  Problem,
  passwordFor,
  runWithoutTools,
  SECRET_RULE,
  type Slot,
  type StagedFile,
} from '#kit'
import { unseal } from '../ops/secrets.ts'
import type { PoolJob } from '../pools/index.ts'
import { recogniseFile } from '../pools/inspect/file-type.ts'
import { requireAcceptedType } from '../tasks/formats/file-types/accept.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { WorkerContext } from './context.ts'
import { openSavedParts } from './staged.ts'
import { listMissingOptional } from './tools.ts'

/** A file that is ready for the operation, and what probing found out about it. */
interface PreparedFile {
  path: string
  type: string
  sizeBytes: number
  name: string | undefined
  facts: Facts
  options?: FileSettings
}

/**
 * The folder of one attempt: the job's files are fetched into it and probed, and it is removed at the end. The workspace
 * also decrypts secrets. A call that is instant and has no files needs no folder and runs in this thread.
 */
export class JobWorkspace implements AsyncDisposable {
  readonly #context: WorkerContext
  readonly #operation: NamedOperation
  readonly #payload: JobPayload
  readonly #signal: AbortSignal
  #folder: Promise<string> | undefined
  #input: unknown

  constructor(context: WorkerContext, operation: NamedOperation, payload: JobPayload, signal: AbortSignal) {
    this.#context = context
    this.#operation = operation
    this.#payload = payload
    this.#signal = signal
  }

  /** Returns the input with its files fetched and its secrets decrypted. */
  async prepare(): Promise<unknown> {
    const { input: schema } = this.#operation
    let input = this.#payload.input
    if (hasMark(SECRET_RULE, schema)) {
      input = await mapSecrets(schema, input, secret => unseal(this.#context.config.secret, secret, this.#payload.id))
    }
    if (hasMark(FILE_RULE, schema)) input = await this.#prepareFiles(input)
    this.#input = input
    return input
  }

  async run(onProgress: (done: number, total: number, unit: string) => void): Promise<Outcome<unknown>> {
    if (this.#isLight()) return runWithoutTools(this.#operation, this.#input)
    return this.#runInPools({ onProgress })
  }

  /** What a dry run tells besides the price, if there is more. */
  async describe(): Promise<object> {
    if (!this.#operation.dryRun) return {}
    return (await this.#runInPools({ isDryRun: true })).result as object
  }

  async #runInPools(how: Pick<PoolJob, 'onProgress' | 'isDryRun'>): Promise<Outcome<unknown>> {
    const { pools, settings } = this.#context
    const { composition, version } = this.#operation
    const isComposed = composition !== undefined
    const fileBytes = settings.get('cputools.io.max_storage_ref_bytes')
    const answer = await pools.run({
      jobId: this.#payload.id,
      accountId: this.#payload.accountId,
      operation: this.#operation.name,
      ...((isComposed || version !== undefined) && { given: this.#operation }),
      ...(isComposed && { stepLimits: { files: this.#readLimits(), fileBytes } }),
      input: this.#input,
      folder: await this.#provideFolder(),
      signal: this.#signal,
      limitSeconds: this.#payload.limitSeconds,
      ...(this.#payload.lane && { lane: this.#payload.lane }),
      missingTools: listMissingOptional(this.#context, this.#operation),
      savedParts: openSavedParts(this.#context.store, this.#payload.id),
      ...how,
    })
    if (!answer.ok) throw Problem.from(answer.problem)
    return answer.outcome
  }

  #readLimits(): FileLimits {
    const { settings } = this.#context
    const pages = settings.get('cputools.pdf.max_pages')
    const pixels = settings.get('cputools.image.max_pixels')
    return { ...FILE_LIMITS, pages, pixels }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#folder) return
    const { pools, log } = this.#context
    await pools
      .closeFolder(this.#payload.id)
      .catch(error => log.warn({ jobId: this.#payload.id, err: error }, 'job folder not removed'))
  }

  /** A run in a thread that reads no file and makes none writes nothing, so its folder is not created. */
  #provideFolder(): Promise<string> | string {
    const { uses, output } = this.#operation
    const mayWrite = this.#folder !== undefined || laneOf(uses) !== 'thread' || isFileProducing(output)
    return mayWrite ? this.#openFolder() : this.#context.pools.folderPath(this.#payload.id)
  }

  /** Handing such a call over to a thread costs more than its work. */
  #isLight(): boolean {
    return this.#folder === undefined && isInstantCall(this.#operation, this.#input, this.#payload.inputBytes)
  }

  async #prepareFiles(input: unknown): Promise<unknown> {
    const preparedFiles: { file: PreparedFile; rule: FileRule; field: string; index?: number }[] = []
    const ready = await mapFiles(this.#operation.input, input, async (staged, slot) => {
      const file = await this.#prepareFile(staged as StagedFile, slot, preparedFiles.length)
      preparedFiles.push({ file, rule: slot.rule, field: slot.field, index: slot.index })
      return file
    })
    const toProbe = preparedFiles.filter(({ rule }) => rule.probe)
    if (toProbe.length > 0) {
      const probes = toProbe.map(({ file, rule, field, index }) => ({
        ...file,
        probe: rule.probe!,
        field,
        index,
        password: passwordFor(input, field, index),
      }))
      const limits = this.#readLimits()
      const { limitSeconds } = this.#payload
      const facts = await this.#context.pools.probe(probes, await this.#openFolder(), this.#signal, {
        limits,
        limitSeconds,
      })
      for (const [index, { file }] of toProbe.entries()) file.facts = facts[index]!
    }
    return ready
  }

  async #prepareFile(staged: StagedFile, slot: Slot<FileRule>, index: number): Promise<PreparedFile> {
    if (staged.url !== undefined) return this.#download(staged.url, staged, slot, index)
    const { type, sizeBytes, name, options } = staged
    const path = await this.#fetchFile(staged, `input-${index}`)
    return markInputFile({ path, type, sizeBytes, name, facts: {}, options })
  }

  /** A file of the web is checked as an upload is, once it is here. */
  async #download(url: string, staged: StagedFile, slot: Slot<FileRule>, index: number): Promise<PreparedFile> {
    const { download, clock } = this.#context
    const { field } = slot
    if (!download) throw new Problem('MODE_DISABLED', { field, mode: 'url', set: 'OUTBOUND=public' })
    const path = join(await this.#openFolder(), `input-${index}`)
    const leftMs = Math.max(1, this.#payload.deadlineAt - clock.now())
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(leftMs)])
    const sizeBytes = await download(url, { path, bytes: staged.sizeBytes, signal }).catch((error: unknown) => {
      throw error instanceof Problem ? new Problem(error.code, { ...error.hints, field }) : error
    })
    const type = requireAcceptedType(await recogniseFile(path), sizeBytes, slot)
    return markInputFile({ path, type, sizeBytes, name: staged.name, facts: {}, options: staged.options })
  }

  async #fetchFile(staged: StagedFile, name: string): Promise<string> {
    const { store } = this.#context
    const path = join(await this.#openFolder(), name)
    if (staged.inline !== undefined) await writeFile(path, staged.inline, 'base64')
    else if (store.localPath) return store.localPath(staged.key!)
    else await store.fetchTo(staged.key!, path)
    return path
  }

  #openFolder(): Promise<string> {
    const folder = this.#folder ?? this.#context.pools.openFolder(this.#payload.id)
    this.#folder = folder
    return folder
  }
}

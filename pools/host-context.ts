import type { DocumentProviders } from '../ops/providers/document/contract.ts'
import type { Embeddings } from '../ops/providers/embedding/contract.ts'
import type { LanguageModels } from '../ops/providers/llm/contract.ts'
import type { Proofreader } from '../ops/providers/proofreading/contract.ts'
import type { TimestampAuthority } from '../ops/providers/timestamp/contract.ts'
import type { Transcriber } from '../ops/providers/transcription/contract.ts'
import type { Translator } from '../ops/providers/translation/contract.ts'
import type { VisionEngines } from '../ops/providers/vision/contract.ts'
import type { Daemons } from './daemons/registry.ts'
import type { OutboundFetch } from './fetch/outbound.ts'
import type { JobContext } from './job-context.ts'
import type { NativeEngines } from './native/engines.ts'
import type { Programs } from './programs/run.ts'

/** The context of a tool on the main thread of the worker: it may use programs, native engines and daemons. */
export interface HostContext extends JobContext {
  readonly programs: Programs
  readonly engines: NativeEngines
  readonly daemons: Daemons
  /** Present if the operator allows calls to fetch from the web. */
  readonly outbound?: OutboundFetch
  /** The ffmpeg that the operator named. */
  readonly ffmpegPath?: string
  /** Reports how far a long run has come. */
  readonly onProgress?: (done: number, total: number, unit: string) => void
  /** Present if the operator configured a provider. */
  readonly languageModels?: LanguageModels
  /** Present if a model that embeds texts has a price. */
  readonly embeddings?: Embeddings
  /** Where a long job saves its parts; present in a worker. */
  readonly savedParts?: SavedParts
  /** Present in a worker. */
  readonly plugins?: PluginCode
  /** Present if the operator named a timestamp authority. */
  readonly timestamps?: TimestampAuthority
  /** Present if the operator configured a provider. */
  readonly transcriber?: Transcriber
  /** Present if the operator configured a proofreading service. */
  readonly proofreader?: Proofreader
  /** Present if the operator configured a translation service. */
  readonly translator?: Translator
  /** The providers that read documents instead of our own engines. */
  readonly documents?: DocumentProviders
  /** The providers and models that analyse images. */
  readonly vision?: VisionEngines
}

/** The code of operations that an operator has added. */
export interface PluginCode {
  /** The folder of all versions, which only this process writes to. */
  readonly folder: string
  /** Returns the folder of a version, which it fetches where it is not here yet. */
  open(version: string): Promise<string>
  /** Tells the operator what went wrong in a run; callers are not told. */
  report(facts: { version: string; jobId: string; name: string; error: string }): void
}

/** The parts of a long job that are done. They outlive the worker, so that the next one goes on where it died. */
export interface SavedParts {
  /** The names of the parts that are saved. */
  list(): Promise<string[]>
  read(name: string): Promise<string>
  save(name: string, content: string): Promise<void>
}

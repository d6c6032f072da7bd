import type { Lane } from '#kit'
import type { NamedOperation } from '../tasks/index.ts'
import type { HostContext, SavedParts } from './host-context.ts'
import type { PoolLog } from './programs/sandbox-level.ts'
import type { StepLimits } from './steps.ts'

/** What tools may use of the world outside, as the operator configured it. */
export type OutsideContext = Pick<
  HostContext,
  | 'outbound'
  | 'ffmpegPath'
  | 'timestamps'
  | 'languageModels'
  | 'embeddings'
  | 'transcriber'
  | 'translator'
  | 'proofreader'
  | 'documents'
  | 'vision'
  | 'plugins'
>

export interface PoolOptions extends OutsideContext {
  /** The folder in which the jobs' private folders are created. */
  workRoot: string
  /** How many jobs of a lane run at once. */
  lanes: Record<Lane, number>
  sandbox: 'auto' | 'off'
  production: boolean
  log: PoolLog
  /** An operation that an operator has added, as it is now. */
  findAdded?(name: string): NamedOperation | undefined
}

export interface PoolJob {
  jobId: string
  accountId?: string
  operation: string
  /** Validated; each file in it is a `PlainFile`. */
  input: unknown
  folder: string
  signal: AbortSignal
  limitSeconds: number
  /** If it is not that of its tools, because a provider serves one of them. */
  lane?: Lane
  /** The operation as this call has it, if it runs others or has versions. */
  given?: NamedOperation
  stepLimits?: StepLimits
  /** Only find out what a dry run answers. */
  isDryRun?: boolean
  onProgress?(done: number, total: number, unit: string): void
  /** Optional tools of the operation that are not here: a run that calls one ends with `ToolMissing`. */
  missingTools?: readonly string[]
  savedParts?: SavedParts
}

/** Work that tools are called for. */
export type ToolJob = Omit<PoolJob, 'operation' | 'input'>

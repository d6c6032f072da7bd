import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  killGroup,
  readResidentBytes,
  readRunningMs,
  readWaitingMs,
  sumOverTree,
  waitForEnd,
} from '../processes/child.ts'
import type { Reuse, WorkerProcess } from '../processes/worker-kind.ts'
import { buildEnvironment, confine, listNodeFiles, type SandboxLevel } from '../programs/sandbox.ts'
import type { EngineAnswer, EngineCall } from './entry.ts'

const ENTRY_PATH = fileURLToPath(new URL('./entry.ts', import.meta.url))
const HEAP_MB = 512

export interface ProcessOptions {
  engine: string
  /** Limits the memory that the process may write to, so that its allocations fail instead of filling the machine. */
  dataMb?: number
  heapMb?: number
  /** Compiled code: the folder where Node finds it, and what is mounted there. */
  code?: { folder: string; mount?: { from: string; at: string } }
  /** Folders that it can read besides our code. */
  visible?: readonly string[]
  /** It needs more of the kit than engines get. */
  hasWholeKit?: boolean
}

/** One confined Node process that answers calls to an engine, several at a time. */
export class EngineProcess implements WorkerProcess {
  readonly folder: string
  readonly uid: number
  readonly ended: Promise<string>
  readonly ready: Promise<void>
  reportedBytes = 0
  reuse: Reuse = 'anyone'
  readonly #child: ChildProcess
  readonly #unanswered = new Map<number, (answer: EngineAnswer) => void>()

  constructor(level: SandboxLevel, folder: string, uid: number, options: ProcessOptions) {
    this.folder = folder
    this.uid = uid
    const { engine, dataMb, heapMb = HEAP_MB, code, visible = [], hasWholeKit = false } = options
    const limits = { fileBytes: 512 * 2 ** 20, processes: 128, dataMb }
    const confinement = {
      folder,
      uid,
      readOnly: [],
      visible: [...listNodeFiles(), ...visible],
      mounted: code?.mount,
      limits,
    }
    const flags = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMb}`]
    const node = [...flags, ...(hasWholeKit ? [] : ['--conditions=engine']), ENTRY_PATH, engine]
    const { file, args, cwd } = confine(level, process.execPath, node, confinement)
    const env = {
      ...buildEnvironment(folder, level),
      MALLOC_ARENA_MAX: '2',
      VIPS_WARNING: '1',
      ...(code && { NODE_COMPILE_CACHE: code.folder }),
    }
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
    this.#child = spawn(file, args, { cwd, env, detached: true, serialization: 'advanced', stdio: [...stdio] })
    this.ended = waitForEnd(this.#child)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    this.#child.on('message', (message: EngineAnswer | { ready: true }) => {
      if ('ready' in message) resolve()
      else this.#receive(message)
    })
    this.#child.unref()
    ;(this.#child.stderr as unknown as { unref?(): void }).unref?.()
    this.unref()
  }

  /** Never settles when the process ends before it answers: the pool settles the calls of a dead process. */
  request(call: EngineCall): Promise<EngineAnswer> {
    return new Promise(resolve => {
      this.#child.send(call)
      this.#unanswered.set(call.id, resolve)
    })
  }

  ref(): void {
    this.#child.channel?.ref()
  }

  unref(): void {
    this.#child.channel?.unref()
  }

  /** Lets the process end by itself. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect()
  }

  kill(): void {
    killGroup(this.#child)
  }

  readMemoryBytes(): number {
    return sumOverTree(this.#child.pid, readResidentBytes)
  }

  readWaitingMs(): number {
    return sumOverTree(this.#child.pid, readWaitingMs)
  }

  readRunningMs(): number {
    return sumOverTree(this.#child.pid, readRunningMs)
  }

  #receive(answer: EngineAnswer): void {
    this.reportedBytes = answer.rssBytes
    this.reuse = answer.reuse
    this.#unanswered.get(answer.id)?.(answer)
    this.#unanswered.delete(answer.id)
  }
}

import { chmodSync, linkSync, lstatSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Problem } from '#kit'
import type { JobRoom } from './job-room.ts'
import type { Exit } from './launcher.ts'
import type { Launches } from './launches.ts'
import { confine, environment, isRoot, type SandboxLevel } from './sandbox.ts'
import { ToolCrashed } from './tool-crashed.ts'

export interface ProgramOptions {
  /** Names of files in the job's folder that the program must not write. */
  readOnly?: readonly string[]
  stdin?: Uint8Array
  /** At most what is left of the job. */
  timeoutMs?: number
  /** Of address space; 0 for programs that reserve more than they use. */
  memoryMb?: number
  /** The largest file it may write. */
  outputLimitBytes?: number
  /** Of stdout; of stderr 64 KiB are kept. */
  stdoutLimitBytes?: number
  env?: Record<string, string>
  /** Files and folders besides the system's own that the program needs to see. */
  visible?: readonly string[]
}

export interface Finished {
  code: number
  stdout: string
  stderr: string
}

const KEPT_BYTES = 64 * 1024
const DEFAULTS = { memoryMb: 2048, outputLimitBytes: 512 * 2 ** 20, processes: 64 }
const OUT_OF_MEMORY = /bad_alloc|out of memory|cannot allocate memory/i

/** Runs confined programs, one process a call. They see the job's folder and the system, and nothing else. */
export class Programs {
  readonly level: SandboxLevel | undefined
  private readonly launches: Launches

  constructor(level: SandboxLevel | undefined, launches: Launches) {
    this.level = level
    this.launches = launches
  }

  /**
   * Paths among `args` are names in the job's folder. What the exit code means is for the tool to say; limits that
   * were hit are Problems, and a program that died of a signal is a crash.
   */
  async run(room: JobRoom, program: string, args: readonly string[], options: ProgramOptions = {}): Promise<Finished> {
    if (this.level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { program })
    const timeoutMs = Math.min(options.timeoutMs ?? Infinity, room.deadlineMs - performance.now())
    if (timeoutMs <= 0) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: room.limitSeconds })
    const memoryMb = options.memoryMb ?? DEFAULTS.memoryMb
    const command = confine(this.level, program, args, {
      folder: room.folder,
      uid: ownerOf(room.folder),
      readOnly: options.readOnly ?? [],
      visible: options.visible,
      limits: {
        memoryMb,
        cpuSeconds: timeoutMs / 1000 + 1,
        fileBytes: options.outputLimitBytes ?? DEFAULTS.outputLimitBytes,
        processes: DEFAULTS.processes,
      },
    })
    const env = { ...environment(room.folder, this.level), ...options.env }
    const stdoutLimit = options.stdoutLimitBytes ?? KEPT_BYTES
    const order = { ...command, env, stdin: options.stdin, timeoutMs, stdoutLimit, stderrLimit: KEPT_BYTES }
    const exit = await this.launches.run(order, room.signal)
    room.signal.throwIfAborted()
    return judge(exit, program, room.limitSeconds, memoryMb)
  }
}

function judge(exit: Exit, program: string, limitSeconds: number, memoryMb: number): Finished {
  const stderr = Buffer.from(exit.stderr).toString()
  if (exit.failure !== undefined) throw new ToolCrashed(program, exit.failure)
  const signal = signalOf(exit)
  if (exit.timedOut || signal === 'SIGXCPU') throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds })
  if (signal === 'SIGXFSZ') throw new Problem('OUTPUT_TOO_LARGE')
  const code = exit.code ?? -1
  if (code !== 0 && OUT_OF_MEMORY.test(stderr)) throw new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb })
  if (signal) throw new ToolCrashed(program, `${signal} ${stderr.slice(0, 500)}`)
  return { code, stdout: Buffer.from(exit.stdout).toString(), stderr }
}

const SIGNALS: Record<number, string> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
}
const LIMIT_SIGNALS: Record<number, string> = { 24: 'SIGXCPU', 25: 'SIGXFSZ' }

/** The sandbox reports a program that died of signal n as exit code 128 + n, as a shell does. */
function signalOf({ code, signal }: Exit): string | undefined {
  if (signal) return signal
  if (code === null || code <= 128) return undefined
  return SIGNALS[code - 128] ?? LIMIT_SIGNALS[code - 128]
}

/**
 * The user a confined program runs as is the owner of its folder. Names in a job's folder are seen to at once: the
 * thread pool's switches would cost ten times what the disk's own work on a name does.
 */
export function ownerOf(folder: string): number {
  return statSync(folder).uid
}

/**
 * Makes a file readable under a name in the job's folder, and returns that name as it goes into an argument list:
 * with `./` before it, so that no name is taken for an option.
 */
export async function bringIn(room: JobRoom, path: string, name = basename(path)): Promise<string> {
  const place = join(room.folder, name)
  if (dirname(path) !== room.folder || basename(path) !== name) await linkOrCopy(path, place)
  readableBy(ownerOf(room.folder), place)
  return `./${name}`
}

/** A file of ours becomes readable to the user of the folder it lies in; nobody else can reach it there. */
export function readableBy(uid: number, path: string): void {
  if (isRoot && uid !== 0) chmodSync(path, 0o644)
}

export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && isSameFile(from, to)) return
    if (code !== 'EXDEV' && code !== 'EPERM') throw error
    await copyFile(from, to)
  }
}

/** What was brought in to be measured is there already when it is worked on. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [lstatSync(one), lstatSync(other)]
  return first.ino === second.ino && first.dev === second.dev
}

/** Looks at what a confined program left before anything of ours opens it: it may have put a link there. */
export async function takeOut(room: JobRoom, path: string, tool: string): Promise<string> {
  const found = dirname(path) === room.folder ? lstatSync(path, { throwIfNoEntry: false }) : undefined
  if (!found?.isFile() || found.nlink !== 1) throw new ToolCrashed(tool, `left no file ${basename(path)}`)
  return path
}

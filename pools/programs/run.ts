import { chmodSync, linkSync, lstatSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Problem } from '#kit'
import { trace } from '../../ops/tracing/trace.ts'
import type { JobContext } from '../job-context.ts'
import { describeEnd, ToolCrashed } from '../tool-crashed.ts'
import type { ProgramExit } from './launcher.ts'
import type { LauncherClient } from './launcher-client.ts'
import { buildEnvironment, confine, isRoot, listFontFiles, type SandboxLevel } from './sandbox.ts'
import type { WarmSandboxes } from './warm/sandboxes.ts'

export interface ProgramOptions {
  /** Names of files in the job's folder that the program must not write. */
  readOnly?: readonly string[]
  stdin?: Uint8Array
  /** Capped by the time that is left of the job. Time spent waiting for a processor does not count. */
  timeoutMs?: number
  /** Limits the address space; 0 is no limit, for programs that reserve more than they use. */
  memoryMb?: number
  /** Limits the memory that it may write to instead, for programs that reserve more addresses than they use. */
  dataMb?: number
  /** How many processes and threads it may have. */
  processes?: number
  /** The largest file it may write. */
  outputLimitBytes?: number
  /** How much of stdout is kept; of stderr it is always 64 KiB. */
  stdoutLimitBytes?: number
  env?: Record<string, string>
  /** Files and folders besides the system's own that the program can read. */
  visible?: readonly string[]
}

export interface ProgramResult {
  code: number
  stdout: string
  stderr: string
}

const OUTPUT_BYTES = 64 * 1024
/**
 * The kernel counts the processes and threads of a user, and users are given to jobs in turn: a browser that another process
 * keeps may have the same one, and 150 threads.
 */
const MAX_PROCESSES = 256
const DEFAULTS = { memoryMb: 2048, outputLimitBytes: 512 * 2 ** 20, processes: MAX_PROCESSES }
const OUT_OF_MEMORY = /bad_alloc|out of memory|cannot allocate memory/i

/** Runs confined programs, one process for each call, in a warm sandbox where one is ready. They see the job's folder and the system, and nothing else. */
export class Programs {
  readonly level: SandboxLevel | undefined
  readonly #launcher: LauncherClient
  readonly #warm: WarmSandboxes | undefined

  constructor(level: SandboxLevel | undefined, launcher: LauncherClient, warm?: WarmSandboxes) {
    this.level = level
    this.#launcher = launcher
    this.#warm = warm
  }

  /**
   * Paths among `args` are names in the job's folder. The tool interprets the exit code; an exceeded limit is a
   * Problem, and a program killed by any other signal has crashed.
   */
  async run(
    context: JobContext,
    program: string,
    args: readonly string[],
    options: ProgramOptions = {},
  ): Promise<ProgramResult> {
    if (this.level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { program })
    const timeoutMs = Math.min(options.timeoutMs ?? Infinity, context.deadlineMs - performance.now())
    if (timeoutMs <= 0) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: context.limitSeconds })
    context.signal.throwIfAborted()
    const { dataMb } = options
    const memoryMb = options.memoryMb ?? (dataMb === undefined ? DEFAULTS.memoryMb : 0)
    const limits = {
      memoryMb,
      dataMb,
      // The kernel counts all threads of a process together, so that many at work would be late before their time.
      cpuSeconds: (timeoutMs / 1000 + 1) * availableParallelism(),
      fileBytes: options.outputLimitBytes ?? DEFAULTS.outputLimitBytes,
      processes: options.processes ?? DEFAULTS.processes,
    }
    const run: ProgramRun = { context, command: [program, ...args], options, limits, timeoutMs }
    const startedMs = performance.now()
    const start = async () => (await this.#runWarm(run)) ?? (await this.#runInOwnSandbox(run))
    const exit = await trace(`program ${basename(program)}`, undefined, start)
    context.signal.throwIfAborted()
    context.deadlineMs += exit.extendedMs
    const isLate = performance.now() - startedMs >= timeoutMs
    return interpretExit({ ...exit, program, isLate, limitSeconds: context.limitSeconds, memoryMb: dataMb ?? memoryMb })
  }

  /** Returns nothing if no warm sandbox can run the program: none is ready, or none has the files that it must see. */
  async #runWarm({ context, command, options, limits, timeoutMs }: ProgramRun): Promise<ProgramExit | undefined> {
    const { folder, signal } = context
    const fonts = listFontFiles()
    if (
      limits.dataMb !== undefined ||
      !this.#warm?.serves(folder) ||
      !(options.visible ?? []).every(path => fonts.includes(path))
    )
      return undefined
    const request = {
      folder: basename(folder),
      uid: ownerOf(folder),
      limits: { ...limits, processes: isRoot ? limits.processes : 0 },
      stdoutLimit: options.stdoutLimitBytes ?? OUTPUT_BYTES,
      stderrLimit: OUTPUT_BYTES,
      stdin: options.stdin,
      readOnly: isRoot ? [] : (options.readOnly ?? []),
      env: { ...buildEnvironment(folder, 2), ...options.env },
      command,
    }
    return this.#warm.run(request, timeoutMs, signal)
  }

  #runInOwnSandbox({ context, command, options, limits, timeoutMs }: ProgramRun): Promise<ProgramExit> {
    const { folder, signal } = context
    const level = this.level!
    const [program, ...args] = command
    const { readOnly = [], visible, stdin } = options
    const confined = confine(level, program!, args, { folder, uid: ownerOf(folder), readOnly, visible, limits })
    const env = { ...buildEnvironment(folder, level), ...options.env }
    const stdoutLimit = options.stdoutLimitBytes ?? OUTPUT_BYTES
    const request = { ...confined, env, stdin, timeoutMs, stdoutLimit, stderrLimit: OUTPUT_BYTES }
    return this.#launcher.run(request, signal)
  }
}

interface ProgramRun {
  context: JobContext
  command: readonly string[]
  options: ProgramOptions
  limits: { memoryMb: number; dataMb?: number; cpuSeconds: number; fileBytes: number; processes: number }
  timeoutMs: number
}

interface EndedRun extends Omit<ProgramExit, 'extendedMs'> {
  program: string
  /** It ended when its time had passed, which may have been extended. */
  isLate: boolean
  limitSeconds: number
  memoryMb: number
}

/**
 * Returns what a program that ended by itself left. What a limit ended is the input's end, however the kernel tells it: one
 * that is killed beyond its time limit used up its processor time, so another attempt would end the same.
 */
export function interpretExit(run: EndedRun): ProgramResult {
  const { program, limitSeconds, memoryMb } = run
  const stderr = Buffer.from(run.stderr).toString()
  if (run.failure !== undefined) throw describeEnd(program, run.failure)
  const signal = signalOf(run)
  const hasUsedUpItsTime = run.timedOut || signal === 'SIGXCPU' || (signal === 'SIGKILL' && run.isLate)
  if (hasUsedUpItsTime) throw new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds })
  if (signal === 'SIGXFSZ') throw new Problem('OUTPUT_TOO_LARGE')
  const code = run.code ?? -1
  if (code !== 0 && OUT_OF_MEMORY.test(stderr)) throw new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb })
  if (signal) throw describeEnd(program, `${signal} ${stderr.slice(0, 500)}`)
  return { code, stdout: Buffer.from(run.stdout).toString(), stderr }
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

/** The sandbox reports a program killed by signal n as exit code 128 + n, as a shell does. */
function signalOf({ code, signal }: Pick<ProgramExit, 'code' | 'signal'>): string | undefined {
  if (signal) return signal
  if (code === null || code <= 128) return undefined
  return SIGNALS[code - 128] ?? LIMIT_SIGNALS[code - 128]
}

/**
 * The user id that owns a folder, and that confined programs in it run as. Synchronous, as all operations on names in a
 * job's folder are: switching to the thread pool costs ten times the work on the disk.
 */
export function ownerOf(folder: string): number {
  return statSync(folder).uid
}

/**
 * Makes a file readable under a name in the job's folder. Returns that name as an argument: it starts with `./`, so that
 * no program takes it for an option.
 */
export async function addInputFile(context: JobContext, path: string, name = basename(path)): Promise<string> {
  const target = join(context.folder, name)
  if (dirname(path) !== context.folder || basename(path) !== name) await linkOrCopy(path, target)
  grantRead(ownerOf(context.folder), target)
  return `./${name}`
}

/** Lets the owner of a job's folder read a file of ours in it. Other users cannot enter the folder. */
export function grantRead(uid: number, path: string): void {
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

/** A file that was added for the probe is already there when the operation adds it. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [lstatSync(one), lstatSync(other)]
  return first.ino === second.ino && first.dev === second.dev
}

/** Checks the file that a confined program wrote before our own code opens it: it could be a link to another file. */
export async function checkOutputFile(context: JobContext, path: string, tool: string): Promise<string> {
  const stats = dirname(path) === context.folder ? lstatSync(path, { throwIfNoEntry: false }) : undefined
  if (!stats?.isFile() || stats.nlink !== 1) throw new ToolCrashed(tool, `left no file ${basename(path)}`)
  return path
}

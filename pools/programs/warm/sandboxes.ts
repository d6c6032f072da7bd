import { dirname } from 'node:path'
import type { ProgramExit } from '../launcher.ts'
import { limitTime } from '../time-limit.ts'
import type { StartReply, StartRequest } from './messages.ts'
import { SandboxProcess } from './process.ts'

// Decision 0015: keep sandboxes for programs warm.

/** A sandbox that ran this many programs is replaced. */
const MAX_PROGRAMS = 200
const MAX_IDLE_MS = 5 * 60_000
const CHECK_INTERVAL_MS = 30_000
/** After a failed start the next one waits this long, doubled by every further failure. */
const BACK_OFF_MS = 1000
const MAX_BACK_OFF_MS = 5 * 60_000

/**
 * Sandboxes that are made before a program needs one: at most as many as programs run at once. A program that finds none
 * ready is started in a sandbox of its own, and one more is made for the next.
 */
export class WarmSandboxes {
  readonly #root: string
  readonly #idle: SandboxProcess[] = []
  readonly #all = new Set<SandboxProcess>()
  readonly #check: NodeJS.Timeout
  #size: number
  #failedStarts = 0
  #nextStartMs = 0

  /** All folders of jobs are below `root`. */
  constructor(root: string, size: number) {
    this.#root = root
    this.#size = size
    this.#check = setInterval(() => this.#endIdle(), CHECK_INTERVAL_MS).unref()
  }

  get count(): number {
    return this.#all.size
  }

  /** How many wait for a program. */
  get ready(): number {
    return this.#idle.length
  }

  serves(folder: string): boolean {
    return dirname(folder) === this.#root
  }

  resize(size: number): void {
    this.#size = size
    while (this.#all.size > size && this.#idle.length > 0) this.#end(this.#idle.shift()!)
  }

  /** Makes a sandbox ahead of the programs that will need it; false if it does not start. */
  async prepare(): Promise<boolean> {
    const sandbox = new SandboxProcess(this.#root)
    this.#all.add(sandbox)
    void sandbox.ended.then(() => this.#forget(sandbox))
    try {
      await sandbox.ready
    } catch {
      this.#failedStarts += 1
      this.#nextStartMs = performance.now() + Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** this.#failedStarts)
      return false
    }
    this.#failedStarts = 0
    this.#keep(sandbox)
    return true
  }

  /** Returns nothing if no sandbox is ready, or the one that was could not start the program. */
  async run(request: StartRequest, timeoutMs: number, signal: AbortSignal): Promise<ProgramExit | undefined> {
    const sandbox = this.#idle.pop()
    if (!sandbox) return this.#prepareAnother()
    const exit = await this.#runIn(sandbox, request, timeoutMs, signal)
    return isNotStarted(exit) ? undefined : exit
  }

  close(): void {
    clearInterval(this.#check)
    this.#size = 0
    for (const sandbox of this.#all) this.#end(sandbox)
  }

  async #runIn(
    sandbox: SandboxProcess,
    request: StartRequest,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ProgramExit> {
    const kill = () => this.#end(sandbox)
    const limit = limitTime(timeoutMs, () => sandbox.readWaitedMs(), kill)
    signal.addEventListener('abort', kill, { once: true })
    const reply = await sandbox.run(request).catch(error => failedReply(error as Error))
    limit.stop()
    signal.removeEventListener('abort', kill)
    const isUsable = reply.code !== null && reply.code <= 128 && sandbox.finishedPrograms < MAX_PROGRAMS
    if (isUsable) this.#keep(sandbox)
    else this.#replace(sandbox)
    const { timedOut, extendedMs } = limit
    return { ...reply, failure: timedOut ? undefined : reply.failure, signal: null, timedOut, extendedMs }
  }

  #keep(sandbox: SandboxProcess): void {
    if (!this.#all.has(sandbox)) return
    if (this.#all.size > this.#size) this.#end(sandbox)
    else this.#idle.push(sandbox)
  }

  #replace(sandbox: SandboxProcess): void {
    this.#end(sandbox)
    this.#prepareAnother()
  }

  #prepareAnother(): undefined {
    if (this.#all.size < this.#size && performance.now() >= this.#nextStartMs) void this.prepare()
  }

  #end(sandbox: SandboxProcess): void {
    this.#forget(sandbox)
    sandbox.kill()
  }

  #forget(sandbox: SandboxProcess): void {
    this.#all.delete(sandbox)
    const index = this.#idle.indexOf(sandbox)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #endIdle(): void {
    const now = performance.now()
    for (const sandbox of [...this.#idle]) if (now - sandbox.idleSinceMs > MAX_IDLE_MS) this.#end(sandbox)
  }
}

/** What `starter.pl` says for a program that it could not start, for example because the job's folder is elsewhere now. */
function isNotStarted({ code, stderr }: ProgramExit): boolean {
  return code === NOT_STARTED && Buffer.from(stderr).toString().startsWith('the sandbox: ')
}

const NOT_STARTED = 128 + 9
const NO_OUTPUT = Buffer.alloc(0)

/** The sandbox ended while its program ran: it was killed, or it crashed. */
function failedReply({ message }: Error): StartReply {
  return { code: null, stdout: NO_OUTPUT, stderr: NO_OUTPUT, failure: message }
}

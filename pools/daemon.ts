import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { confine, environment, fontFiles, type SandboxLevel } from './sandbox.ts'

export interface DaemonCommand {
  program: string
  args: readonly string[]
}

export interface DaemonPlace {
  level: SandboxLevel
  folder: string
  uid: number
}

/** A page may fill what it is given; its browser and the worker must live on. */
const LIMITS = { dataMb: 4096, fileBytes: 512 * 2 ** 20, processes: 1024 }

/** A confined program that is kept alive and spoken to by two pipes: it reads from its file 3 and writes to its file 4. */
export class Daemon {
  readonly ended: Promise<string>
  private readonly child: ChildProcess
  private stderr = ''

  constructor({ level, folder, uid }: DaemonPlace, command: (home: string) => DaemonCommand) {
    const env = environment(folder, level)
    const { program, args } = command(env.HOME!)
    const how = { folder, uid, readOnly: [], visible: fontFiles(), limits: LIMITS, ownSandbox: true }
    const { file, args: words, cwd } = confine(level, program, args, how)
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const
    this.child = spawn(file, words, { cwd, env, detached: true, stdio: [...stdio] })
    this.ended = new Promise(resolve => {
      this.child.on('error', error => resolve(error.message))
      this.child.on('exit', (code, signal) => resolve(`${signal ?? `exit code ${code}`} ${this.stderr}`.trim()))
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-2000)
    })
    // A pipe that breaks is told by the end of the process.
    for (const pipe of [this.input, this.output]) pipe.on('error', () => undefined)
    this.rest()
  }

  get input(): Socket {
    return this.child.stdio[3] as Socket
  }

  get output(): Socket {
    return this.child.stdio[4] as Socket
  }

  /** While a daemon works for someone, it keeps this process awake; while it rests, it does not. */
  wake(): void {
    for (const handle of this.handles()) handle.ref()
  }

  rest(): void {
    for (const handle of this.handles()) handle.unref()
  }

  private handles(): { ref(): void; unref(): void }[] {
    return [this.child, this.input, this.output, this.child.stderr as Socket].filter(handle => handle !== null)
  }

  kill(): void {
    if (!this.child.pid || this.child.exitCode !== null || this.child.signalCode !== null) return
    try {
      process.kill(-this.child.pid, 'SIGKILL')
    } catch {
      // It ended between the look and the kill.
    }
  }

  /** What the process and all it started hold for themselves, shared code left out. Linux only. */
  ownBytes(): number {
    return this.child.pid ? treeOwnBytes(this.child.pid) : 0
  }
}

function treeOwnBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
    const own = figure('RssAnon') + figure('RssShmem')
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? own : children.split(' ').reduce((sum, child) => sum + treeOwnBytes(Number(child)), own)
  } catch {
    return 0
  }
}

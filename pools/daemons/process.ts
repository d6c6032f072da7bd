import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { killGroup, readPrivateBytes, sumOverTree, waitForEnd } from '../processes/child.ts'
import type { WorkerProcess } from '../processes/worker-kind.ts'
import { buildEnvironment, confine, listFontFiles, type SandboxLevel } from '../programs/sandbox.ts'

export interface DaemonCommand {
  program: string
  args: readonly string[]
}

interface DaemonPlace {
  level: SandboxLevel
  folder: string
  uid: number
  visible: readonly string[]
}

/** A page may use up what it is given; its browser and the worker must stay alive. */
const LIMITS = { dataMb: 4096, fileBytes: 512 * 2 ** 20, processes: 1024 }

/** A confined program that is kept alive and spoken to by two pipes: it reads from its file 3 and writes to its file 4. */
export class Daemon implements WorkerProcess {
  readonly ended: Promise<string>
  /** Its own folder, in which it finds the files of a call. */
  readonly folder: string
  readonly uid: number
  readonly #child: ChildProcess

  constructor({ level, folder, uid, visible }: DaemonPlace, command: (home: string) => DaemonCommand) {
    this.folder = folder
    this.uid = uid
    const env = buildEnvironment(folder, level)
    const { program, args } = command(env.HOME!)
    const files = [...listFontFiles(), ...visible]
    const confinement = { folder, uid, readOnly: [], visible: files, limits: LIMITS, ownSandbox: true }
    const confined = confine(level, program, args, confinement)
    const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const
    this.#child = spawn(confined.file, confined.args, { cwd: confined.cwd, env, detached: true, stdio: [...stdio] })
    this.ended = waitForEnd(this.#child)
    // The end of the process reports a broken pipe.
    for (const pipe of [this.input, this.output]) pipe.on('error', () => undefined)
    this.unref()
  }

  get input(): Socket {
    return this.#child.stdio[3] as Socket
  }

  get output(): Socket {
    return this.#child.stdio[4] as Socket
  }

  ref(): void {
    for (const handle of this.#handles()) handle.ref()
  }

  unref(): void {
    for (const handle of this.#handles()) handle.unref()
  }

  kill(): void {
    killGroup(this.#child)
  }

  /** Several processes of a browser share its code, which must not count several times. */
  readMemoryBytes(): number {
    return sumOverTree(this.#child.pid, readPrivateBytes)
  }

  #handles(): { ref(): void; unref(): void }[] {
    return [this.#child, this.input, this.output, this.#child.stderr as Socket].filter(handle => handle !== null)
  }
}

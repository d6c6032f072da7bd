import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ToolLost } from '../tool-crashed.ts'
import type { Exit, LaunchRequest } from './launcher.ts'

const LAUNCHER_PATH = fileURLToPath(new URL('./launcher.ts', import.meta.url))

/** The worker's side of the launcher. A launcher that dies takes its programs with it; the next run starts a new one. */
export class LauncherClient {
  #child: ChildProcess | undefined
  readonly #pending = new Map<number, { resolve(exit: Exit): void; reject(error: Error): void }>()
  #lastId = 0

  run(request: Omit<LaunchRequest, 'id'>, signal: AbortSignal): Promise<Exit> {
    signal.throwIfAborted()
    const id = ++this.#lastId
    const child = this.#connect()
    const cancel = () => child.connected && child.send({ cancel: id })
    signal.addEventListener('abort', cancel, { once: true })
    const exit = new Promise<Exit>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      child.channel?.ref()
      child.send({ ...request, id })
    })
    return exit.finally(() => signal.removeEventListener('abort', cancel))
  }

  close(): void {
    this.#child?.disconnect()
    this.#child = undefined
  }

  #connect(): ChildProcess {
    if (this.#child?.connected) return this.#child
    const child = fork(LAUNCHER_PATH, { serialization: 'advanced', env: {}, execArgv: ['--max-old-space-size=128'] })
    child.unref()
    child.channel?.unref()
    child.on('message', (exit: Exit) => this.#onProgramExit(exit))
    child.on('exit', (code, signal) => this.#onLauncherExit(child, `the launcher ended with ${signal ?? code}`))
    child.on('error', error => this.#onLauncherExit(child, error.message))
    this.#child = child
    return child
  }

  #onProgramExit(exit: Exit): void {
    this.#pending.get(exit.id)?.resolve(exit)
    this.#pending.delete(exit.id)
    if (this.#pending.size === 0) this.#child?.channel?.unref()
  }

  #onLauncherExit(child: ChildProcess, detail: string): void {
    if (this.#child !== child) return
    this.#child = undefined
    for (const { reject } of this.#pending.values()) reject(new ToolLost('launcher', detail))
    this.#pending.clear()
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Exit, Launch } from './launcher.ts'
import { ToolCrashed } from './tool-crashed.ts'

const BODY = fileURLToPath(new URL('./launcher.ts', import.meta.url))

/** The worker's side of the launcher. A launcher that dies takes its programs with it and is started anew. */
export class Launches {
  private child: ChildProcess | undefined
  private readonly waiting = new Map<number, { resolve(exit: Exit): void; reject(error: Error): void }>()
  private lastId = 0

  run(order: Omit<Launch, 'id'>, signal: AbortSignal): Promise<Exit> {
    signal.throwIfAborted()
    const id = ++this.lastId
    const child = this.launcher()
    const cancel = () => child.connected && child.send({ cancel: id })
    signal.addEventListener('abort', cancel, { once: true })
    const exit = new Promise<Exit>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      child.channel?.ref()
      child.send({ ...order, id })
    })
    return exit.finally(() => signal.removeEventListener('abort', cancel))
  }

  close(): void {
    this.child?.disconnect()
    this.child = undefined
  }

  private launcher(): ChildProcess {
    if (this.child?.connected) return this.child
    const child = fork(BODY, { serialization: 'advanced', env: {}, execArgv: ['--max-old-space-size=128'] })
    child.unref()
    child.channel?.unref()
    child.on('message', (exit: Exit) => this.settle(exit))
    child.on('exit', (code, signal) => this.lose(child, `the launcher ended with ${signal ?? code}`))
    child.on('error', error => this.lose(child, error.message))
    this.child = child
    return child
  }

  private settle(exit: Exit): void {
    this.waiting.get(exit.id)?.resolve(exit)
    this.waiting.delete(exit.id)
    if (this.waiting.size === 0) this.child?.channel?.unref()
  }

  private lose(child: ChildProcess, detail: string): void {
    if (this.child !== child) return
    this.child = undefined
    for (const { reject } of this.waiting.values()) reject(new ToolCrashed('launcher', detail))
    this.waiting.clear()
  }
}

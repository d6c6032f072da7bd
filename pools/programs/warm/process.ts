import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { killGroup, listChildren, readWaitingMs, sumOverTree, waitForEnd } from '../../processes/child.ts'
import { confineStarter } from '../sandbox.ts'
import { decodeReply, encodeRequest, MessageReader, type StartReply, type StartRequest } from './messages.ts'

/** A sandbox that stays, with a starter inside that runs one program after another. */
export class SandboxProcess {
  /** Resolves when the sandbox takes programs; rejects if it ends before. */
  readonly ready: Promise<void>
  /** Resolves when the sandbox has ended, with why it did. */
  readonly ended: Promise<string>
  finishedPrograms = 0
  idleSinceMs = performance.now()
  readonly #child: ChildProcess
  readonly #reader = new MessageReader()
  #waiter = Promise.withResolvers<Buffer>()
  #failure: Error | undefined

  constructor(root: string) {
    const { file, args, cwd } = confineStarter(root)
    const env = { PATH: '/usr/bin:/bin:/usr/local/bin' }
    this.#child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.ended = waitForEnd(this.#child)
    this.#output.on('data', (chunk: Buffer) => this.#receive(chunk))
    // The end of the process reports a broken pipe.
    for (const pipe of [this.#input, this.#output]) pipe.on('error', () => undefined)
    void this.ended.then(detail => this.#fail(detail))
    this.ready = this.#waiter.promise.then(() => this.#unref())
    this.ready.catch(() => undefined)
  }

  /** Runs a program; the last one must have ended. Rejects if the sandbox ends before it replies. */
  async run(request: StartRequest): Promise<StartReply> {
    if (this.#failure) throw this.#failure
    this.#waiter = Promise.withResolvers<Buffer>()
    this.#output.ref()
    this.#input.write(encodeRequest(request))
    try {
      return decodeReply(await this.#waiter.promise)
    } finally {
      this.finishedPrograms += 1
      this.idleSinceMs = performance.now()
      this.#output.unref()
    }
  }

  /** How long the running program and what it started have waited for a processor. */
  readWaitedMs(): number {
    const starter = listChildren(this.#child.pid).flatMap(listChildren)[0]
    return listChildren(starter).reduce((sum, pid) => sum + sumOverTree(pid, readWaitingMs), 0)
  }

  kill(): void {
    killGroup(this.#child)
  }

  get #input(): Socket {
    return this.#child.stdin as Socket
  }

  get #output(): Socket {
    return this.#child.stdout as Socket
  }

  #receive(chunk: Buffer): void {
    const message = this.#reader.add(chunk)
    if (message) this.#waiter.resolve(message)
  }

  #fail(detail: string): void {
    this.#failure = new Error(detail)
    this.#waiter.reject(this.#failure)
  }

  #unref(): void {
    for (const handle of [this.#child, this.#input, this.#output, this.#child.stderr as Socket]) handle.unref()
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { readWaitingMs, sumOverTree } from '../processes/child.ts'
import { limitTime } from './time-limit.ts'

// Decision 0011: start programs with a small launcher process.

/**
 * The entry point of the launcher: a small process that starts programs for the worker. A fork copies the page tables
 * of the process that forks, which would block the event loop of a 300 MB worker for 5 ms; here it takes 0.4 ms. When
 * the worker ends, the launcher ends with everything it started.
 */
export interface LaunchRequest {
  id: number
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  stdin?: Uint8Array
  /** The time that the program waits for a processor is added to it. */
  timeoutMs: number
  stdoutLimit: number
  stderrLimit: number
}

export interface ProgramExit {
  code: number | null
  signal: string | null
  timedOut: boolean
  /** How much longer than `timeoutMs` the program was given. */
  extendedMs: number
  stdout: Uint8Array
  stderr: Uint8Array
  /** Why the program could not be started at all. */
  failure?: string
}

export interface Exit extends ProgramExit {
  id: number
}

const running = new Map<number, ChildProcess>()

process.on('message', (message: LaunchRequest | { cancel: number }) => {
  if ('cancel' in message) killGroup(running.get(message.cancel))
  else launch(message)
})

// A signal from a terminal goes to the whole process group, but the worker needs its programs to shut down in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.on('disconnect', () => {
  for (const child of running.values()) killGroup(child)
  process.exit(0)
})

const PIPE_CLOSE_DELAY_MS = 500

function launch(request: LaunchRequest): void {
  const stdin = request.stdin ? 'pipe' : 'ignore'
  const { file, args, cwd, env } = request
  const child = spawn(file, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
  running.set(request.id, child)
  const readStdout = collectOutput(child.stdout!, request.stdoutLimit)
  const readStderr = collectOutput(child.stderr!, request.stderrLimit)
  const readWaitedMs = () => sumOverTree(child.pid, readWaitingMs)
  const limit = limitTime(request.timeoutMs, readWaitedMs, () => killGroup(child))
  const finish = (code: number | null, signal: string | null, failure?: string) => {
    if (!running.delete(request.id)) return
    limit.stop()
    const output = { stdout: readStdout(), stderr: readStderr() }
    const { timedOut, extendedMs } = limit
    process.send!({ id: request.id, code, signal, timedOut, extendedMs, ...output, failure } satisfies Exit)
  }
  child.on('error', error => finish(null, null, error.message))
  child.on('exit', () => {
    killGroup(child)
    setTimeout(() => closePipes(child), PIPE_CLOSE_DELAY_MS).unref()
  })
  child.on('close', (code, signal) => finish(code, signal))
  if (request.stdin) child.stdin!.on('error', () => {}).end(request.stdin)
}

/** A descendant that left the process group may keep the pipes open as long as it lives; do not wait for it. */
function closePipes(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** Keeps the first bytes of a stream and drains the rest, so that a program with much output does not stall. */
function collectOutput(stream: NodeJS.ReadableStream, limit: number): () => Uint8Array {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (sizeBytes < limit) chunks.push(chunk.subarray(0, limit - sizeBytes))
    sizeBytes += chunk.length
  })
  return () => Buffer.concat(chunks)
}

function killGroup(child: ChildProcess | undefined): void {
  if (!child?.pid) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

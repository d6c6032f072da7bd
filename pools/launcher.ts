import { type ChildProcess, spawn } from 'node:child_process'

/**
 * The body of the launcher: a small process that starts programs for the worker. Forking copies the page tables of
 * whoever forks: 5 ms of blocked event loop in a worker of 300 MB, 0.4 ms here. When the worker is gone, so is this
 * and everything it started.
 */
export interface Launch {
  id: number
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  stdin?: Uint8Array
  timeoutMs: number
  stdoutLimit: number
  stderrLimit: number
}

export interface Exit {
  id: number
  code: number | null
  signal: string | null
  timedOut: boolean
  stdout: Uint8Array
  stderr: Uint8Array
  /** The program could not be started at all. */
  failure?: string
}

const running = new Map<number, ChildProcess>()

process.on('message', (message: Launch | { cancel: number }) => {
  if ('cancel' in message) killGroup(running.get(message.cancel))
  else launch(message)
})

// Whoever stops the worker from a terminal stops its whole group; the worker still needs its programs to finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.on('disconnect', () => {
  for (const child of running.values()) killGroup(child)
  process.exit(0)
})

const LET_GO_MS = 500

function launch(order: Launch): void {
  const stdin = order.stdin ? 'pipe' : 'ignore'
  const { file, args, cwd, env } = order
  const child = spawn(file, args, { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
  running.set(order.id, child)
  const stdout = collect(child.stdout!, order.stdoutLimit)
  const stderr = collect(child.stderr!, order.stderrLimit)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    killGroup(child)
  }, order.timeoutMs)
  const finish = (code: number | null, signal: string | null, failure?: string) => {
    if (!running.delete(order.id)) return
    clearTimeout(timer)
    const exit: Exit = { id: order.id, code, signal, timedOut, stdout: stdout(), stderr: stderr(), failure }
    process.send!(exit)
  }
  child.on('error', error => finish(null, null, error.message))
  child.on('exit', () => {
    killGroup(child)
    setTimeout(() => letGo(child), LET_GO_MS).unref()
  })
  child.on('close', (code, signal) => finish(code, signal))
  if (order.stdin) child.stdin!.on('error', () => {}).end(order.stdin)
}

/** Whoever slipped out of the group may hold the ends of our pipes for as long as it lives; nobody waits for that. */
function letGo(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

/** Keeps the first bytes of a stream and drains the rest, so that a talkative program does not stall. */
function collect(stream: NodeJS.ReadableStream, limit: number): () => Uint8Array {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
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

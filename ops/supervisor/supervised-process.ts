import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackOff } from '../back-off.ts'
import type { Logger } from '../log.ts'
import type { RoleName } from './watch-sources.ts'

export interface SupervisedProcess {
  readonly name: RoleName
  pid(): number | undefined
  /** Settles when the process first reports that it is ready. */
  ready: Promise<void>
  /** Stops the process and starts it again at once. */
  restart(timeoutMs: number): Promise<void>
  stop(timeoutMs: number): Promise<void>
  kill(): void
}

interface Options {
  name: RoleName
  script: string
  env: NodeJS.ProcessEnv
  log: Pick<Logger, 'info' | 'warn'>
  /** The descriptor of an open file for what it writes; without it, our own output. */
  output?: number
  onStart(pid: number): void
}

/** Runs one role in a child process and restarts it when it exits unexpectedly, with a growing delay. */
export function superviseProcess(options: Options): SupervisedProcess {
  const { name, log } = options
  const backOff = new BackOff()
  const ready = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let restartRequest = new AbortController()
  let child = launch()

  /** The child gets its own session, so that Ctrl-C reaches only the supervisor, which stops everything in order. */
  function launch(): ChildProcess {
    const { script, env, output = 'inherit' } = options
    const started = fork(script, { env, detached: true, stdio: ['ignore', output, output, 'ipc'] })
    started.on('message', message => {
      if ((message as { ready?: boolean }).ready) ready.resolve()
    })
    started.on('error', error => log.warn({ err: error }, `${name} cannot be reached`))
    if (started.pid) options.onStart(started.pid)
    backOff.markStarted()
    return started
  }

  async function restartOnExit(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { code, signal } = await waitForExit(child)
      if (!stopping.signal.aborted && !restartRequest.signal.aborted) await delayRestart(code, signal)
      if (stopping.signal.aborted) return
      restartRequest = new AbortController()
      child = launch()
    }
  }

  async function delayRestart(code: number | null, signal: string | null): Promise<void> {
    const waitMs = backOff.nextDelayMs()
    log.warn({ code, signal, waitMs }, `${name} exited unexpectedly and is restarted`)
    const interrupted = AbortSignal.any([stopping.signal, restartRequest.signal])
    await sleep(waitMs, undefined, { signal: interrupted }).catch(() => undefined)
  }

  async function terminate(timeoutMs: number): Promise<void> {
    const ending = child
    ending.kill('SIGTERM')
    const timer = setTimeout(() => {
      log.warn({ pid: ending.pid }, `${name} did not stop in time and is killed`)
      ending.kill('SIGKILL')
    }, timeoutMs)
    await waitForExit(ending)
    clearTimeout(timer)
  }

  const supervising = restartOnExit()
  return {
    name,
    pid: () => child.pid,
    ready: ready.promise,
    kill: () => void child.kill('SIGKILL'),
    async restart(timeoutMs) {
      restartRequest.abort()
      await terminate(timeoutMs)
    },
    async stop(timeoutMs) {
      stopping.abort()
      await terminate(timeoutMs)
      await supervising
    },
  }
}

async function waitForExit(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await once(child, 'exit')
  return { code: child.exitCode, signal: child.signalCode }
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackOff } from '../back-off.ts'
import type { Logger } from '../log.ts'

export interface KeptProcess {
  readonly name: string
  pid(): number | undefined
  /** Settles when the process first says that it is ready. */
  ready: Promise<void>
  stop(withinMs: number): Promise<void>
  kill(): void
}

interface Options {
  name: string
  script: string
  env: NodeJS.ProcessEnv
  log: Pick<Logger, 'info' | 'warn'>
  onStart(pid: number): void
}

/** Runs one role in a process of its own and starts it again when it ends unasked, later each time. */
export function keepProcess(options: Options): KeptProcess {
  const { name, log } = options
  const backOff = new BackOff()
  const ready = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let child = launch()

  /** A session of its own: Ctrl-C reaches it only through its supervisor, which stops things in their order. */
  function launch(): ChildProcess {
    const launched = fork(options.script, {
      env: options.env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    launched.on('message', message => {
      if ((message as { ready?: boolean }).ready) ready.resolve()
    })
    launched.on('error', error => log.warn({ err: error }, `${name} cannot be reached`))
    if (launched.pid) options.onStart(launched.pid)
    backOff.started()
    return launched
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { code, signal } = await ended(child)
      if (stopping.signal.aborted) return
      const waitMs = backOff.failed()
      log.warn({ code, signal, waitMs }, `${name} ended unasked; it is started again`)
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      child = launch()
    }
  }

  const kept = keep()
  return {
    name,
    pid: () => child.pid,
    ready: ready.promise,
    kill: () => void child.kill('SIGKILL'),
    async stop(withinMs) {
      stopping.abort()
      child.kill('SIGTERM')
      const timer = setTimeout(() => {
        log.warn({ pid: child.pid }, `${name} did not stop in time; it is killed`)
        child.kill('SIGKILL')
      }, withinMs)
      await ended(child)
      clearTimeout(timer)
      await kept
    },
  }
}

async function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await once(child, 'exit')
  return { code: child.exitCode, signal: child.signalCode }
}

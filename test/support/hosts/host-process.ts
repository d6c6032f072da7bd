import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { signalTree } from '../machine/processes.ts'
import type { Host } from './network.ts'

export interface HostProcess extends AsyncDisposable {
  readonly pid: number
  readonly hasEnded: boolean
  /** The first message that it sends, if it is one of ours. */
  readonly ready: Promise<unknown>
  log(): string
  /** Ends it and all its children at once, as a machine that loses power does. */
  kill(): Promise<void>
  /** Asks it to end, and returns its exit code. */
  stop(): Promise<number | null>
}

interface Command {
  file: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  logPath: string
  /** Postgres and PgBouncer refuse to run as root, so they run as another user, in process ids of their own. */
  isUnprivileged?: boolean
}

const SET_HOST_NAME = 'hostname "$0" && exec "$@"'
const AS_USER = [
  'unshare',
  '--user',
  '--map-user=1000',
  '--map-group=1000',
  '--pid',
  '--mount-proc',
  '--fork',
  '--kill-child',
  '--',
]
/** Ends with the process of the test, however that ends. */
const ENDS_WITH_TEST = ['setpriv', '--pdeathsig', 'KILL', '--']

/** Starts a program on a host: in its network, under its name. */
export function startOn(host: Host, command: Command): HostProcess {
  const inside = ['ip', 'netns', 'exec', host.namespace, 'unshare', '--uts', '--', 'sh', '-c', SET_HOST_NAME, host.name]
  const asUser = command.isUnprivileged ? AS_USER : []
  const [file, ...args] = [...inside, ...ENDS_WITH_TEST, ...asUser, command.file, ...command.args] as [string]
  const output = openSync(command.logPath, 'a')
  const { env, cwd } = command
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', output, output, 'ipc'] })
  closeSync(output)
  child.on('error', () => undefined)
  return describe(child, host.name, () => readFileSync(command.logPath, 'utf8'))
}

function describe(child: ChildProcess, name: string, log: () => string): HostProcess {
  const ended = once(child, 'exit').catch(() => undefined)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ready = Promise.race([once(child, 'message'), ended]).then(first => {
    if (hasEnded()) throw new Error(`${name} ended at its start:\n${log().slice(-3_000)}`)
    return first?.[0]
  })
  // Programs that are not ours send none, and are not asked.
  ready.catch(() => undefined)
  const kill = async () => {
    if (hasEnded()) return
    signalTree(child.pid!, 'SIGKILL')
    await ended
  }
  return {
    pid: child.pid!,
    get hasEnded() {
      return hasEnded()
    },
    ready,
    log,
    kill,
    async stop() {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
    [Symbol.asyncDispose]: kill,
  }
}

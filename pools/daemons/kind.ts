import type { PauseOptions } from '../processes/start-pause.ts'
import type { SandboxLevel } from '../programs/sandbox.ts'
import type { Daemon, DaemonCommand } from './process.ts'

/** A program that is kept running between calls: how it is started, spoken to, and when it is replaced. */
export interface DaemonKind<Session> {
  name: string
  command(start: { home: string; level: SandboxLevel; failedStarts: number }): DaemonCommand
  /** Files and folders besides the system's own that it can read. */
  visible?(): readonly string[]
  /** Resolves when the program answers. */
  open(daemon: Daemon): Promise<Session>
  /** Removes what the last call left and prepares for the next; the caller has its answer by then. */
  reset(session: Session): Promise<void>
  /** How long a start may take, if not 20 seconds. */
  startTimeoutMs?: number
  /** After failed starts, calls are refused for so long before one more start is tried. */
  pause?: PauseOptions
  /** After this many calls the program is replaced. */
  maxCalls: number
  /** More than this while it works ends the call, more than `recycleMb` after it the program. */
  memoryMb: number
  recycleMb: number
}

import { availableParallelism } from 'node:os'
import { Problem } from '#kit'
import type { Daemon, DaemonCommand } from './daemon.ts'
import { DaemonCrew, type DaemonStats } from './daemon-crew.ts'
import type { Folders } from './folders.ts'
import type { JobRoom } from './job-room.ts'
import type { SandboxLevel } from './sandbox.ts'

/** A program that is worth keeping: how it is started, spoken to, and when it has lived long enough. */
export interface DaemonKind<Session> {
  name: string
  command(where: { home: string; level: SandboxLevel; failedStarts: number }): DaemonCommand
  /** Resolves when the program answers. */
  open(daemon: Daemon): Promise<Session>
  /** Clears away what the last call left and gets ready for the next; the caller has its answer by then. */
  tidy(session: Session): Promise<void>
  callsALife: number
  /** More than this while it works ends the call, more than `recycleMb` after it the program. */
  memoryMb: number
  recycleMb: number
}

/** Confined programs that are kept alive, a crew a kind, started when first needed. Each does one call at a time. */
export class Daemons {
  private readonly crews = new Map<string, DaemonCrew<unknown>>()
  private readonly level: SandboxLevel | undefined
  private readonly folders: Folders
  private concurrency: number

  constructor(level: SandboxLevel | undefined, folders: Folders, concurrency: number) {
    this.level = level
    this.folders = folders
    this.concurrency = concurrency
  }

  /** Works with a program of a kind until the room's deadline; what is not done by then dies with its program. */
  use<Session, Result>(
    room: JobRoom,
    kind: DaemonKind<Session>,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    if (this.level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { program: kind.name })
    return this.crew(kind).use(room, work)
  }

  resize(concurrency: number): void {
    this.concurrency = concurrency
    for (const crew of this.crews.values()) crew.resize(this.wanted)
  }

  stats(): DaemonStats {
    const all = [...this.crews.values()].map(crew => crew.stats())
    const sum = (figure: keyof DaemonStats) => all.reduce((total, stats) => total + stats[figure], 0)
    return { daemons: sum('daemons'), rssBytes: sum('rssBytes'), recycled: sum('recycled'), crashed: sum('crashed') }
  }

  async close(): Promise<void> {
    await Promise.all([...this.crews.values()].map(crew => crew.close()))
  }

  private get wanted(): number {
    return Math.max(1, Math.min(this.concurrency, availableParallelism()))
  }

  private crew<Session>(kind: DaemonKind<Session>): DaemonCrew<Session> {
    let crew = this.crews.get(kind.name)
    if (!crew) {
      crew = new DaemonCrew(kind as DaemonKind<unknown>, this.level!, this.folders, this.wanted)
      this.crews.set(kind.name, crew)
    }
    return crew as unknown as DaemonCrew<Session>
  }
}

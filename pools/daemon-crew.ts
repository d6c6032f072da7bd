import { Problem } from '#kit'
import { Daemon } from './daemon.ts'
import type { DaemonKind } from './daemons.ts'
import type { Folders } from './folders.ts'
import type { JobRoom } from './job-room.ts'
import { ownerOf } from './programs.ts'
import type { SandboxLevel } from './sandbox.ts'
import { Slots } from './slots.ts'
import { ToolCrashed } from './tool-crashed.ts'

export interface DaemonStats {
  daemons: number
  rssBytes: number
  recycled: number
  crashed: number
}

interface Member<Session> {
  name: string
  daemon: Daemon
  session: Session
  calls: number
  isDead: boolean
  idleSince: number
  /** When it was last looked at. */
  bytes: number
  /** Of the last call; the next one waits for it. */
  tidied: Promise<void>
  /** Ends the call in hand. */
  stop?: (reason: unknown) => void
}

const START_MS = 20_000
const TIDY_MS = 5_000
const WATCH_MS = 250
const LONGEST_REST_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 30_000

/** The daemons of one kind: who rests takes the next call; who is old, fat, late or dead is replaced. */
export class DaemonCrew<Session> {
  private readonly members = new Set<Member<Session>>()
  private readonly resting: Member<Session>[] = []
  private readonly slots: Slots
  private readonly watch: NodeJS.Timeout
  private readonly kind: DaemonKind<Session>
  private readonly level: SandboxLevel
  private readonly folders: Folders
  private born = 0
  private failedStarts = 0
  private recycled = 0
  private crashed = 0
  private isClosed = false

  constructor(kind: DaemonKind<Session>, level: SandboxLevel, folders: Folders, size: number) {
    this.kind = kind
    this.level = level
    this.folders = folders
    this.slots = new Slots(size)
    this.watch = setInterval(() => this.look(), WATCH_MS).unref()
  }

  async use<Result>(room: JobRoom, work: (session: Session) => Promise<Result>): Promise<Result> {
    const late = new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds: room.limitSeconds })
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(late), Math.max(0, room.deadlineMs - performance.now()))
    const signal = AbortSignal.any([room.signal, deadline.signal])
    try {
      return await this.slots.use(signal, async () => {
        const member = await this.take(signal)
        return this.within(member, signal, work)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  resize(size: number): void {
    this.slots.resize(size)
    for (const member of this.resting.splice(size)) this.dismiss(member)
  }

  stats(): DaemonStats {
    const rssBytes = [...this.members].reduce((sum, { daemon }) => sum + daemon.ownBytes(), 0)
    return { daemons: this.members.size, rssBytes, recycled: this.recycled, crashed: this.crashed }
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.watch)
    for (const member of this.members) this.dismiss(member, new ToolCrashed(this.kind.name, 'the pool was closed'))
  }

  /** One that rests and still lives, or a new one. */
  private async take(signal: AbortSignal): Promise<Member<Session>> {
    for (let member = this.resting.pop(); member; member = this.resting.pop()) {
      await member.tidied
      if (!member.isDead) return member
    }
    return this.hire(signal)
  }

  private async within<Result>(
    member: Member<Session>,
    signal: AbortSignal,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const stopped = Promise.withResolvers<never>()
    const leave = () => stopped.reject(signal.reason)
    member.stop = stopped.reject
    member.daemon.wake()
    signal.addEventListener('abort', leave, { once: true })
    let isSound = false
    try {
      signal.throwIfAborted()
      const result = await Promise.race([work(member.session), stopped.promise])
      isSound = true
      return result
    } catch (error) {
      isSound = error instanceof Problem && !ENDS.has(error.code)
      throw error
    } finally {
      signal.removeEventListener('abort', leave)
      member.stop = undefined
      this.release(member, isSound)
    }
  }

  private release(member: Member<Session>, isSound: boolean): void {
    member.daemon.rest()
    member.calls += 1
    if (!isSound || member.isDead || this.isClosed) {
      this.dismiss(member)
      return
    }
    this.resting.push(member)
    member.tidied = this.tidy(member)
  }

  /** What is spent is let go here, so that no caller waits for it. */
  private async tidy(member: Member<Session>): Promise<void> {
    const { kind } = this
    const isSpent = member.calls >= kind.callsALife || member.bytes > kind.recycleMb * 2 ** 20
    if (isSpent) this.recycled += 1
    const tidied = isSpent ? Promise.resolve(false) : inTime(kind.tidy(member.session), TIDY_MS)
    if (!(await tidied.then(done => done !== false).catch(() => false))) this.dismiss(member)
    member.idleSince = performance.now()
  }

  private async hire(signal: AbortSignal): Promise<Member<Session>> {
    if (this.failedStarts > 0) await pause(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** this.failedStarts), signal)
    if (this.isClosed) throw new ToolCrashed(this.kind.name, 'the pool was closed')
    const name = `daemon-${this.kind.name}-${++this.born}`
    const folder = await this.folders.open(name)
    const { level, failedStarts } = this
    const place = { level, folder, uid: ownerOf(folder) }
    const daemon = new Daemon(place, home => this.kind.command({ home, level, failedStarts }))
    const member = this.enlist(name, daemon)
    try {
      daemon.wake()
      const ended = daemon.ended.then(detail => Promise.reject(new ToolCrashed(this.kind.name, detail)))
      member.session = await Promise.race([inTime(this.kind.open(daemon), START_MS), ended])
      this.failedStarts = 0
      return member
    } catch (error) {
      this.failedStarts += 1
      this.dismiss(member)
      throw error instanceof ToolCrashed ? error : new ToolCrashed(this.kind.name, (error as Error).message)
    }
  }

  private enlist(name: string, daemon: Daemon): Member<Session> {
    const session = undefined as Session
    const member: Member<Session> = {
      name,
      daemon,
      session,
      calls: 0,
      isDead: false,
      idleSince: 0,
      bytes: 0,
      tidied: Promise.resolve(),
    }
    this.members.add(member)
    void daemon.ended.then(detail => {
      if (member.isDead) return
      this.crashed += 1
      this.dismiss(member, new ToolCrashed(this.kind.name, detail))
    })
    return member
  }

  private look(): void {
    for (const member of this.members) {
      const isResting = member.stop === undefined
      if (!isResting) member.bytes = member.daemon.ownBytes()
      if (!isResting && member.bytes > this.kind.memoryMb * 2 ** 20) {
        this.dismiss(member, new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: this.kind.memoryMb }))
      }
      const isForgotten = this.resting.includes(member) && performance.now() - member.idleSince > LONGEST_REST_MS
      if (isForgotten && member.idleSince > 0) this.dismiss(member)
    }
  }

  private dismiss(member: Member<Session>, reason?: unknown): void {
    if (member.isDead) return
    member.isDead = true
    member.stop?.(reason)
    member.daemon.kill()
    this.members.delete(member)
    const at = this.resting.indexOf(member)
    if (at >= 0) this.resting.splice(at, 1)
    void member.daemon.ended.then(() => this.folders.close(member.name)).catch(() => undefined)
  }
}

/** After these nobody knows what the program is busy with. */
const ENDS = new Set<string>(['TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'])

async function inTime<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${limitMs} ms`)), limitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function pause(forMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, forMs)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}

import { availableParallelism } from 'node:os'
import { Problem } from '#kit'
import type { Folders } from './folders.ts'
import type { JobRoom } from './job-room.ts'
import type { NativeAnswer } from './native-child.ts'
import { lend, takeBack } from './native-files.ts'
import { NativeProcess } from './native-process.ts'
import { ownerOf } from './programs.ts'
import type { SandboxLevel } from './sandbox.ts'
import { ToolCrashed } from './tool-crashed.ts'

export interface NativeStats {
  children: number
  rssBytes: number
  recycled: number
  crashed: number
}

interface Call {
  room: JobRoom
  method: string
  files: readonly string[]
  args: unknown
}

interface Pending extends Call {
  id: number
  /** After its child ran out of memory beside others: run alone, so that it is known who was to blame. */
  alone: boolean
  settled: boolean
  resolve(outcome: { value: unknown; folder: string }): void
  reject(error: unknown): void
}

interface Member {
  process: NativeProcess
  name: string
  calls: Map<number, Pending>
  ready: boolean
  retiring: boolean
  answered: number
  rssBytes: number
}

interface Rule {
  callsInFlight: number
  memoryMb: number
  recycleMb: number
}

const CALLS_A_LIFE = 2000
const WATCH_MS = 250
const LONGEST_PAUSE_MS = 30_000
/** An engine is asked to stop by itself at the deadline; a child that has not by then is killed. */
const GRACE_MS = 1000

/** The children of one engine: who is free takes the next call; who is old, fat, late or dead is replaced. */
export class NativeCrew {
  private readonly members = new Set<Member>()
  private readonly queue: Pending[] = []
  private readonly watch: NodeJS.Timeout
  private readonly engine: string
  private readonly rule: Rule
  private readonly level: SandboxLevel
  private readonly folders: Folders
  private concurrency: number
  private lastId = 0
  private born = 0
  private starting = 0
  private failedStarts = 0
  private recycled = 0
  private crashed = 0
  private closed = false

  constructor(engine: string, rule: Rule, level: SandboxLevel, folders: Folders, concurrency: number) {
    this.engine = engine
    this.rule = rule
    this.level = level
    this.folders = folders
    this.concurrency = concurrency
    this.watch = setInterval(() => this.watchMemory(), WATCH_MS).unref()
  }

  async call(call: Call): Promise<{ value: unknown; folder: string }> {
    const { signal, deadlineMs, limitSeconds } = call.room
    signal.throwIfAborted()
    const done = Promise.withResolvers<{ value: unknown; folder: string }>()
    const pending: Pending = { ...call, ...done, id: ++this.lastId, alone: false, settled: false }
    const late = new Problem('TIME_LIMIT_EXCEEDED', { limitSeconds })
    const timer = setTimeout(() => this.abandon(pending, late), Math.max(0, deadlineMs - performance.now()) + GRACE_MS)
    const cancel = () => this.abandon(pending, signal.reason)
    signal.addEventListener('abort', cancel, { once: true })
    this.queue.push(pending)
    this.dispatch()
    try {
      return await done.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }

  resize(concurrency: number): void {
    this.concurrency = concurrency
    for (const member of [...this.members].slice(this.wanted)) this.retire(member)
    this.dispatch()
  }

  stats(): NativeStats {
    const { recycled, crashed, members } = this
    const rssBytes = [...members].reduce((sum, member) => sum + member.rssBytes, 0)
    return { children: members.size, rssBytes, recycled, crashed }
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    for (const member of this.members) member.process.kill()
    for (const pending of this.queue.splice(0)) this.fail(pending, new ToolCrashed(this.engine, 'the pool was closed'))
  }

  private get wanted(): number {
    return Math.max(1, Math.min(Math.ceil(this.concurrency / this.rule.callsInFlight), availableParallelism()))
  }

  private get active(): Member[] {
    return [...this.members].filter(member => !member.retiring)
  }

  private dispatch(): void {
    while (this.queue.length > 0) {
      const member = this.freest(this.queue[0]!)
      if (!member) break
      void this.start(this.queue.shift()!, member)
    }
    const open = this.active.length + this.starting
    if (this.queue.length > 0 && open < this.wanted && !this.closed) void this.hire()
  }

  private freest(next: Pending): Member | undefined {
    const room = next.alone ? 1 : this.rule.callsInFlight
    const isFree = ({ calls, ready }: Member) =>
      ready && calls.size < room && ![...calls.values()].some(call => call.alone)
    return this.active.filter(isFree).sort((a, b) => a.calls.size - b.calls.size)[0]
  }

  private async start(pending: Pending, member: Member): Promise<void> {
    member.calls.set(pending.id, pending)
    try {
      const files = await lend(pending.files, member.process, pending.id)
      if (!this.members.has(member) || pending.settled) return
      const { id, method, args, room } = pending
      const seconds = Math.max(0.1, (room.deadlineMs - performance.now()) / 1000)
      member.process.send({ id, engine: this.engine, method, args, files, seconds })
    } catch (error) {
      member.calls.delete(pending.id)
      this.fail(pending, error)
    }
  }

  private async hire(): Promise<void> {
    this.starting += 1
    const pauseMs = this.failedStarts === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 100 * 2 ** this.failedStarts)
    try {
      if (pauseMs > 0) await new Promise(resolve => setTimeout(resolve, pauseMs).unref())
      const name = `native-${this.engine}-${++this.born}`
      const folder = await this.folders.open(name)
      if (!this.closed) this.enlist(name, folder, ownerOf(folder))
    } catch (error) {
      this.loseQueue(error as Error)
    } finally {
      this.starting -= 1
    }
  }

  private enlist(name: string, folder: string, uid: number): void {
    const process = new NativeProcess(this.level, folder, uid, {
      ready: () => {
        member.ready = true
        this.dispatch()
      },
      answer: answer => this.settle(member, answer),
      end: detail => this.lose(member, detail),
    })
    const member: Member = { process, name, calls: new Map(), ready: false, retiring: false, answered: 0, rssBytes: 0 }
    this.members.add(member)
  }

  private settle(member: Member, answer: NativeAnswer): void {
    const pending = member.calls.get(answer.id)
    member.calls.delete(answer.id)
    member.answered += 1
    member.rssBytes = answer.rssBytes
    this.failedStarts = 0
    if (pending) this.conclude(pending, answer, member.process.folder)
    const isSpent = member.answered >= CALLS_A_LIFE || answer.rssBytes > this.rule.recycleMb * 2 ** 20
    if (isSpent && !member.retiring) {
      this.recycled += 1
      this.retire(member)
    }
    if (member.calls.size === 0) this.rest(member)
    this.dispatch()
  }

  private conclude(pending: Pending, answer: NativeAnswer, folder: string): void {
    takeBack(pending.files.length, folder, pending.id)
    if (pending.settled) return
    pending.settled = true
    if (answer.problem) pending.reject(Problem.from(answer.problem))
    else if (answer.bug) pending.reject(Object.assign(new Error(answer.bug.message), answer.bug))
    else pending.resolve({ value: answer.value, folder })
  }

  private rest(member: Member): void {
    member.process.rest()
    if (member.retiring) member.process.kill()
  }

  private retire(member: Member): void {
    member.retiring = true
    if (member.calls.size === 0) this.rest(member)
  }

  /** A call that is late or cancelled: its child dies, the other calls of the child start again elsewhere. */
  private abandon(pending: Pending, reason: unknown): void {
    this.fail(pending, reason)
    const queued = this.queue.indexOf(pending)
    if (queued >= 0) this.queue.splice(queued, 1)
    const member = [...this.members].find(({ calls }) => calls.has(pending.id))
    if (!member) return
    member.calls.delete(pending.id)
    this.queue.unshift(...member.calls.values())
    this.dismiss(member)
  }

  private watchMemory(): void {
    for (const member of this.members) {
      member.rssBytes = member.process.rssBytes() || member.rssBytes
      if (member.rssBytes > this.rule.memoryMb * 2 ** 20) this.punish(member)
    }
  }

  private punish(member: Member): void {
    const calls = [...member.calls.values()]
    const only = calls.length === 1 ? calls[0] : undefined
    if (only) this.fail(only, new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: this.rule.memoryMb }))
    else this.queue.unshift(...calls.map(call => Object.assign(call, { alone: true })))
    this.dismiss(member)
  }

  private dismiss(member: Member): void {
    member.calls.clear()
    member.process.kill()
    this.forget(member)
    this.dispatch()
  }

  private lose(member: Member, detail: string): void {
    if (!this.members.has(member)) return
    this.forget(member)
    if (member.retiring || this.closed) return
    this.crashed += 1
    const crash = new ToolCrashed(this.engine, detail)
    for (const pending of member.calls.values()) this.fail(pending, crash)
    if (member.answered === 0) this.failedStarts += 1
    if (!member.ready) this.loseQueue(crash)
    this.dispatch()
  }

  private loseQueue(error: Error): void {
    for (const pending of this.queue.splice(0)) this.fail(pending, error)
  }

  private forget(member: Member): void {
    this.members.delete(member)
    void this.folders.close(member.name).catch(() => {})
  }

  private fail(pending: Pending, error: unknown): void {
    if (pending.settled) return
    pending.settled = true
    pending.reject(error)
  }
}

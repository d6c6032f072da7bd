import { Problem } from '#kit'
import type { Folders } from './folders.ts'
import type { JobRoom } from './job-room.ts'
import { NativeCrew, type NativeStats } from './native-crew.ts'
import { unspill } from './native-files.ts'
import type { SandboxLevel } from './sandbox.ts'

/** How each engine's children are kept. A synchronous engine takes one call at a time. */
const ENGINES: Record<string, { callsInFlight: number; memoryMb: number; recycleMb: number }> = {
  sharp: { callsInFlight: 8, memoryMb: 3072, recycleMb: 768 },
  libpdf: { callsInFlight: 1, memoryMb: 1024, recycleMb: 384 },
}

/** Warm confined children, a crew an engine, started when first needed. */
export class NativeChildren {
  private readonly crews = new Map<string, NativeCrew>()
  private readonly level: SandboxLevel | undefined
  private readonly folders: Folders
  private concurrency: number

  constructor(level: SandboxLevel | undefined, folders: Folders, concurrency: number) {
    this.level = level
    this.folders = folders
    this.concurrency = concurrency
  }

  /** Calls a method of an engine with files; bytes come back as bytes, or as a file of the job where they are many. */
  async call<Value>(
    room: JobRoom,
    engine: string,
    method: string,
    files: readonly string[],
    args: unknown,
  ): Promise<Value> {
    if (this.level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { engine })
    const { value, folder } = await this.crew(engine).call({ room, method, files, args })
    return (await unspill(value, folder, room, engine)) as Value
  }

  resize(concurrency: number): void {
    this.concurrency = concurrency
    for (const crew of this.crews.values()) crew.resize(concurrency)
  }

  stats(): NativeStats {
    const all = [...this.crews.values()].map(crew => crew.stats())
    const sum = (figure: keyof NativeStats) => all.reduce((total, stats) => total + stats[figure], 0)
    return { children: sum('children'), rssBytes: sum('rssBytes'), recycled: sum('recycled'), crashed: sum('crashed') }
  }

  async close(): Promise<void> {
    await Promise.all([...this.crews.values()].map(crew => crew.close()))
  }

  private crew(engine: string): NativeCrew {
    let crew = this.crews.get(engine)
    if (!crew) {
      const rule = ENGINES[engine]
      if (!rule) throw new Error(`no native engine ${engine}`)
      crew = new NativeCrew(engine, rule, this.level!, this.folders, this.concurrency)
      this.crews.set(engine, crew)
    }
    return crew
  }
}

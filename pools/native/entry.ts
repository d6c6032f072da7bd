import { writeFile } from 'node:fs/promises'
import type { ProblemData } from '#kit'
import type { Reuse } from '../processes/worker-kind.ts'

/**
 * The entry point of a confined child process that runs engines: code that parses untrusted bytes natively or without
 * bounds. It sees one folder with the files of the calls in flight, no network and none of our environment.
 */
export interface EngineCall {
  id: number
  engine: string
  method: string
  args: unknown
  /** Names of the input files, relative to the child's folder. */
  files: string[]
  seconds: number
}

export interface EngineAnswer {
  id: number
  value?: unknown
  problem?: ProblemData
  error?: { name: string; message: string; stack?: string }
  reuse: Reuse
  rssBytes: number
}

/** What an engine's module exports: functions of the files, the arguments and the seconds left. */
type EngineMethod = (files: string[], args: never, seconds: number) => Promise<unknown>

let readReuse = (): Reuse => 'anyone'

/** Larger results go into a file in the child's folder instead of through the channel. */
const INLINE_BYTES = 2 ** 20

process.on('message', (call: EngineCall) => void answerCall(call))
process.on('disconnect', () => process.exit(0))
process.send!({ ready: true })
// A process that waits for its first call has loaded its engine by then; that call explains an engine that cannot be.
const [engineName] = process.argv.slice(2)
if (engineName) void loadEngine(engineName).catch(() => undefined)

function loadEngine(name: string): Promise<Record<string, EngineMethod>> {
  return import(`../tools/${name}/engine.ts`) as Promise<Record<string, EngineMethod>>
}

async function answerCall(call: EngineCall): Promise<void> {
  const outcome = await runCall(call)
  const reply: EngineAnswer = { id: call.id, ...outcome, reuse: readReuse(), rssBytes: process.memoryUsage.rss() }
  process.send!(reply)
}

async function runCall(call: EngineCall): Promise<Pick<EngineAnswer, 'value' | 'problem' | 'error'>> {
  try {
    const engine = await loadEngine(call.engine)
    readReuse = (engine as { reuse?: () => Reuse }).reuse ?? readReuse
    const value = await engine[call.method]!(call.files, call.args as never, call.seconds)
    return { value: await spillBytes(value, call.id) }
  } catch (error) {
    if (isProblem(error)) return { problem: error.toData() }
    const { name, message, stack } = error as Error
    return { error: { name, message, stack } }
  }
}

function isProblem(error: unknown): error is { toData(): ProblemData } {
  return error instanceof Error && error.name === 'Problem' && 'toData' in error
}

async function spillBytes(value: unknown, id: number): Promise<unknown> {
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  if (!(bytes instanceof Uint8Array) || bytes.length <= INLINE_BYTES) return value
  const spilled = `out-${id}`
  await writeFile(spilled, bytes)
  return { ...(value as object), bytes: undefined, spilled }
}

import { writeFile } from 'node:fs/promises'
import type { ProblemData } from '#kit'

/**
 * The body of a warm, confined child: it holds engines that parse untrusted bytes in native code or without bounds.
 * It sees one folder with the files of the calls in flight, no network and none of our environment.
 */
export interface NativeCall {
  id: number
  engine: string
  method: string
  args: unknown
  /** Names of the input files, relative to the child's folder. */
  files: string[]
  seconds: number
}

export interface NativeAnswer {
  id: number
  value?: unknown
  problem?: ProblemData
  bug?: { name: string; message: string; stack?: string }
  rssBytes: number
}

/** What an engine's module exports: functions of the files, the arguments and the seconds that are left. */
export type EngineMethod = (files: string[], args: never, seconds: number) => Promise<unknown>

/** Bytes above this go by a file in the child's folder instead of through the channel. */
const INLINE_BYTES = 2 ** 20

process.on('message', (call: NativeCall) => void answer(call))
process.on('disconnect', () => process.exit(0))
process.send!({ ready: true })

async function answer(call: NativeCall): Promise<void> {
  const outcome = await attempt(call)
  const reply: NativeAnswer = { id: call.id, ...outcome, rssBytes: process.memoryUsage.rss() }
  process.send!(reply)
}

async function attempt(call: NativeCall): Promise<Pick<NativeAnswer, 'value' | 'problem' | 'bug'>> {
  try {
    const engine = (await import(`./tools/${call.engine}-engine.ts`)) as Record<string, EngineMethod>
    const value = await engine[call.method]!(call.files, call.args as never, call.seconds)
    return { value: await spill(value, call.id) }
  } catch (error) {
    if (isProblem(error)) return { problem: error.toData() }
    const { name, message, stack } = error as Error
    return { bug: { name, message, stack } }
  }
}

function isProblem(error: unknown): error is { toData(): ProblemData } {
  return error instanceof Error && error.name === 'Problem' && 'toData' in error
}

async function spill(value: unknown, id: number): Promise<unknown> {
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  if (!(bytes instanceof Uint8Array) || bytes.length <= INLINE_BYTES) return value
  const spilled = `out-${id}`
  await writeFile(spilled, bytes)
  return { ...(value as object), bytes: undefined, spilled }
}

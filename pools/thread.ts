import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import type { Outcome, ProblemData } from '#kit'
import { loadOperation, type NamedOperation } from '../tasks/index.ts'
import type { JobRoom } from './job-room.ts'
import { readyInput } from './ready-input.ts'
import { TOOLS, type ToolModule } from './tools/index.ts'

interface OrderRoom {
  jobId: string
  folder: string
  limitSeconds: number
  /** What is left; each thread has a clock of its own. */
  leftMs: number
}

export type Order = { runId: number; room: OrderRoom } & (
  | { kind: 'operation'; operation: string; input: unknown }
  | { kind: 'tool'; tool: keyof typeof TOOLS; method: string; args: unknown[] }
)

export interface Answer {
  value?: unknown
  problem?: ProblemData
  bug?: { name: string; message: string; stack?: string }
  threadId: number
  heapBytes: number
}

export interface ProgressNote {
  runId: number
  done: number
  total: number
  unit: string
}

enableCompileCache((workerData as { compileCache?: string } | null)?.compileCache)

/** The body of one thread: runs one operation, or one function of a tool. What goes wrong comes back as data. */
export default async function work(order: Order): Promise<unknown> {
  const outcome = await attempt(order)
  const { heapUsed, external } = process.memoryUsage()
  return movable({ ...outcome, threadId, heapBytes: heapUsed + external })
}

async function attempt(order: Order): Promise<Pick<Answer, 'value' | 'problem' | 'bug'>> {
  try {
    return { value: await (order.kind === 'operation' ? runOperation(order) : runTool(order)) }
  } catch (error) {
    if (isProblem(error)) return { problem: error.toData() }
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    return { bug: { name, message, stack } }
  }
}

/** By name: a Problem may come from a copy of the kit that another loader made. */
function isProblem(error: unknown): error is { toData(): ProblemData } {
  return error instanceof Error && error.name === 'Problem' && 'toData' in error
}

const operations = new Map<string, Promise<NamedOperation>>()

async function runOperation(order: Order & { kind: 'operation' }): Promise<Outcome<unknown>> {
  const loading = operations.get(order.operation) ?? loadOperation(order.operation)
  operations.set(order.operation, loading)
  const operation = await loading
  const room = roomOf(order)
  const tools: Record<string, unknown> = {}
  for (const name of operation.uses) tools[name] = (await loadTool(name)).bind(room)
  const progress = (done: number, total: number, unit: string) =>
    parentPort?.postMessage({ runId: order.runId, done, total, unit } satisfies ProgressNote)
  const { signal, out } = room
  const hands = { ...tools, signal, out, progress, now: () => new Date() }
  return operation.run(await readyInput(operation.input, order.input), hands as never)
}

async function runTool({ tool, method, args, ...order }: Order & { kind: 'tool' }): Promise<unknown> {
  const functions = (await loadTool(tool)).bind(roomOf(order)) as Record<string, (...args: unknown[]) => unknown>
  return functions[method]!(...args)
}

function loadTool(name: keyof typeof TOOLS): Promise<ToolModule> {
  return TOOLS[name].load() as Promise<ToolModule>
}

/** At the deadline the thread ends from outside, so that the signal here never fires. */
function roomOf({ room }: Pick<Order, 'room'>): JobRoom {
  const { jobId, folder, limitSeconds, leftMs } = room
  const deadlineMs = performance.now() + leftMs
  return { jobId, folder, limitSeconds, deadlineMs, signal: never, out: name => join(folder, name) }
}

const never = new AbortController().signal

/** Hands the bytes of the answer over instead of copying them. */
function movable(answer: Answer): unknown {
  const buffers = new Set<ArrayBuffer>()
  const value = { ...answer, value: withOwnBuffers(answer.value, buffers) }
  return move({ [transferableSymbol]: [...buffers], [valueSymbol]: value })
}

function withOwnBuffers(value: unknown, buffers: Set<ArrayBuffer>): unknown {
  if (value instanceof Uint8Array) {
    const isWhole = value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
    const own = isWhole ? value : new Uint8Array(value)
    buffers.add(own.buffer as ArrayBuffer)
    return own
  }
  if (Array.isArray(value)) return value.map(item => withOwnBuffers(item, buffers))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withOwnBuffers(field, buffers)]))
}

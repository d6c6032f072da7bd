import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type Outcome, type ProblemData, selectTools } from '#kit'
import { loadOperation, type NamedOperation } from '../../tasks/index.ts'
import { addFileReaders } from '../file-readers.ts'
import type { JobContext } from '../job-context.ts'
import { TOOLS, type ToolModule } from '../tools/index.ts'
import { TasksByThread } from './tasks-by-thread.ts'

interface RequestContext {
  jobId: string
  folder: string
  limitSeconds: number
  /** The time left, because each thread has a clock of its own. */
  leftMs: number
}

export type ThreadRequest = { runId: number; context: RequestContext } & (
  | { kind: 'operation'; operation: string; input: unknown }
  | { kind: 'tool'; tool: keyof typeof TOOLS; method: string; args: unknown[] }
)

export interface ThreadResponse {
  value?: unknown
  problem?: ProblemData
  error?: { name: string; message: string; stack?: string }
  threadId: number
  heapBytes: number
}

export interface ProgressMessage {
  runId: number
  done: number
  total: number
  unit: string
}

/** What the pool gives to each of its threads. */
export interface ThreadData {
  tasks: SharedArrayBuffer
}

const { tasks } = workerData as ThreadData
const tasksByThread = new TasksByThread(tasks)

/** The entry point of a thread: runs one operation or one function of a tool. Errors are returned as data. */
export default async function runRequest(request: ThreadRequest): Promise<unknown> {
  tasksByThread.set(request.runId, threadId)
  const outcome = await tryRun(request)
  const { used_heap_size: heapUsed, external_memory: external } = getHeapStatistics()
  return markTransferable({ ...outcome, threadId, heapBytes: heapUsed + external })
}

async function tryRun(request: ThreadRequest): Promise<Pick<ThreadResponse, 'value' | 'problem' | 'error'>> {
  try {
    return { value: await (request.kind === 'operation' ? runOperation(request) : runTool(request)) }
  } catch (error) {
    if (isProblem(error)) return { problem: error.toData() }
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    return { error: { name, message, stack } }
  }
}

/** Checks the name, not the class: a Problem may come from another copy of the kit, made by another module loader. */
function isProblem(error: unknown): error is { toData(): ProblemData } {
  return error instanceof Error && error.name === 'Problem' && 'toData' in error
}

const operations = new Map<string, Promise<NamedOperation>>()

async function runOperation(request: ThreadRequest & { kind: 'operation' }): Promise<Outcome<unknown>> {
  const loading = operations.get(request.operation) ?? loadOperation(request.operation)
  operations.set(request.operation, loading)
  const operation = await loading
  const context = createContext(request)
  const tools: Record<string, unknown> = {}
  for (const name of selectTools(operation, request.input).uses) tools[name] = (await loadTool(name)).bind(context)
  const progress = (done: number, total: number, unit: string) =>
    parentPort?.postMessage({ runId: request.runId, done, total, unit } satisfies ProgressMessage)
  const { signal, out } = context
  const runContext = { ...tools, signal, out, progress, now: () => new Date() }
  return operation.run(await addFileReaders(operation.input, request.input), runContext as never)
}

async function runTool({ tool, method, args, context }: ThreadRequest & { kind: 'tool' }): Promise<unknown> {
  const functions = (await loadTool(tool)).bind(createContext({ context })) as Record<
    string,
    (...args: unknown[]) => unknown
  >
  return functions[method]!(...args)
}

function loadTool(name: keyof typeof TOOLS): Promise<ToolModule> {
  return TOOLS[name].load() as Promise<ToolModule>
}

/** The signal never fires: at the deadline the main thread ends this thread. */
function createContext({ context }: Pick<ThreadRequest, 'context'>): JobContext {
  const { jobId, folder, limitSeconds, leftMs } = context
  const deadlineMs = performance.now() + leftMs
  return { jobId, folder, limitSeconds, deadlineMs, signal: neverAborted, out: name => join(folder, name) }
}

const neverAborted = new AbortController().signal

/** Lets the bytes of the answer be transferred to the main thread instead of copied. */
function markTransferable(answer: ThreadResponse): unknown {
  const buffers = new Set<ArrayBuffer>()
  const value = { ...answer, value: collectBuffers(answer.value, buffers) }
  return move({ [transferableSymbol]: [...buffers], [valueSymbol]: value })
}

/** Collects the buffers of all byte arrays in a value. An array that is part of a larger buffer is copied first. */
function collectBuffers(value: unknown, buffers: Set<ArrayBuffer>): unknown {
  if (value instanceof Uint8Array) {
    const isWhole = value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
    const own = isWhole ? value : new Uint8Array(value)
    buffers.add(own.buffer as ArrayBuffer)
    return own
  }
  if (Array.isArray(value)) return value.map(item => collectBuffers(item, buffers))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, collectBuffers(field, buffers)]))
}

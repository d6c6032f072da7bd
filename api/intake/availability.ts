import { isLane, type Lane, laneOf, mayUse, Problem, requiredTools, TOOL_LANES, type ToolName } from '#kit'
import type { Db } from '../../sql/db.ts'
import { listWorkers, type ToolReport, type WorkerRecord } from '../../sql/worker.ts'
import type { NamedOperation } from '../../tasks/index.ts'

const REFRESH_MS = 5_000
const SILENT_SECONDS = 20

/** What the live workers can do, from their latest reports. */
export interface Availability {
  /** Throws, before any charge, if no worker has an engine that the operation needs, or the api lacks what a route needs. */
  require(call: Pick<NamedOperation, 'name' | 'uses' | 'optional' | 'anyOf'> & { needs: readonly string[] }): void
  /** The lane of an operation: `remote` where a provider serves one of its tools. */
  laneOf(operation: Pick<NamedOperation, 'uses'>): Lane
  tools(): readonly ToolReport[]
  workers(): readonly WorkerRecord[]
  refresh(): Promise<void>
  close(): void
}

/** `reportOwn` tells what this process has itself. */
export function openAvailability(db: Db, reportOwn: () => ToolReport[] = () => []): Availability {
  let workers: WorkerRecord[] = []
  let tools: ToolReport[] = []
  const findLane = ({ uses }: Pick<NamedOperation, 'uses'>) =>
    tools.some(({ name, ok, lane }) => ok && lane === 'remote' && uses.some(tool => tool === name))
      ? 'remote'
      : laneOf(uses)

  async function refresh(): Promise<void> {
    const found = await listWorkers(db)
    workers = found.filter(({ silent_seconds }) => silent_seconds < SILENT_SECONDS)
    tools = mergeReports(workers)
  }

  const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH_MS).unref()
  return {
    refresh,
    laneOf: findLane,
    tools: () => [...tools, ...reportOwn()],
    workers: () => workers,
    close: () => clearInterval(timer),
    require: ({ name, needs, ...operation }) => {
      const own = needs.length > 0 && reportOwn().find(report => !report.ok && needs.includes(report.name))
      const report = own || findLack(workers, operation, findLane(operation))
      if (!report) return
      const { name: tool, install, adapters = [tool] } = report
      throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: name, tool, install, adapters })
    },
  }
}

/** The tool for which no worker of the operation's lane can run it; undefined if one can, or may. */
function findLack(
  workers: readonly WorkerRecord[],
  operation: Pick<NamedOperation, 'uses' | 'optional' | 'anyOf'>,
  lane: Lane,
): ToolReport | undefined {
  const required: readonly string[] = requiredTools(operation)
  const { anyOf = [] } = operation
  if (required.length + anyOf.length === 0) return undefined
  const serving = workers.filter(({ lanes }) => (lanes[lane] ?? 0) > 0)
  const lacks = (serving.length > 0 ? serving : workers).map(
    ({ tools }) => tools.find(({ name, ok }) => !ok && required.includes(name)) ?? findLackOfAll(tools, anyOf),
  )
  return lacks.every(lack => lack !== undefined) ? lacks[0] : undefined
}

/** The first of the tools, with what provides any of them, if none of them is there. */
function findLackOfAll(tools: readonly ToolReport[], anyOf: readonly string[]): ToolReport | undefined {
  const lacks = anyOf.flatMap(tool => tools.find(({ name, ok }) => !ok && name === tool) ?? [])
  if (lacks.length === 0 || lacks.length < anyOf.length) return undefined
  return { ...lacks[0]!, adapters: lacks.flatMap(({ name, adapters = [name] }) => adapters) }
}

/** A tool is available when any worker has it, and missing when every worker that may need it has tried it in vain. */
function mergeReports(workers: readonly WorkerRecord[]): ToolReport[] {
  const reports = Map.groupBy(
    workers.flatMap(worker => worker.tools),
    ({ name }) => name,
  )
  return [...reports].flatMap(([name, all]) => {
    const working = all.filter(({ ok }) => ok)
    // What a provider serves for one worker is left to it by the others.
    const works = working.find(({ lane }) => lane === 'remote') ?? working[0]
    return works ?? (workers.every(worker => hasTried(worker, name) || !mayNeed(worker, name)) ? all[0]! : [])
  })
}

function hasTried({ tools }: WorkerRecord, tool: string): boolean {
  return tools.some(({ name }) => name === tool)
}

function mayNeed({ lanes }: WorkerRecord, tool: string): boolean {
  return tool in TOOL_LANES && mayUse(Object.keys(lanes).filter(isLane), tool as ToolName)
}

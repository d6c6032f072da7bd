import type { Entry } from '#kit'
import type { ToolReport } from '../../sql/worker.ts'

export interface Capability {
  available: boolean
  /** Each with the one line that installs it, where there is one. */
  missing?: { tool: string; install?: string }[]
}

export interface Capabilities {
  operations: Record<string, Capability>
  tools: { tool: string; lane: string; available: boolean; version?: string; install?: string }[]
}

/**
 * Which operations can run, by what the workers say of their tools. One worker that has a tool is enough. Of a tool
 * nobody has reported on yet nothing bad is known: the call is taken and waits for a worker, as the door does it.
 */
export function capabilities(entries: readonly Entry[], reports: readonly ToolReport[]): Capabilities {
  const best = new Map<string, ToolReport>()
  for (const report of reports) if (report.ok || !best.has(report.name)) best.set(report.name, report)
  const operations = entries
    .filter(({ kind }) => kind === 'operation')
    .map(({ name, tools }) => [name, capabilityOf(tools, best)] as const)
  const tools = [...best.values()].map(({ name, lane, ok, version, install }) => ({
    tool: name,
    lane,
    available: ok,
    ...(version && { version }),
    ...(!ok && install && { install }),
  }))
  return { operations: Object.fromEntries(operations), tools: tools.sort((a, b) => (a.tool < b.tool ? -1 : 1)) }
}

function capabilityOf(tools: readonly string[], reports: ReadonlyMap<string, ToolReport>): Capability {
  const missing = tools.filter(tool => reports.get(tool)?.ok === false)
  if (missing.length === 0) return { available: true }
  return {
    available: false,
    missing: missing.map(tool => {
      const install = reports.get(tool)?.install
      return { tool, ...(install && { install }) }
    }),
  }
}

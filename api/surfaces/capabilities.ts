import type { Entry } from '#kit'
import type { ToolReport } from '../../sql/worker.ts'

interface Capability {
  available: boolean
  /** Who does the work, and by which model, where the operator has a choice. */
  provider?: string
  model?: string
  /** The missing tools, also those that only some calls need; each with the command that installs it, or the providers that can be configured. */
  missing?: { tool: string; install?: string; adapters?: readonly string[] }[]
}

interface Capabilities {
  operations: Record<string, Capability>
  tools: { tool: string; lane: string; available: boolean; version?: string; install?: string }[]
}

/**
 * Which operations can run, according to the tools that the workers report. One worker with the tool is enough. A tool
 * that no worker has reported on counts as available: such a call is accepted and waits for a worker.
 */
export function buildCapabilities(entries: readonly Entry[], reports: readonly ToolReport[]): Capabilities {
  const bestReports = new Map<string, ToolReport>()
  for (const report of reports) if (report.ok || !bestReports.has(report.name)) bestReports.set(report.name, report)
  const operations = entries
    .filter(({ kind, tools }) => kind === 'operation' || tools.length > 0)
    .map(entry => [entry.name, checkCapability(entry, bestReports)] as const)
  const tools = [...bestReports.values()].map(({ name, lane, ok, version, install }) => ({
    tool: name,
    lane,
    available: ok,
    ...(version && { version }),
    ...(!ok && install && { install }),
  }))
  return { operations: Object.fromEntries(operations), tools: tools.sort((a, b) => (a.tool < b.tool ? -1 : 1)) }
}

function checkCapability(
  { tools, optionalTools = [], anyOfTools = [] }: Pick<Entry, 'tools' | 'optionalTools' | 'anyOfTools'>,
  reports: ReadonlyMap<string, ToolReport>,
): Capability {
  const missing = tools.filter(tool => reports.get(tool)?.ok === false)
  if (missing.length === 0) return { available: true, ...tools.map(tool => reports.get(tool)?.servedBy).find(Boolean) }
  return {
    available:
      missing.every(tool => optionalTools.includes(tool)) &&
      (anyOfTools.length === 0 || !anyOfTools.every(tool => missing.includes(tool))),
    missing: missing.map(tool => {
      const { install, adapters } = reports.get(tool)!
      return { tool, ...(install && { install }), ...(adapters && { adapters }) }
    }),
  }
}

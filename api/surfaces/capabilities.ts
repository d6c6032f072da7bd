import type { Entry } from '#kit'

/** What a worker found of one tool when it looked. */
export interface ToolReport {
  tool: string
  available: boolean
  version?: string
  /** One line that installs it. */
  install?: string
}

export interface Capability {
  available: boolean
  missing?: { tool: string; install?: string }[]
}

export interface Capabilities {
  operations: Record<string, Capability>
  tools: ToolReport[]
}

/** Which operations can run. A tool that no worker has reported on counts as missing: nobody could run it. */
export function capabilities(entries: readonly Entry[], reports: readonly ToolReport[]): Capabilities {
  const byTool = new Map(reports.map(report => [report.tool, report]))
  const operations = entries
    .filter(({ kind }) => kind === 'operation')
    .map(({ name, tools }) => [name, capabilityOf(tools, byTool)] as const)
  return { operations: Object.fromEntries(operations), tools: [...reports] }
}

function capabilityOf(tools: readonly string[], byTool: ReadonlyMap<string, ToolReport>): Capability {
  const missing = tools.filter(tool => !byTool.get(tool)?.available)
  if (missing.length === 0) return { available: true }
  return { available: false, missing: missing.map(tool => ({ tool, install: byTool.get(tool)?.install })) }
}

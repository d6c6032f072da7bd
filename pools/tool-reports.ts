import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { type Lane, TOOL_LANES } from '#kit'
import type { HostContext } from './host-context.ts'
import { TOOLS, type ToolEntry } from './tools/index.ts'

export interface ToolReport {
  name: string
  lane: Lane
  ok: boolean
  version?: string
  /** The command that installs what is missing. */
  install?: string
}

/** Finds out which tools work on this machine by trying each. */
export function reportTools(context: HostContext): Promise<ToolReport[]> {
  const names = Object.keys(TOOLS) as (keyof typeof TOOLS)[]
  return Promise.all(names.map(name => reportTool(name, TOOLS[name], context)))
}

async function reportTool(name: keyof typeof TOOLS, entry: ToolEntry, context: HostContext): Promise<ToolReport> {
  const lane = TOOL_LANES[name]
  try {
    return { name, lane, ok: true, version: await readVersion(entry, context) }
  } catch (error) {
    const hint = (error as { code?: string }).code === 'SANDBOX_UNAVAILABLE' ? SANDBOX_HINT : entry.install
    return { name, lane, ok: false, install: hint }
  }
}

const SANDBOX_HINT = 'apt-get install -y bubblewrap util-linux'

async function readVersion(entry: ToolEntry, context: HostContext): Promise<string> {
  const { from } = entry
  if ('program' in from) {
    const { code, stdout, stderr } = await context.programs.run(context, from.program, [from.versionFlag])
    if (code !== 0) throw new Error(stderr)
    return /\d+(\.\d+)+/.exec(`${stdout} ${stderr}`)?.[0] ?? 'unknown'
  }
  if ('version' in from) return from.version(context)
  if ('engine' in from) return context.engines.call<string>(context, from.engine, 'version', [], {})
  if ('builtIn' in from) return process.versions[from.builtIn] ?? 'unknown'
  const manifest = findPackageJSON(from.package, import.meta.url)
  if (!manifest) throw new Error(`${from.package} is not installed`)
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

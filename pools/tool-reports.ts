import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { type Lane, Problem, TOOL_LANES } from '#kit'
import type { HostContext } from './host-context.ts'
import { ToolLost } from './tool-crashed.ts'
import { type ServedBy, TOOLS, type ToolEntry } from './tools/index.ts'

/** What is known of a tool on this machine. A tool that has not been tried yet has no report. */
export interface ToolReport {
  name: string
  lane: Lane
  ok: boolean
  /** It is not installed or not configured, so nothing of it is broken. */
  isAbsent?: true
  version?: string
  /** What else the api tells of it. */
  details?: unknown
  /** The command that installs what is missing. */
  install?: string
  /** The providers that can be configured, if it needs one and has none. */
  adapters?: readonly string[]
  /** The provider that does its work, if there is a choice. */
  servedBy?: ServedBy
}

type ToolName = keyof typeof TOOLS

/** What a try told: the tool works, is not there, was too late to tell anything, or failed for another reason. */
export type ProbeOutcome =
  | { kind: 'works'; version: string; details?: unknown; servedBy?: ServedBy }
  | { kind: 'absent' | 'late' | 'failed'; error: unknown }

/** The tools that have the same engine, which is tried once for all of them. */
export function listEngines(): ToolName[][] {
  const names = Object.keys(TOOLS) as ToolName[]
  const keyOf = (name: ToolName) => ('version' in TOOLS[name].from ? name : JSON.stringify(TOOLS[name].from))
  return [...Map.groupBy(names, keyOf).values()]
}

export async function probeEngine(tool: ToolName, context: HostContext): Promise<ProbeOutcome> {
  try {
    // Some tell their version from a file, but none of these runs unconfined.
    const isConfined = TOOL_LANES[tool] === 'native' || TOOL_LANES[tool] === 'program'
    if (isConfined && context.programs.level === undefined) throw new Problem('SANDBOX_UNAVAILABLE', { tool })
    const entry: ToolEntry = TOOLS[tool]
    const version = await readVersion(entry, context)
    const details = entry.details && { details: await entry.details() }
    const served = entry.servedBy && { servedBy: await entry.servedBy(context) }
    return { kind: 'works', version, ...details, ...served }
  } catch (error) {
    return { kind: classify(error), error }
  }
}

export function describeTool(name: ToolName, outcome: ProbeOutcome): ToolReport {
  if (outcome.kind === 'works') {
    const { kind: _, ...facts } = outcome
    const isHosted = facts.servedBy !== undefined && facts.servedBy.provider !== 'local'
    return { name, lane: isHosted ? 'remote' : TOOL_LANES[name], ok: true, ...facts }
  }
  const lane = TOOL_LANES[name]
  const { adapters }: ToolEntry = TOOLS[name]
  return {
    ...{ name, lane, ok: false, install: describeRemedy(name, outcome.error) },
    ...(outcome.kind === 'absent' && { isAbsent: true }),
    ...(adapters && { adapters }),
  }
}

/** An engine may know better what it lacks than the list of tools does. */
function describeRemedy(name: ToolName, error: unknown): string {
  const { code, hints = {} } = error as Partial<Problem>
  if (code === 'SANDBOX_UNAVAILABLE') return SANDBOX_HINT
  return typeof hints.install === 'string' ? hints.install : TOOLS[name].install
}

const SANDBOX_HINT = 'apt-get install -y bubblewrap util-linux'
const ABSENT_CODES = new Set(['SANDBOX_UNAVAILABLE', 'PROVIDER_NOT_CONFIGURED'])
const ABSENT = /no such file|not found|not installed|cannot find (module|package)|ENOENT/i

/** A machine under load answers late; that says nothing about what is installed on it. */
function classify(error: unknown): 'absent' | 'late' | 'failed' {
  if (error instanceof ToolLost) return 'late'
  if (error instanceof Problem) {
    if (error.code === 'TIME_LIMIT_EXCEEDED') return 'late'
    return ABSENT_CODES.has(error.code) ? 'absent' : 'failed'
  }
  return ABSENT.test(String(error)) ? 'absent' : 'failed'
}

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

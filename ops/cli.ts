import { parseArgs } from 'node:util'
import { commands } from './cli/commands.ts'
import type { Verb } from './cli/verb.ts'

const COMMAND = 'npm run -s cli --'

const EXIT_SUCCESS = 0
const EXIT_FAILURE = 1
const EXIT_USAGE = 2

/** Where a command reads its settings, and where it writes. */
interface Terminal {
  /** Without it, the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))

/** Runs one command and resolves to its exit code. */
export async function main(args: string[], terminal: Terminal = process): Promise<number> {
  if (args.includes('--help') || args[0] === 'help') {
    terminal.stdout.write(formatUsage())
    return EXIT_SUCCESS
  }
  const found = findVerb(args)
  const parsed = found && parseArguments(found.verb, found.rest)
  if (parsed && !('misfit' in parsed)) return await run(found, parsed, terminal)
  terminal.stderr.write(
    found ? `usage: ${COMMAND} ${found.signature}\ncoinop: ${parsed?.misfit ?? ''}\n` : formatUsage(),
  )
  return EXIT_USAGE
}

interface FoundVerb {
  noun: string
  name: string
  verb: Verb
  rest: string[]
  signature: string
}

function findVerb([noun = '', ...args]: string[]): FoundVerb | undefined {
  const verbs = commands.get(noun)?.verbs
  if (!verbs) return undefined
  const isNamed = args[0] !== undefined && Object.hasOwn(verbs, args[0])
  const name = isNamed ? args.shift()! : ''
  if (!Object.hasOwn(verbs, name)) return undefined
  const verb = verbs[name]!
  return { noun, name, verb, rest: args, signature: formatSignature(noun, name, verb) }
}

interface ParsedArguments {
  args: string[]
  flags: Record<string, string | undefined>
  isJson: boolean
}

/** What was given, or why it does not match the verb's declaration. */
function parseArguments(verb: Verb, args: string[]): ParsedArguments | { misfit: string } {
  const { flags: named = [], switches = [] } = verb
  const options = Object.fromEntries([
    ...named.map(flag => [flag, { type: 'string' as const }] as const),
    ...switches.map(flag => [flag, { type: 'boolean' as const }] as const),
  ])
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { json, ...given } = values as Record<string, string | boolean | undefined>
    const flags = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
    const least = verb.args.filter(arg => !arg.startsWith('[')).length
    const isFitting = positionals.length >= least && positionals.length <= verb.args.length
    if (isFitting) return { args: positionals, flags, isJson: json === true }
    return { misfit: `It takes ${countArguments(least, verb.args.length)}, and got ${positionals.length}.` }
  } catch (error) {
    return { misfit: (error as Error).message }
  }
}

function countArguments(least: number, most: number): string {
  return `${least === most ? least : `${least} to ${most}`} ${most === 1 ? 'argument' : 'arguments'}`
}

async function run(
  { noun, name }: FoundVerb,
  { args, flags, isJson }: ParsedArguments,
  { env, stdout, stderr }: Terminal,
): Promise<number> {
  const { describeError, runVerb } = await import('./cli/run.ts')
  const { toJson } = await import('./cli/print.ts')
  try {
    const { runs, bareRuns = {} } = await commands.get(noun)!.load()
    const bareRun = Object.hasOwn(bareRuns, name) ? bareRuns[name] : undefined
    const output = bareRun ? await bareRun(env, args, flags) : await runVerb(noun, runs[name]!, args, { flags, env })
    stdout.write(`${isJson ? toJson(output.data) : output.text}\n`)
    return output.isFailure ? EXIT_FAILURE : EXIT_SUCCESS
  } catch (error) {
    const text = describeError(error)
    stderr.write(isJson ? `${toJson({ error: text })}\n` : `coinop: ${text}\n`)
    return EXIT_FAILURE
  }
}

function formatUsage(): string {
  const lines: [string, string][] = []
  for (const [noun, { verbs }] of commands) {
    for (const [name, verb] of Object.entries(verbs)) lines.push([formatSignature(noun, name, verb), verb.summary])
  }
  const width = Math.max(...lines.map(([left]) => left.length))
  const list = lines.map(([left, summary]) => `  ${left.padEnd(width)}  ${summary}\n`).join('')
  return `usage: ${COMMAND} <noun> <verb> [--json]\n\n${list}`
}

function formatSignature(noun: string, name: string, { args, flags = [], switches = [] }: Verb): string {
  const options = [...flags.map(flag => `[--${flag} ..]`), ...switches.map(flag => `[--${flag}]`)]
  return [noun, name, ...args, ...options].filter(Boolean).join(' ')
}

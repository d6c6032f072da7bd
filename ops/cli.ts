import { parseArgs } from 'node:util'
import { Problem } from '#kit'
import { openDb } from '../sql/db.ts'
import { openDatabase } from './cli/database.ts'
import { toJson } from './cli/print.ts'
import { type CommandOutput, UsageError, type Verb, type Verbs } from './cli/verb.ts'
import { ConfigError, loadConfig } from './config.ts'
import { SetUpError } from './set-up-error.ts'

const COMMAND = 'npm run -s cli --'
const NOUNS: Record<string, () => Promise<{ verbs: Verbs }>> = {
  account: () => import('./cli/account.ts'),
  key: () => import('./cli/key.ts'),
  setting: () => import('./cli/setting.ts'),
  price: () => import('./cli/price.ts'),
  job: () => import('./cli/job.ts'),
  pool: () => import('./cli/pool.ts'),
  doctor: () => import('./cli/doctor.ts'),
  migrate: () => import('./cli/migrate.ts'),
}

const EXIT_SUCCESS = 0
const EXIT_FAILURE = 1
const EXIT_USAGE = 2

const USER_ERRORS = [UsageError, ConfigError, SetUpError, RangeError]
/** Postgres error codes: no such schema, table or function. */
const MISSING_SCHEMA_CODES = ['3F000', '42P01', '42883']

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  if (args.includes('--help') || args[0] === 'help') {
    process.stdout.write(await formatUsage())
    return EXIT_SUCCESS
  }
  const found = await findVerb(args)
  const parsed = found && parseArguments(found.verb, found.rest)
  if (parsed) return await run(found.verb, parsed)
  process.stderr.write(found ? `usage: ${COMMAND} ${found.signature}\n` : await formatUsage())
  return EXIT_USAGE
}

async function findVerb([noun = '', ...args]: string[]) {
  if (!Object.hasOwn(NOUNS, noun)) return undefined
  const { verbs } = await NOUNS[noun]!()
  const name = Object.hasOwn(verbs, '') ? '' : (args.shift() ?? '')
  if (!Object.hasOwn(verbs, name)) return undefined
  const verb = verbs[name]!
  return { verb, rest: args, signature: formatSignature(noun, name, verb) }
}

interface ParsedArguments {
  args: string[]
  flags: Record<string, string | undefined>
  isJson: boolean
}

/** Gives undefined when the arguments do not match the verb's declaration. */
function parseArguments(verb: Verb, args: string[]): ParsedArguments | undefined {
  const options = Object.fromEntries((verb.flags ?? []).map(flag => [flag, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { json, ...flags } = values as { json?: boolean } & Record<string, string | undefined>
    return positionals.length === verb.args.length ? { args: positionals, flags, isJson: json === true } : undefined
  } catch {
    return undefined
  }
}

async function run(verb: Verb, { args, flags, isJson }: ParsedArguments): Promise<number> {
  try {
    const output = await runWithDatabase(verb, args, flags)
    process.stdout.write(`${isJson ? toJson(output.data) : output.text}\n`)
    return EXIT_SUCCESS
  } catch (error) {
    process.stderr.write(isJson ? `${toJson({ error: explainError(error) })}\n` : `coinop: ${explainError(error)}\n`)
    return EXIT_FAILURE
  }
}

async function runWithDatabase(verb: Verb, args: string[], flags: ParsedArguments['flags']): Promise<CommandOutput> {
  const config = loadConfig()
  const { url, release } = await openDatabase(config)
  const db = openDb(url, { name: 'cli', size: 2 })
  try {
    return await verb.run({ db, url, config }, args, flags)
  } finally {
    await db.end()
    await release()
  }
}

function explainError(error: unknown): string {
  if (error instanceof Problem) return error.message
  const { message, code, cause, stack } = error as Error & { code?: string; cause?: Error }
  if (code && MISSING_SCHEMA_CODES.includes(code))
    return 'The database does not have the schema of this release; run npm run migrate.'
  if (USER_ERRORS.some(kind => error instanceof kind)) return message
  if (cause) return `${message}: ${cause.message}`
  return stack ?? message
}

async function formatUsage(): Promise<string> {
  const lines: [string, string][] = []
  for (const [noun, load] of Object.entries(NOUNS)) {
    const { verbs } = await load()
    for (const [name, verb] of Object.entries(verbs)) lines.push([formatSignature(noun, name, verb), verb.summary])
  }
  const width = Math.max(...lines.map(([left]) => left.length))
  const list = lines.map(([left, summary]) => `  ${left.padEnd(width)}  ${summary}\n`).join('')
  return `usage: ${COMMAND} <noun> <verb> [--json]\n\n${list}`
}

function formatSignature(noun: string, name: string, { args, flags = [] }: Verb): string {
  return [noun, name, ...args, ...flags.map(flag => `[--${flag} ..]`)].filter(Boolean).join(' ')
}

import { parseArgs } from 'node:util'
import { Problem } from '#kit'
import { openDb } from '../sql/db.ts'
import { reachDatabase } from './cli/database.ts'
import { toJson } from './cli/print.ts'
import { type Answer, Mistake, type Verb, type Verbs } from './cli/verb.ts'
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

const SUCCESS = 0
const REFUSED = 1
const MISUSED = 2

const EXPLAINED = [Mistake, ConfigError, SetUpError, RangeError]
/** Codes of Postgres: no such schema, table or function. */
const NOT_MIGRATED = ['3F000', '42P01', '42883']

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  if (words.includes('--help') || words[0] === 'help') {
    process.stdout.write(await usage())
    return SUCCESS
  }
  const found = await findVerb(words)
  const given = found && understand(found.verb, found.rest)
  if (given) return await run(found.verb, given)
  process.stderr.write(found ? `usage: ${COMMAND} ${found.signature}\n` : await usage())
  return MISUSED
}

async function findVerb([noun = '', ...words]: string[]) {
  if (!Object.hasOwn(NOUNS, noun)) return undefined
  const { verbs } = await NOUNS[noun]!()
  const name = Object.hasOwn(verbs, '') ? '' : (words.shift() ?? '')
  if (!Object.hasOwn(verbs, name)) return undefined
  const verb = verbs[name]!
  return { verb, rest: words, signature: signature(noun, name, verb) }
}

interface Given {
  args: string[]
  flags: Record<string, string | undefined>
  isJson: boolean
}

/** Nothing when what is given does not fit what the verb declares. */
function understand(verb: Verb, words: string[]): Given | undefined {
  const options = Object.fromEntries((verb.flags ?? []).map(flag => [flag, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { json, ...flags } = values as { json?: boolean } & Record<string, string | undefined>
    return positionals.length === verb.args.length ? { args: positionals, flags, isJson: json === true } : undefined
  } catch {
    return undefined
  }
}

async function run(verb: Verb, { args, flags, isJson }: Given): Promise<number> {
  try {
    const answer = await inRoom(verb, args, flags)
    process.stdout.write(`${isJson ? toJson(answer.data) : answer.text}\n`)
    return SUCCESS
  } catch (error) {
    process.stderr.write(isJson ? `${toJson({ error: sentence(error) })}\n` : `coinop: ${sentence(error)}\n`)
    return REFUSED
  }
}

async function inRoom(verb: Verb, args: string[], flags: Given['flags']): Promise<Answer> {
  const config = loadConfig()
  const { url, leave } = await reachDatabase(config)
  const db = openDb(url, { name: 'cli', size: 2 })
  try {
    return await verb.run({ db, url, config }, args, flags)
  } finally {
    await db.end()
    await leave()
  }
}

function sentence(error: unknown): string {
  if (error instanceof Problem) return error.message
  const { message, code, cause, stack } = error as Error & { code?: string; cause?: Error }
  if (code && NOT_MIGRATED.includes(code))
    return 'The database has not the shape this release wants; run npm run migrate.'
  if (EXPLAINED.some(kind => error instanceof kind)) return message
  if (cause) return `${message}: ${cause.message}`
  return stack ?? message
}

async function usage(): Promise<string> {
  const lines: [string, string][] = []
  for (const [noun, load] of Object.entries(NOUNS)) {
    const { verbs } = await load()
    for (const [name, verb] of Object.entries(verbs)) lines.push([signature(noun, name, verb), verb.summary])
  }
  const width = Math.max(...lines.map(([left]) => left.length))
  const list = lines.map(([left, summary]) => `  ${left.padEnd(width)}  ${summary}\n`).join('')
  return `usage: ${COMMAND} <noun> <verb> [--json]\n\n${list}`
}

function signature(noun: string, name: string, { args, flags = [] }: Verb): string {
  return [noun, name, ...args, ...flags.map(flag => `[--${flag} ..]`)].filter(Boolean).join(' ')
}

import type { ClientCall } from '../../calls.ts'
import type { CallHelp } from '../../help.ts'
import type { Client, Installation } from '../client.ts'
import { CoinopError } from '../errors.ts'
import { methodNameOf } from '../names.ts'
import type { CallOptions, Charge, ClientOptions, Quote } from '../types.ts'
import { findCall, findFamily, readHelp } from './catalog.ts'
import { complete, renderCompletion } from './completion.ts'
import { type Environment, keepKey, readEnvironment, readKeys } from './environment.ts'
import { renderCall, renderFamily, renderOverview } from './help.ts'
import { untilInterrupted } from './interrupt.ts'
import { logIn } from './login.ts'
import { listRuns, openPiped } from './operands.ts'
import { chooseFormat, listTaken, requireFolder, requireSeveral, type WrittenRun, writeResult } from './outputs.ts'
import { type Command, parseCommand } from './parse.ts'
import { openProgress } from './progress.ts'
import { EXIT, Interruption, UsageError } from './usage.ts'

type Method = ((input: object, options?: CallOptions) => Promise<unknown>) & {
  quote?(input: object, options?: CallOptions): Promise<Quote>
}

// biome-ignore lint/suspicious/noExplicitAny: the methods of a client are those of its catalogue.
type AnyClient = Client & Record<string, any>

interface Parts {
  installation: Installation
  version: string
  open(options: ClientOptions): AnyClient
}

/** Runs one command and returns its exit code. */
export async function main(words: readonly string[], parts: Parts): Promise<number> {
  try {
    await run(words, parts)
    return EXIT.done
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`coinop: ${describe(error)}\n`)
    return exitCodeOf(error)
  }
}

function describe(error: Error): string {
  if (!(error instanceof CoinopError)) return error.message
  const hints = Object.entries(error.hints).filter(([name]) => !LONG_HINTS.has(name))
  const shown = hints.map(
    ([name, value]) => `\n  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${error.message} (${error.code})${shown.join('')}`
}

/** What is for programs, such as an offer to pay. */
const LONG_HINTS = new Set('idempotencyKey accepts accepted resource required x402Version type title detail'.split(' '))

function exitCodeOf(error: Error): number {
  if (error instanceof Interruption) return error.exitCode
  if (error instanceof UsageError || error instanceof TypeError) return EXIT.usage
  if (!(error instanceof CoinopError)) return EXIT.refused
  if ([401, 402, 403].includes(error.status)) return EXIT.unpaid
  return error.status === 0 || error.status === 429 || error.status >= 500 ? EXIT.unavailable : EXIT.refused
}

async function run([name, ...words]: readonly string[], parts: Parts): Promise<void> {
  const { installation } = parts
  if (name === undefined || name === 'help' || name === '--help' || name === '-h')
    return print(renderOverview(installation))
  if (name === '--version') return print(`coinop ${parts.version} of ${installation.url}\n`)
  if (name === '--complete') return print((await complete(installation, words)).map(word => `${word}\n`).join(''))
  if (name === 'completion') return print(renderCompletion(words[0]))
  const own = OWN_COMMANDS[name]
  if (own) return own(words, parts)
  // `pdf.merge` is how the documents name it.
  const [family, verb] = name.split('.', 2)
  return runCall(family!, verb === undefined ? words : [verb, ...words], parts)
}

const OWN_COMMANDS: Readonly<Record<string, (words: readonly string[], parts: Parts) => Promise<void>>> = {
  search: async (words, parts) => {
    if (words.length === 0) throw new UsageError('coinop search is followed by what you want to do')
    const { client } = await openClient(parts)
    const { results } = await client.system.search({ q: words.join(' ') })
    for (const { name, summary, price } of results) print(`coinop ${name.replace('.', ' ')}\n  ${summary} ${price}\n`)
  },
  balance: async (_words, parts) => {
    const { client } = await openClient(parts)
    const { balanceUsd, heldMicros } = await client.account.profile()
    print(`${balanceUsd} USD${heldMicros === '0' ? '' : `, and ${Number(heldMicros) / 1_000_000} USD held`}\n`)
  },
  login: async (words, parts) => {
    const environment = readEnvironment()
    const url = urlOf(environment, parts)
    print(await logIn(words, { environment, url, open: options => parts.open(options) as never }))
  },
  logout: async (_words, parts) => {
    const environment = readEnvironment()
    await keepKey(environment, urlOf(environment, parts), undefined)
  },
}

function urlOf({ url }: Environment, { installation }: Parts): string {
  return (url ?? installation.url).replace(/\/+$/, '')
}

async function openClient(parts: Parts): Promise<{ client: AnyClient }> {
  const environment = readEnvironment()
  const baseUrl = urlOf(environment, parts)
  const { wallet } = environment
  const key = environment.key ?? (wallet === undefined ? (await readKeys(environment))[baseUrl] : undefined)
  return { client: parts.open({ baseUrl, key, ...(key === undefined && { wallet }) }) }
}

async function runCall(family: string, words: readonly string[], parts: Parts): Promise<void> {
  const { installation } = parts
  const [verb, ...rest] = words
  if (verb === undefined || verb === '--help' || verb === '-h')
    return print(renderFamily(family, findFamily(installation, family)))
  const call = findCall(installation, family, verb)
  const help = (await readHelp())[call.name]!
  const command = parseCommand(call, help, rest)
  if (command.isHelp) return print(renderCall(call, help))
  const { client } = await openClient(parts)
  const method = client[family][methodNameOf(call)] as Method
  await performRuns({ call, help, command, client, method })
}

interface Asked {
  call: ClientCall
  help: CallHelp
  command: Command
  client: AnyClient
  method: Method
}

async function performRuns(asked: Asked): Promise<void> {
  const { call, help, command } = asked
  const runs = await listRuns(call, help, command)
  if (runs.length > 1) await requireSeveral(help, command)
  if (!command.isQuote) await requireFolder(command.output)
  const taken = listTaken(runs)
  // One after the other: what fails is seen before more is paid for.
  for (const one of runs) await performRun(asked, { ...one, taken })
}

async function performRun({ call, help, command, client, method }: Asked, one: WrittenRun): Promise<void> {
  const input = { ...one.input, ...chooseFormat(help, { ...command, input: one.input }) }
  const ask: Ask = async send => {
    try {
      return await send(input)
    } catch (error) {
      const piped = openPiped(call, command, one, error)
      if (piped) return send({ ...input, ...piped })
      throw error
    }
  }
  if (command.isQuote) return showQuote(call, method, ask, command)
  const { onProgress, end } = openProgress()
  let charge: Charge | undefined
  const result = await untilInterrupted(interruptible => {
    const options: CallOptions = {
      ...interruptible,
      ...(onProgress && { onProgress }),
      onCharge: given => {
        charge = given
      },
    }
    return ask(given => method(given, options))
  }).finally(end)
  await writeResult(client, result, one, command)
  const micros = charge?.chargedMicros
  if (micros !== undefined && process.stderr.isTTY) process.stderr.write(`${Number(micros) / 1_000_000} USD\n`)
}

type Ask = <Answer>(send: (given: object) => Promise<Answer>) => Promise<Answer>

async function showQuote({ name }: ClientCall, method: Method, ask: Ask, { isJson }: Command): Promise<void> {
  if (!method.quote) throw new UsageError(`${name} has no price`)
  const answer = await ask(given => method.quote!(given))
  const { quote } = answer
  if (isJson || !quote) return print(`${JSON.stringify(answer)}\n`)
  const [expected, atMost] = [quote.expected, quote.atMost].map(micros => Number(micros) / 1_000_000)
  print(`${expected} USD${expected === atMost ? '' : `, at most ${atMost} USD`}\n`)
}

function print(text: string): void {
  process.stdout.write(text)
}

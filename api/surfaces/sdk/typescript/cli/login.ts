import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Client } from '../client.ts'
import type { ClientOptions } from '../types.ts'
import { openWallet } from '../wallet/account.ts'
import { signIn } from '../wallet/sign-in.ts'
import { type Environment, keepKey } from './environment.ts'
import { UsageError } from './usage.ts'

interface Profile {
  balanceUsd: string
  heldMicros: string
}

type Open = (options: ClientOptions) => Client & { account: { profile(): Promise<Profile> } }

/** Keeps a key: one that is given or pasted from the dashboard, or the token of a wallet that signs in. */
export async function logIn(
  words: readonly string[],
  { environment, url, open }: { environment: Environment; url: string; open: Open },
): Promise<string> {
  const [option, value] = words
  const others = words.slice(option === '--key' ? 2 : 1)
  if (others.length > 0)
    throw new UsageError(`coinop login takes no ${others[0]}: COINOP_URL names another installation`)
  if (option === '--wallet') return keep(await tokenOfWallet(environment, url))
  if (option === '--key') return keep(value ?? (await askFor('Key: ')))
  if (option !== undefined && option !== '--browser')
    throw new UsageError(`coinop login has no ${option}: it has --key and --wallet`)
  if (!process.stdin.isTTY) return keep(await text(process.stdin))
  const page = `${url}/dashboard/keys`
  process.stderr.write(`Make a key at ${page} and paste it here.\n`)
  openBrowser(page)
  return keep(await askFor('Key: '))

  async function keep(given: string): Promise<string> {
    const key = given.trim()
    if (key === '') throw new UsageError('there is no key: coinop login --key <key>')
    const { balanceUsd } = await open({ key, baseUrl: url }).account.profile()
    await keepKey(environment, url, key)
    return `Signed in at ${url} with ${balanceUsd} USD. The key is in ${environment.file}.\n`
  }
}

/** The token is kept for its 30 days; the private key is not. */
async function tokenOfWallet({ wallet }: Environment, url: string): Promise<string> {
  const account = openWallet((wallet ?? (await askFor('Private key: '))).trim())
  const ask = async (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
    const response = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    const answer = (await response.json()) as { error?: string }
    if (!response.ok) throw new Error(answer.error ?? `the service answered ${response.status}`)
    return answer
  }
  return (await signIn(ask, account, url)).token
}

/** What is typed is not shown. */
async function askFor(question: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin)
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

const OPENERS: Readonly<Record<string, [program: string, ...before: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Where there is no browser, the address has been printed. */
function openBrowser(address: string): void {
  const [program, ...before] = OPENERS[process.platform] ?? ['xdg-open']
  const opened = spawn(program, [...before, address], { stdio: 'ignore', detached: true })
  opened.on('error', () => undefined)
  opened.unref()
}

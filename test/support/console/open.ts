import { computeTotp } from '../../../api/console/access/totp.ts'
import { loadConfig } from '../../../ops/config.ts'
import { freePorts } from '../../../ops/free-ports.ts'
import type { OperatorRole } from '../../../sql/operator.ts'
import { startRole } from '../stack/role.ts'
import { runCli } from '../stack/run-cli.ts'
import type { Stack } from '../stack/start.ts'

const STEP_MS = 30_000

export interface OpenedConsole extends AsyncDisposable {
  url: string
  /** Adds an operator by the command line and signs in with codes of an app. */
  operator(name: string, role: OperatorRole): Promise<ConsoleClient>
  env: Record<string, string>
}

interface Answer {
  headers: Headers
  status: number
  text: string
  location: string | null
}

/** A browser of an operator, without scripts. */
export interface ConsoleClient {
  cookie: string
  get(path: string): Promise<Answer>
  /** Sends a form with the token of the page `from`. */
  submit(from: string, action: string, fields?: Record<string, string>): Promise<Answer>
  query(
    query: string,
    variables?: object,
  ): Promise<{ status: number; body: { data?: unknown; errors?: GraphQlError[] } }>
  /** The code of the app so many steps of 30 seconds after the one with which it was added. */
  code(stepsLater: number): string
}

interface GraphQlError {
  message: string
  extensions?: { code?: string }
}

/** The console as an operator starts it, over the database of a stack. */
export async function openConsole(stack: Stack): Promise<OpenedConsole> {
  const [port] = await freePorts(1)
  const env = {
    ...{ DATABASE_URL: stack.databaseUrl, DATA_DIR: stack.dataDir, SECRET: 'a secret of the tests alone' },
    ...{
      CONSOLE_PORT: String(port),
      CONSOLE_URL: `http://localhost:${port}`,
      PUBLIC_URL: stack.url,
      LOG_LEVEL: 'info',
    },
  }
  loadConfig(env)
  const role = await startRole('console', env)
  const url = `http://localhost:${port}`
  return {
    ...{ url, env },
    operator: async (name, operatorRole) => {
      const made = await runCli(env, 'operator', 'create', name, '--role', operatorRole)
      if (made.exitCode !== 0) throw new Error(made.stderr)
      return await enrol(url, made.stdout)
    },
    [Symbol.asyncDispose]: () => role[Symbol.asyncDispose](),
  }
}

async function enrol(url: string, link: string): Promise<ConsoleClient> {
  const page = await (await fetch(link)).text()
  const secret = fromBase32(/secret=([A-Z2-7]+)/.exec(page)![1]!)
  const step = Math.floor(Date.now() / STEP_MS)
  const code = (stepsLater: number) => computeTotp(secret, step + stepsLater)
  const reply = await post(`${link}/totp`, url, '', { code: code(0) })
  if (reply.status !== 303) throw new Error(`the app was not taken: ${reply.status} ${await reply.text()}`)
  return { ...openClient(url, cookieOf(reply)), code }
}

export function cookieOf(reply: Response): string {
  return reply.headers.get('set-cookie')!.split(';')[0]!
}

export function openClient(url: string, cookie: string): Omit<ConsoleClient, 'code'> {
  const get = async (path: string) => toAnswer(await fetch(url + path, { headers: { cookie }, redirect: 'manual' }))
  return {
    cookie,
    get,
    submit: async (from, action, fields = {}) => {
      const csrf = /name="csrf" value="([\w-]+)"/.exec((await get(from)).text)![1]!
      return toAnswer(await post(url + action, url, cookie, { csrf, ...fields }))
    },
    query: async (query, variables) => {
      const headers = { cookie, origin: url, 'content-type': 'application/json', accept: 'application/json' }
      const reply = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables }),
      })
      return { status: reply.status, body: (await reply.json()) as { data?: unknown; errors?: GraphQlError[] } }
    },
  }
}

export function post(
  address: string,
  origin: string,
  cookie: string,
  fields: Record<string, string>,
): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: { origin, cookie },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
}

async function toAnswer(reply: Response): Promise<Answer> {
  return {
    status: reply.status,
    text: await reply.text(),
    headers: reply.headers,
    location: reply.headers.get('location'),
  }
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map(c => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2)))
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstalledClients, installClients } from '../../support/clients/install.ts'
import { createNoisyPng } from '../../support/images/png.ts'
import { openLocalServer, type ReceivedRequest } from '../../support/servers/local.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

let stack: Stack
let customer: Customer
let clients: InstalledClients
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer()
  clients = await installClients(stack, customer.key)
  await writeFile(join(clients.folder, 'noise.png'), createNoisyPng(400))
})
afterAll(() => stack[Symbol.asyncDispose]())

async function forward({ method, path, headers: { authorization, ...others }, body }: ReceivedRequest) {
  const headers = {
    authorization: authorization!,
    prefer: String(others.prefer ?? ''),
    'content-type': 'application/json',
  }
  const answer = await fetch(stack.url + path, { method, headers, ...(body !== '' && { body }) })
  return { status: answer.status, list: await answer.json() }
}

/** Runs the command through something that sees its requests, and interrupts it when it sends a certain one. */
async function interruptAt(request: RegExp, signal: NodeJS.Signals) {
  let child: ReturnType<typeof start> | undefined
  await using between = await openLocalServer(async received => {
    const isAwaited = request.test(`${received.method} ${received.path}`)
    const answer = isAwaited ? new Promise<undefined>(() => undefined) : forward(received)
    if (isAwaited) child!.kill(signal)
    return answer
  })
  const start = () =>
    spawn(
      join(clients.folder, 'node_modules/.bin/coinop'),
      'image resize noise.png --width 9000 --enlarge --kernel nearest --format avif -o large.avif'.split(' '),
      { cwd: clients.folder, env: { ...process.env, COINOP_URL: between.url, COINOP_KEY: customer.key } },
    )
  child = start()
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { message, code: code as number }
}

test('an interrupted command cancels its job, which costs nothing', async () => {
  const before = await customer.money()
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { message, code } = await interruptAt(/^GET \/v1\/jobs\//, signal)
    const [, id] = /^coinop: interrupted\. The job (\S+) is cancelled and costs nothing\.\n$/.exec(message)!
    expect(code).toBe(exitCode)
    expect(await customer.waitForEnd(id!)).toMatchObject({ status: 'failed', error: { code: 'JOB_CANCELLED' } })
  }
  expect(await customer.money()).toEqual(before)
})

test('a command that is interrupted before it has an answer says that the call may go on', async () => {
  const { message, code } = await interruptAt(/^POST \/v1\/image\//, 'SIGINT')
  expect(message).toBe(
    'coinop: interrupted before there was an answer. A call that the service has got may go on and be charged: coinop jobs list\n',
  )
  expect(code).toBe(130)
})

import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { findUndeclaredEvents } from '../database/declared-events.ts'
import { type Stack, startStack } from './start.ts'

// Decision 0210: share engines and stacks among test files.

const started = new Map<string, Promise<Stack>>()

/**
 * A stack as a developer has it, which the files of one test process share: each makes customers of its own, and changes
 * nothing that others would notice. Webhooks may go to servers of this machine, and top-ups are test money. It ends with
 * the process, because its api and worker stop without their parent.
 */
export function openDefaultStack(): Promise<Stack> {
  return share('default', { env: { WEBHOOK_NETWORKS: '127.0.0.1', TEST_CHECKOUT: 'true' } })
}

/** A stack without settings and without a worker: jobs wait. A test that starts a worker stops it. */
export function openIdleStack(): Promise<Stack> {
  return share('idle', { worker: false })
}

async function share(name: string, options: Parameters<typeof startStack>[0]): Promise<Stack> {
  const starting =
    started.get(name) ??
    mkdtemp(join(inject('runFolder'), 'stack-')).then(dataDir => startStack({ ...options, dataDir }))
  started.set(name, starting)
  const stack = await starting
  const check = async () => {
    expect(await checkInvariants(stack.db)).toEqual([])
    expect(await findUndeclaredEvents(stack.db)).toEqual([])
  }
  return { ...stack, [Symbol.asyncDispose]: check }
}

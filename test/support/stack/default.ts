import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { checkInvariants } from '../../../sql/ledger.ts'
import { type Stack, startStack } from './start.ts'

let started: Promise<Stack> | undefined

/**
 * A stack without settings of its own, which the files of one test process share: each makes customers of its own, and
 * changes nothing that others would notice. It ends with the process, because its api and worker stop without their parent.
 */
export async function openDefaultStack(): Promise<Stack> {
  started ??= mkdtemp(join(inject('runFolder'), 'stack-')).then(dataDir => startStack({ dataDir }))
  const stack = await started
  return { ...stack, [Symbol.asyncDispose]: async () => expect(await checkInvariants(stack.db)).toEqual([]) }
}

import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { findWallet } from '../../sql/payment.ts'
import settleChunks from '../../tasks/chores/settle-chunks.ts'
import { paymentHands } from '../../workers/payment-hands.ts'
import { type FrontDoor, openFrontDoor } from './front-door.ts'
import { PaperChain } from './paper-chain.ts'

/** The front door where payments are settled on paper. */
export interface PaidDoor extends FrontDoor {
  chain: PaperChain
  /** Runs the chore that settles chunks. */
  settleChunks(): Promise<void>
  hash(headers?: Record<string, string>, text?: string): Promise<LightMyRequestResponse>
}

export async function openPaidDoor(env: Record<string, string> = {}): Promise<PaidDoor> {
  const chain = new PaperChain()
  const door = await openFrontDoor(env, chain)
  return {
    ...door,
    chain,
    settleChunks: () => {
      const payments = paymentHands(door.floor.db, door.floor.config.secret, chain)
      return settleChunks.run({ payments, say: () => undefined } as never)
    },
    hash: (headers = {}, text = 'abc') =>
      door.app.inject({ method: 'POST', url: '/v1/utils/hash', headers, payload: { text, algorithms: ['sha256'] } }),
    [Symbol.asyncDispose]: async () => {
      expect(await checkInvariants(door.floor.db)).toEqual([])
      await door[Symbol.asyncDispose]()
    },
  }
}

export const decoded = (header: unknown) =>
  JSON.parse(Buffer.from(String(header), 'base64').toString()) as Record<string, never>
export const balanceOf = async (door: PaidDoor, address: string) => {
  const { accountId } = (await findWallet(door.floor.db, address))!
  const [row] = await rows<{ balance_micros: bigint }>(
    door.floor.db,
    'select balance_micros from svc.account where id = $1',
    [accountId],
  )
  return row!.balance_micros
}

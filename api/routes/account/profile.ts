import { Type } from 'typebox'
import { formatUsd, Problem } from '#kit'
import { toChecksumAddress } from '../../../ops/providers/sign-in/wallet-message.ts'
import { readAccount } from '../../../sql/account.ts'
import { showKeys } from '../../../sql/key.ts'
import { listWallets } from '../../../sql/wallet.ts'
import { route } from '../../route.ts'
import { ApiKey } from './schema.ts'

export default route({
  at: 'GET /v1/account',
  summary: 'Get the profile and balance of the calling account, and what its keys may spend.',
  keywords:
    'balance, money left, how much did i spend today, spent today, credit, funds, who am i, account, rate limit of my key, limits, how many requests or calls a minute, spending limit of my key',
  description:
    'How many calls a minute are allowed is in the header `RateLimit-Policy` of every answer: `q` in `w` seconds.',
  isFeatured: true,
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      name: Type.Union([Type.String(), Type.Null()]),
      balanceMicros: Type.String(),
      heldMicros: Type.String(),
      balanceUsd: Type.String(),
      isTest: Type.Boolean(),
      createdAt: Type.String(),
      wallets: Type.Array(Type.Object({ address: Type.String(), createdAt: Type.String() })),
      keys: Type.Array(ApiKey),
    }),
  },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED', 'NOT_FOUND'],
  async handle({ caller }, { db }) {
    const { accountId } = caller
    const [account, keys, found] = await Promise.all([
      readAccount(db, accountId),
      showKeys(db, accountId),
      listWallets(db, accountId),
    ])
    if (!account) throw new Problem('NOT_FOUND')
    const { id, name, balanceMicros, heldMicros, isTest, createdAt } = account
    const wallets = found.map(async wallet => ({
      address: await toChecksumAddress(wallet.address),
      createdAt: wallet.created_at,
    }))
    const balanceUsd = formatUsd(BigInt(balanceMicros))
    const money = { balanceMicros, heldMicros, balanceUsd }
    return { id, name, ...money, isTest, createdAt, wallets: await Promise.all(wallets), keys }
  },
})

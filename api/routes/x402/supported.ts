import { Type } from 'typebox'
import { Problem } from '#kit'
import { route } from '../../route.ts'
import { NO_PAYMENTS } from './schema.ts'

export default route({
  at: 'GET /x402/supported',
  summary: 'List the kinds of x402 payment that are accepted, and the addresses that settle them.',
  keywords: 'pay without an account, accepted tokens, which networks, usdc, pay with crypto, facilitator',
  auth: ['none'],
  servesPayments: true,
  reply: {
    status: 200,
    schema: Type.Object({
      kinds: Type.Array(Type.Object({ x402Version: Type.Integer(), scheme: Type.String(), network: Type.String() })),
      extensions: Type.Array(Type.String()),
      signers: Type.Record(Type.String(), Type.Array(Type.String())),
    }),
  },
  errors: ['PROVIDER_NOT_CONFIGURED'],
  handle: (_call, { payments }) => {
    if (!payments) throw new Problem('PROVIDER_NOT_CONFIGURED', NO_PAYMENTS)
    const { network, facilitator } = payments
    return {
      kinds: [
        { x402Version: 2, scheme: 'exact', network: network.caip2 },
        { x402Version: 1, scheme: 'exact', network: network.v1Name },
      ],
      extensions: ['payment-identifier', 'sign-in-with-x', 'bazaar'],
      signers: { 'eip155:*': facilitator.signers() },
    }
  },
})

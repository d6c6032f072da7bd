import { type Hex, recoverTypedDataAddress } from 'viem'
import type { SignedPayment } from '#kit'
import { startDevChain } from '../chain/dev-chain.ts'
import { DEV_WALLETS } from '../chain/dev-wallets.ts'
import { openFacilitator } from '../chain/facilitator.ts'
import type { Bench, Figure } from './figure.ts'
import { median } from './median.ts'
import { NETWORK, signedPayment } from './payer.ts'

const PAYMENTS = 1_000
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** The floor is what the library for the chain does by itself, in JavaScript alone. */
export default {
  id: 'P15',
  title: 'time to verify the signature of one payment, over the general form in JavaScript',
  async measure(bench) {
    const payments = Array.from({ length: PAYMENTS }, () => signedPayment(10_000n))
    await using chain = await startDevChain({ port: 0 })
    const { address: payTo } = DEV_WALLETS.payee
    const { key: settlerKey } = DEV_WALLETS.settler
    const x402 = { network: 'dev', payTo, settlerKey, rpcUrl: chain.rpcUrl, factories: [] } as const
    const databaseUrl = (await bench.home.newDatabase()).url
    const facilitator = (await openFacilitator({ x402, databaseUrl, logLevel: 'warn' }))!
    const [ours, floor] = await timesInTurns(bench, payments, [
      payment => facilitator.verifySignature(payment),
      async payment => (await recoverTypedDataAddress(typedDataOf(payment))) === payment.authorization.from,
    ])
    await facilitator.close?.()
    const limit = 'finding the public key that belongs to a signature, in WebAssembly; two hashes in JavaScript'
    return [
      { of: 'one signature', unit: 'ms', ours: ours!, floor: floor!, goal: { atMost: 0.5 }, judged: 'ratio', limit },
    ]
  },
} satisfies Figure

type Verify = (payment: SignedPayment) => Promise<boolean>

async function timesInTurns({ pace }: Bench, payments: readonly SignedPayment[], sides: Verify[]): Promise<number[]> {
  const times = sides.map((): number[] => [])
  for (const verify of sides) await timeOfEach(payments, verify)
  for (let round = 0; round < pace.rounds; round++) {
    for (const [index, verify] of sides.entries()) times[index]!.push(await timeOfEach(payments, verify))
  }
  return times.map(median)
}

async function timeOfEach(payments: readonly SignedPayment[], verify: Verify): Promise<number> {
  const begun = performance.now()
  for (const payment of payments) if (!(await verify(payment))) throw new Error('a signature did not verify')
  return (performance.now() - begun) / payments.length
}

function typedDataOf({ authorization, signature, asset }: SignedPayment) {
  const { domainName: name, domainVersion: version } = NETWORK.assets[0]!
  return {
    domain: { name, version, chainId: NETWORK.chainId, verifyingContract: asset as Hex },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
    signature: signature as Hex,
  } as const
}

import { type Hex, recoverTypedDataAddress } from 'viem'
import type { SignedPayment } from '#kit'
import { openSenderQueue } from '../../../../sql/sender.ts'
import { startDevChain } from '../../../dev-chain/start.ts'
import { DEV_WALLETS } from '../../../dev-chain/wallets.ts'
import { openFacilitator } from '../../../providers/chain/open.ts'
import type { Bench, Figure } from '../../figure.ts'
import { median } from '../../median.ts'
import { NETWORK, signPayment } from './payer.ts'

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

/** The floor is viem's own implementation, in JavaScript alone. */
export default {
  id: 'P15',
  title: 'time to verify the signature of one payment, over the general form in JavaScript',
  async measure(bench) {
    const payments = Array.from({ length: PAYMENTS }, () => signPayment(10_000n))
    await using chain = await startDevChain({ port: 0 })
    const { address: payTo } = DEV_WALLETS.payee
    const { key: settlerKey } = DEV_WALLETS.settler
    const x402 = { network: 'dev', payTo, settlerKey, rpcUrl: chain.rpcUrl, factories: [] } as const
    const databaseUrl = (await bench.environment.newDatabase()).url
    const facilitator = (await openFacilitator({ x402, databaseUrl, logLevel: 'warn' }, openSenderQueue))!
    const [ours, floor] = await measureInTurns(bench, payments, [
      payment => facilitator.verifySignature(payment),
      async payment => (await recoverTypedDataAddress(buildTypedData(payment))) === payment.authorization.from,
    ])
    await facilitator.close?.()
    const limitedBy = 'recovering the public key of a signature, in WebAssembly; two hashes in JavaScript'
    return [
      {
        label: 'one signature',
        unit: 'ms',
        ours: ours!,
        floor: floor!,
        goal: { atMost: 0.5 },
        judgedBy: 'ratio',
        limitedBy,
      },
    ]
  },
} satisfies Figure

type Verify = (payment: SignedPayment) => Promise<boolean>

async function measureInTurns(
  { profile }: Bench,
  payments: readonly SignedPayment[],
  verifiers: Verify[],
): Promise<number[]> {
  const times = verifiers.map((): number[] => [])
  for (const verify of verifiers) await measureMeanTime(payments, verify)
  for (let round = 0; round < profile.rounds; round++) {
    for (const [index, verify] of verifiers.entries()) times[index]!.push(await measureMeanTime(payments, verify))
  }
  return times.map(median)
}

async function measureMeanTime(payments: readonly SignedPayment[], verify: Verify): Promise<number> {
  const startedAt = performance.now()
  for (const payment of payments) if (!(await verify(payment))) throw new Error('a signature did not verify')
  return (performance.now() - startedAt) / payments.length
}

function buildTypedData({ authorization, signature, asset }: SignedPayment) {
  const { domainName: name, domainVersion: version } = NETWORK.assets[0]!
  return {
    domain: { name, version, chainId: NETWORK.chainId, verifyingContract: asset as Hex },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization as never,
    signature: signature as Hex,
  } as const
}

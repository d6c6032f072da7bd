import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { DEV_WALLETS } from '../../../ops/dev-chain/wallets.ts'

/**
 * `slow` is late but in time, and `fails` answers 500. The other modes settle: `hangs` never answers, `pending` has no
 * receipt yet, and `duplicate` settles twice and reports the second attempt.
 */
type Mode = 'ok' | 'slow' | 'fails' | 'hangs' | 'garbage' | 'pending' | 'duplicate'

const BROKEN_ANSWERS: Partial<Record<Mode, { status: number; text: string }>> = {
  fails: { status: 500, text: '{"error":"out of order"}' },
  garbage: { status: 200, text: '<html>' },
}
const REFUSALS: Partial<Record<Mode, { errorReason: string; transaction: string }>> = {
  pending: { errorReason: 'settlement_pending', transaction: '' },
  duplicate: { errorReason: 'invalid_exact_evm_nonce_already_used', transaction: '' },
}

interface RecordedRequest {
  path: string
  token: string | undefined
}

/** The reference facilitator behind a local server that can simulate failures of a real one. */
export async function openRemoteFacilitator(rpcUrl: string) {
  const account = privateKeyToAccount(DEV_WALLETS.settler.key)
  const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl), pollingInterval: 20 })
  const client = wallet.extend(publicActions)
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never)
  const reference = new x402Facilitator()
  registerExactEvmScheme(reference, { signer, networks: 'eip155:84532' })
  let mode: Mode = 'ok'
  const requests: RecordedRequest[] = []

  const answer = async (path: string, body: { paymentPayload: never; paymentRequirements: never }) => {
    const broken = BROKEN_ANSWERS[mode]
    if (broken) return broken
    if (mode === 'slow') await sleep(200)
    const isSettling = path === '/v2/settle'
    const answer = await reference[isSettling ? 'settle' : 'verify'](body.paymentPayload, body.paymentRequirements)
    if (isSettling && mode === 'hangs') return undefined
    const refusal = isSettling && REFUSALS[mode]
    return { status: 200, text: JSON.stringify(refusal ? { success: false, ...refusal } : answer) }
  }
  const server = createServer((request, reply) => {
    const path = request.url ?? ''
    requests.push({ path, token: request.headers.authorization })
    void json(request)
      .then(body => answer(path, body as never))
      .catch((error: Error) => ({ status: 500, text: error.message }))
      .then(answer => answer && reply.writeHead(answer.status).end(answer.text))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    requests,
    setMode: (next: Mode) => {
      mode = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

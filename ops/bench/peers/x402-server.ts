import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NETWORK } from '../figures/payments/payer.ts'

/**
 * The hash of a text behind `@x402/express`. It is given the best case: its facilitator is in the same process, checks the
 * signature and the nonce of a payment, and says at once that it is settled, so that it waits for no chain and no network.
 */
interface Answer {
  json(body: unknown): void
}
type Handler = (request: { body: { text: string } }, answer: Answer) => void

interface App {
  use(...handlers: unknown[]): void
  post(path: string, handler: Handler): void
  listen(port: number, host: string, onListening: () => void): void
}

interface Payment {
  payload: { signature: string; authorization: Record<string, string> }
}

interface Packages {
  express: (() => App) & { json(): unknown }
  x402: {
    paymentMiddleware(routes: object, server: unknown): unknown
    x402ResourceServer: new (facilitator: object) => { register(network: string, scheme: unknown): unknown }
  }
  evm: { ExactEvmScheme: new () => unknown }
  viem: { verifyTypedData(signed: object): Promise<boolean> }
}

const { PORT: port, PEERS } = process.env
const { resolve } = createRequire(join(PEERS!, 'package.json'))
const load = async (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href)
const { default: express } = (await load('express')) as { default: Packages['express'] }
const { paymentMiddleware, x402ResourceServer } = (await load('@x402/express')) as Packages['x402']
const { ExactEvmScheme } = (await load('@x402/evm/exact/server')) as Packages['evm']
const { verifyTypedData } = (await load('viem')) as Packages['viem']

const { caip2: network, payTo, chainId, assets } = NETWORK
const [{ address: asset, domainName: name, domainVersion: version }] = assets as unknown as [(typeof assets)[0]]
const price = { asset, amount: '10000', extra: { name, version } }
const AUTHORIZATION_FIELDS = [
  ...[
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
  ],
  ...[
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
]
const usedNonces = new Set<string>()

const facilitator = {
  getSupported: async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network }],
    extensions: [],
    signers: {},
  }),
  async verify({ payload: { authorization, signature } }: Payment) {
    const isSigned = await verifyTypedData({
      address: authorization.from,
      domain: { name, version, chainId, verifyingContract: asset },
      types: { TransferWithAuthorization: AUTHORIZATION_FIELDS },
      primaryType: 'TransferWithAuthorization',
      message: authorization,
      signature,
    })
    const isValid = isSigned && !usedNonces.has(authorization.nonce!)
    return { isValid, payer: authorization.from, ...(!isValid && { invalidReason: 'invalid_payment' }) }
  },
  async settle({ payload: { authorization } }: Payment) {
    usedNonces.add(authorization.nonce!)
    return { success: true, payer: authorization.from, transaction: authorization.nonce, network }
  },
}

const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
const accepts = [{ scheme: 'exact', network, payTo, price, maxTimeoutSeconds: 300 }]
const app = express()
app.use(express.json())
app.use(paymentMiddleware({ 'POST /v1/utils/hash': { accepts, description: 'The hash of a text.' } }, server))
app.post('/v1/utils/hash', ({ body }, answer) => {
  answer.json({ algorithm: 'sha256', digest: createHash('sha256').update(body.text).digest('hex') })
})
app.listen(Number(port), '127.0.0.1', () => process.send!({ ready: true }))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))

import { type Config, ConfigError } from '../../config.ts'
import { type Logger, openLog } from '../../log.ts'
import { isTracing, trace } from '../../tracing/trace.ts'
import type { Facilitator, PaymentNetwork, SenderQueue } from './contract.ts'
import { NETWORKS } from './networks.ts'

type ChainConfig = Pick<Config, 'x402' | 'databaseUrl' | 'logLevel'>
interface ChainParts {
  log?: Logger
  /** That of this host without it. */
  clock?: { now(): number }
}
type OpenSenderQueue = (databaseUrl: string) => SenderQueue

/**
 * Opens the configured facilitator, whose packages are loaded only then; gives undefined if none can settle. Several
 * processes may each have one: they take turns sending from one wallet.
 */
export async function openFacilitator(
  config: ChainConfig,
  openSenderQueue: OpenSenderQueue,
  parts: ChainParts = {},
): Promise<Facilitator | undefined> {
  const facilitator = await loadFacilitator(config, openSenderQueue, parts)
  if (facilitator && isTracing()) traceSettling(facilitator)
  return facilitator
}

/** Settling is what takes long, and what costs. */
function traceSettling(facilitator: Facilitator): void {
  const settle = facilitator.settle.bind(facilitator)
  facilitator.settle = payment => trace('settle payment', undefined, () => settle(payment), 'client')
}

async function loadFacilitator(
  config: ChainConfig,
  openSenderQueue: OpenSenderQueue,
  { log, clock = Date }: ChainParts,
): Promise<Facilitator | undefined> {
  const { x402, databaseUrl } = config
  if (!x402) return undefined
  const { getAddress, isAddress } = await import('viem')
  if (!isAddress(x402.payTo)) throw new ConfigError('X402_PAY_TO must be an address with a valid checksum.')
  const { rpcUrl: publicRpcUrl, ...known } = NETWORKS[x402.network]
  const network: PaymentNetwork = { ...known, payTo: getAddress(x402.payTo) }
  const chain = { network, rpcUrl: x402.rpcUrl ?? publicRpcUrl, log: log ?? openLog({ ...config, name: 'chain' }) }
  if (x402.facilitator) {
    const { RemoteFacilitator } = await import('./remote-facilitator.ts')
    return new RemoteFacilitator({ ...chain, ...x402.facilitator })
  }
  if (!x402.settlerKey || !databaseUrl) return undefined
  const { OwnFacilitator } = await import('./own-facilitator.ts')
  const settlerKey = x402.settlerKey as `0x${string}`
  const queue = openSenderQueue(databaseUrl)
  return new OwnFacilitator({ ...chain, clock, settlerKey, factories: x402.factories, queue })
}

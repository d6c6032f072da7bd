import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  type Address,
  createTestClient,
  type Hex,
  http,
  parseAbi,
  parseEther,
  publicActions,
  walletActions,
} from 'viem'
import { childEnvironment } from '../config.ts'
import { SetUpError } from '../set-up-error.ts'
import { DEV_WALLETS, devChainUrl } from './dev-wallets.ts'
import { NETWORKS } from './networks.ts'

export interface DevChain extends AsyncDisposable {
  rpcUrl: string
  /** Settles when the chain has ended, wanted or not. */
  ended: Promise<unknown>
  stop(): Promise<void>
}

interface Options {
  /** 0 takes any free one. */
  port: number
  onStart?(program: string, pid: number): void
}

const START_WITHIN_MS = 15_000
/** A thousand of each coin, with six decimals. */
const FUNDS = 1_000_000_000n
/** Where anvil sends from without being given a key. */
const MINTER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const COIN = parseAbi([
  'function name() view returns (string)',
  'function christen(string name_, string symbol_, string version_)',
  'function mint(address to, uint256 value)',
])

/** A chain on this machine with play money at the addresses of the real coins, and a wallet that has some. */
export async function startDevChain({ port, onStart }: Options): Promise<DevChain> {
  const { chainId } = NETWORKS.dev
  const program = anvil()
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--accounts', '1']
  const [file, ...words] = [...boundToUs(), program, ...args] as [string, ...string[]]
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  if (child.pid) onStart?.(program, child.pid)
  const ended = new Promise(resolve => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    const rpcUrl = devChainUrl(await portOf(child))
    await furnish(rpcUrl)
    return { rpcUrl, ended, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const SETPRIV = '/usr/bin/setpriv'

/** Where the machine can say so, the chain ends with whoever started it, also when that is killed. */
function boundToUs(): string[] {
  return existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []
}

/** The program from npm where it has one for this machine, or else the one on the path. */
function anvil(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const path = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`
    return createRequire(import.meta.url).resolve(path)
  } catch {
    const folders = childEnvironment({}).PATH?.split(delimiter) ?? []
    const found = folders.map(folder => join(folder, 'anvil')).find(existsSync)
    if (found) return found
    throw new SetUpError('DEV_CHAIN needs the program anvil of Foundry, which is not installed on this machine.')
  }
}

/** The port is printed when the chain listens. */
async function portOf(child: ChildProcess): Promise<number> {
  const said: string[] = []
  child.stderr!.on('data', chunk => said.push(String(chunk)))
  const late = setTimeout(() => child.kill('SIGKILL'), START_WITHIN_MS)
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      const port = /^Listening on [\d.]+:(\d+)/.exec(line)?.[1]
      if (port) {
        child.stdout!.resume()
        return Number(port)
      }
    }
  } finally {
    clearTimeout(late)
  }
  throw new SetUpError(`The local chain does not start: ${said.join('').trim() || 'it says nothing'}.`)
}

async function furnish(rpcUrl: string): Promise<void> {
  const chain = clientOf(rpcUrl)
  const text = await readFile(new URL('token/coin.json', import.meta.url), 'utf8')
  const { runtime } = JSON.parse(text) as { runtime: Hex }
  await chain.setBalance({ address: DEV_WALLETS.settler.address, value: parseEther('100') })
  for (const { address, symbol, domainName, domainVersion } of NETWORKS.dev.assets) {
    const coin = { address: address as Address, abi: COIN, account: MINTER, chain: null } as const
    await chain.setCode({ address: coin.address, bytecode: runtime })
    await chain.writeContract({ ...coin, functionName: 'christen', args: [domainName, symbol, domainVersion] })
    await chain.writeContract({ ...coin, functionName: 'mint', args: [DEV_WALLETS.payer.address, FUNDS] })
  }
}

function clientOf(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

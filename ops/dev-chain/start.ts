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
import { buildChildEnvironment } from '../config.ts'
import { NETWORKS } from '../providers/chain/networks.ts'
import { SetUpError } from '../set-up-error.ts'
import { DEV_WALLETS, formatDevChainUrl } from './wallets.ts'

interface DevChain extends AsyncDisposable {
  rpcUrl: string
  /** Settles when the chain process has exited, for any reason. */
  ended: Promise<unknown>
  stop(): Promise<void>
}

interface Options {
  /** 0 takes any free one. */
  port: number
  onStart?(program: string, pid: number): void
}

const START_TIMEOUT_MS = 15_000
/** A thousand of each coin, with six decimals. */
const PAYER_BALANCE = 1_000_000_000n
/** An account that anvil sends transactions from without a key. */
const MINTER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const COIN_ABI = parseAbi([
  'function name() view returns (string)',
  'function initialize(string name_, string symbol_, string version_)',
  'function mint(address to, uint256 value)',
])

/** Starts a local chain with test coins at the addresses of the real ones, and a funded wallet. */
export async function startDevChain({ port, onStart }: Options): Promise<DevChain> {
  const { chainId } = NETWORKS.dev
  const program = findAnvil()
  const args = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--accounts', '1']
  const [file, ...programArgs] = [...parentDeathCommand(), program, ...args] as [string, ...string[]]
  const child = spawn(file, programArgs, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  if (child.pid) onStart?.(program, child.pid)
  const ended = new Promise(resolve => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    const rpcUrl = formatDevChainUrl(await readPort(child))
    await deployCoins(rpcUrl)
    return { rpcUrl, ended, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const SETPRIV = '/usr/bin/setpriv'

/** With setpriv, the kernel ends the chain together with its parent, even when the parent is killed. */
function parentDeathCommand(): string[] {
  return existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []
}

/** The program from npm if npm has one for this machine, else the one on the PATH. */
function findAnvil(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const path = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`
    return createRequire(import.meta.url).resolve(path)
  } catch {
    const folders = buildChildEnvironment({}).PATH?.split(delimiter) ?? []
    const found = folders.map(folder => join(folder, 'anvil')).find(existsSync)
    if (found) return found
    throw new SetUpError('DEV_CHAIN needs the program anvil of Foundry, which is not installed on this machine.')
  }
}

/** Waits until the chain prints the port it listens on. */
async function readPort(child: ChildProcess): Promise<number> {
  const errorOutput: string[] = []
  child.stderr!.on('data', chunk => errorOutput.push(String(chunk)))
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      const port = /^Listening on [\d.]+:(\d+)/.exec(line)?.[1]
      if (port) {
        child.stdout!.resume()
        return Number(port)
      }
    }
  } finally {
    clearTimeout(timer)
  }
  throw new SetUpError(`The local chain does not start: ${errorOutput.join('').trim() || 'no error output'}.`)
}

async function deployCoins(rpcUrl: string): Promise<void> {
  const chain = createClient(rpcUrl)
  const text = await readFile(new URL('token/coin.json', import.meta.url), 'utf8')
  const { runtime } = JSON.parse(text) as { runtime: Hex }
  await chain.setBalance({ address: DEV_WALLETS.settler.address, value: parseEther('100') })
  for (const { address, symbol, domainName, domainVersion } of NETWORKS.dev.assets) {
    const coin = { address: address as Address, abi: COIN_ABI, account: MINTER, chain: null } as const
    await chain.setCode({ address: coin.address, bytecode: runtime })
    await chain.writeContract({ ...coin, functionName: 'initialize', args: [domainName, symbol, domainVersion] })
    await chain.writeContract({ ...coin, functionName: 'mint', args: [DEV_WALLETS.payer.address, PAYER_BALANCE] })
  }
}

function createClient(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

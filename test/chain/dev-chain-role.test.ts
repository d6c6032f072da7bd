import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { COIN } from '../../ops/chain/coin.ts'
import { DEV_WALLETS, devChainUrl, paymentExample } from '../../ops/chain/dev-wallets.ts'
import { childEnvironment } from '../../ops/config.ts'
import { EURC, USDC } from '../support/evm.ts'
import { freshFolder } from '../support/folder.ts'
import { freePorts } from '../support/free-ports.ts'
import { eventually } from '../support/until.ts'

const SCRIPT = fileURLToPath(new URL('../../ops/chain/dev-chain-role.ts', import.meta.url))

test('the local chain is furnished, survives a hard end of its keeper, and leaves nothing running', async () => {
  await using folder = await freshFolder()
  const [port] = (await freePorts(1)) as [number]
  const env = childEnvironment({
    DATA_DIR: folder.path,
    DEV_CHAIN: '1',
    DEV_CHAIN_PORT: String(port),
    LOG_LEVEL: 'silent',
  })
  const chain = createPublicClient({ transport: http(devChainUrl(port), { retryCount: 0 }), cacheTime: 0 })
  const begin = async () => {
    const role = fork(SCRIPT, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    expect(await once(role, 'message')).toEqual([{ ready: true }, undefined])
    return role
  }
  const pidOfChain = async () => {
    const notes = await readFile(join(folder.path, 'dev-chain/processes.json'), 'utf8')
    return Object.values(JSON.parse(notes) as Record<string, number>)[0]!
  }

  const first = await begin()
  const [killed, orphan] = [once(first, 'exit'), await pidOfChain()]
  first.kill('SIGKILL')
  await killed
  await eventually('the chain to end with its keeper', () => !isAlive(orphan))
  const second = await begin()
  for (const { address } of [USDC, EURC]) {
    const coin = { address: address as `0x${string}`, abi: COIN, args: [DEV_WALLETS.payer.address] } as const
    expect(await chain.readContract({ ...coin, functionName: 'balanceOf' })).toBe(1_000_000_000n)
  }
  const [stopped, last] = [once(second, 'exit'), await pidOfChain()]
  second.kill('SIGTERM')
  expect(await stopped).toEqual([0, null])
  await eventually('the chain to end', () => !isAlive(last))
})

test('the paste that is printed names the address and the funded wallet', () => {
  const text = paymentExample('http://127.0.0.1:8080')
  expect(text).toContain(`privateKeyToAccount('${DEV_WALLETS.payer.key}')`)
  expect(text).toContain('http://127.0.0.1:8080/v1/utils/hash')
  expect(text).not.toContain('{{')
})

/** One that has ended and that nobody has buried has no command any more. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('anvil')
  } catch {
    return false
  }
}

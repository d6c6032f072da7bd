import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { buildChildEnvironment } from '../../../ops/config.ts'
import { DEV_WALLETS, formatDevChainUrl, formatPaymentExample } from '../../../ops/dev-chain/wallets.ts'
import { freePorts } from '../../../ops/free-ports.ts'
import { TOKEN_ABI } from '../../../ops/providers/chain/token.ts'
import { EURC, USDC } from '../../support/chain/evm.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const SCRIPT = fileURLToPath(new URL('../../../ops/dev-chain/role.ts', import.meta.url))

test('the local chain has funded wallets, ends with a killed supervisor, and starts again', async () => {
  await using folder = await freshFolder()
  const [port] = (await freePorts(1)) as [number]
  const env = buildChildEnvironment({
    DATA_DIR: folder.path,
    DEV_CHAIN: '1',
    DEV_CHAIN_PORT: String(port),
    LOG_LEVEL: 'silent',
  })
  const chain = createPublicClient({ transport: http(formatDevChainUrl(port), { retryCount: 0 }), cacheTime: 0 })
  const begin = async () => {
    const role = fork(SCRIPT, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    expect(await once(role, 'message')).toEqual([{ ready: true }, undefined])
    return role
  }
  const readChainPid = async () => {
    const notes = await readFile(join(folder.path, 'dev-chain/processes.json'), 'utf8')
    return Object.values(JSON.parse(notes) as Record<string, number>)[0]!
  }

  const first = await begin()
  const [killed, orphan] = [once(first, 'exit'), await readChainPid()]
  first.kill('SIGKILL')
  await killed
  await eventually('the chain to end with its supervisor', () => !isAlive(orphan))
  const second = await begin()
  for (const { address } of [USDC, EURC]) {
    const coin = { address: address as `0x${string}`, abi: TOKEN_ABI, args: [DEV_WALLETS.payer.address] } as const
    expect(await chain.readContract({ ...coin, functionName: 'balanceOf' })).toBe(1_000_000_000n)
  }
  const [stopped, last] = [once(second, 'exit'), await readChainPid()]
  second.kill('SIGTERM')
  expect(await stopped).toEqual([0, null])
  await eventually('the chain to end', () => !isAlive(last))
})

test('the printed example contains the address and the funded wallet', () => {
  const text = formatPaymentExample('http://127.0.0.1:8080')
  expect(text).toContain(`privateKeyToAccount('${DEV_WALLETS.payer.key}')`)
  expect(text).toContain('http://127.0.0.1:8080/v1/utils/hash')
  expect(text).not.toContain('{{')
})

test('the printed example works from any folder', () => {
  const { stderr } = spawnSync('sh', ['-c', formatPaymentExample('http://127.0.0.1:9')], { cwd: '/', encoding: 'utf8' })
  expect(stderr).toContain('fetch failed')
  expect(stderr).not.toContain('ERR_MODULE_NOT_FOUND')
})

/** A zombie has no command line any more. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('anvil')
  } catch {
    return false
  }
}

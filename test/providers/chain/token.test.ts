import { readFile, writeFile } from 'node:fs/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { DEV_WALLETS } from '../../../ops/dev-chain/wallets.ts'
import { compile } from '../../support/chain/solidity.ts'

test('the code of the test token is what its source compiles to', async () => {
  const path = new URL('../../../ops/dev-chain/token/coin.json', import.meta.url)
  const { Coin } = compile(new URL('../../../ops/dev-chain/token/coin.sol', import.meta.url))
  const code = { runtime: `0x${Coin!.runtime}` }
  if (process.env.WRITE_TOKEN) await writeFile(path, `${JSON.stringify(code, null, 2)}\n`)
  const isFresh = (JSON.parse(await readFile(path, 'utf8')) as typeof code).runtime === code.runtime
  expect(isFresh, 'run with WRITE_TOKEN=1 to write it again').toBe(true)
})

test('the wallets of the local chain have the addresses of their keys', () => {
  for (const { key, address } of Object.values(DEV_WALLETS)) expect(privateKeyToAccount(key).address).toBe(address)
})

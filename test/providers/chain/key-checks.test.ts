import { bytesToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { KeyCheckPool } from '../../../ops/providers/chain/key-checks.ts'

const createDigest = (index: number) => Uint8Array.from({ length: 32 }, (_, place) => (place * 7 + index) % 256)

async function signDigest(index: number) {
  const account = privateKeyToAccount(generatePrivateKey())
  const digest = createDigest(index)
  return { address: account.address as string, digest, signature: await account.sign({ hash: bytesToHex(digest) }) }
}

test('many signatures at once are checked correctly, valid and invalid ones', async () => {
  const checks = new KeyCheckPool(2)
  const good = await Promise.all(Array.from({ length: 40 }, (_, index) => signDigest(index)))
  const bad = good.map((check, index) => ({ ...check, digest: createDigest(index + 1) }))
  const answers = await Promise.all([...good, ...bad].map(check => checks.isSigned(check)))
  expect(answers).toEqual([...good.map(() => true), ...bad.map(() => false)])
  await checks.close()
})

test('the checks of a thread that died are answered too', async () => {
  const checks = new KeyCheckPool(1)
  const check = await signDigest(1)
  expect(await checks.isSigned(check)).toBe(true)
  const checking = Array.from({ length: 20 }, () => checks.isSigned(check))
  await new Promise(setImmediate)
  await checks.close()
  expect(await Promise.all(checking)).toEqual(checking.map(() => true))
  expect(await checks.isSigned(check)).toBe(true)
  await checks.close()
})

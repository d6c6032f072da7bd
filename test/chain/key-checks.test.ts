import { bytesToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { KeyChecks } from '../../ops/chain/key-checks.ts'

const digestOf = (index: number) => Uint8Array.from({ length: 32 }, (_, place) => (place * 7 + index) % 256)

async function signed(index: number) {
  const account = privateKeyToAccount(generatePrivateKey())
  const digest = digestOf(index)
  return { address: account.address as string, digest, signature: await account.sign({ hash: bytesToHex(digest) }) }
}

test('many signatures at once are each told right, and whoever did not sign is told wrong', async () => {
  const checks = new KeyChecks(2)
  const good = await Promise.all(Array.from({ length: 40 }, (_, index) => signed(index)))
  const bad = good.map((check, index) => ({ ...check, digest: digestOf(index + 1) }))
  const answers = await Promise.all([...good, ...bad].map(check => checks.isSigned(check)))
  expect(answers).toEqual([...good.map(() => true), ...bad.map(() => false)])
  await checks.close()
})

test('what a thread that died was asked is answered all the same', async () => {
  const checks = new KeyChecks(1)
  const check = await signed(1)
  expect(await checks.isSigned(check)).toBe(true)
  const asked = Array.from({ length: 20 }, () => checks.isSigned(check))
  await new Promise(setImmediate)
  await checks.close()
  expect(await Promise.all(asked)).toEqual(asked.map(() => true))
  expect(await checks.isSigned(check)).toBe(true)
  await checks.close()
})

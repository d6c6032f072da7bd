import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSmallDisk, type SmallDisk } from '../../ops/chaos/small-disk.ts'
import { rows } from '../../sql/db.ts'
import { createBytes } from '../support/data/bytes.ts'
import { createNoisyPng } from '../support/images/png.ts'
import { eventually } from '../support/machine/eventually.ts'
import type { Answer } from '../support/stack/client.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

const MIB = 2 ** 20
const disk: SmallDisk | undefined = await openSmallDisk(24)

let stack: Stack
let customer: Customer
beforeAll(async () => {
  if (!disk) return
  stack = await startStack({ dataDir: disk.path })
  customer = await stack.customer()
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await disk?.[Symbol.asyncDispose]()
})

function testOnSmallDisk(title: string, run: (disk: SmallDisk) => Promise<void>): void {
  test(title, async ({ skip }) => {
    if (disk) await run(disk)
    else skip('needs the permission to mount a small disk')
  })
}

const buildResizeBody = (side: number) => ({
  file: { inline: createNoisyPng(side).toString('base64') },
  width: 50,
  format: 'webp',
})
const PNG = { 'content-type': 'image/png' }

async function expectFull(answer: Answer): Promise<void> {
  expect([answer.status, answer.body.code]).toEqual([507, 'STORAGE_FULL'])
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(await customer.money()).toEqual({ balance: 1_000_000n, held: 0n })
}

testOnSmallDisk('a raw body larger than the disk is refused and leaves nothing behind', async disk => {
  const before = await disk.freeBytes()
  await expectFull(await customer.post('/v1/utils/hash', createBytes(30 * MIB), PNG))
  expect(before - (await disk.freeBytes())).toBeLessThan(MIB / 4)
})

testOnSmallDisk('on a full disk every call that stores a file is refused, for free', async disk => {
  await disk.fill()
  try {
    await expectFull(await customer.post('/v1/image/resize?width=50', createNoisyPng(300), PNG))
    await expectFull(await customer.post('/v1/image/resize', buildResizeBody(300)))
    await expectFull(await customer.post('/v1/image/resize', buildResizeBody(80)))
    const text = 'x'.repeat(2_000)
    await expectFull(await customer.post('/v1/utils/base64', { action: 'encode', text, outFormat: 'file' }))
    expect((await customer.post('/v1/utils/hash', { text: 'abc', dryRun: true })).status).toBe(200)
    expect((await rows(stack.db, `select from svc.job where status = 'succeeded'`)).length).toBe(0)
    expect((await rows(stack.db, 'select from svc.object')).length).toBe(0)
  } finally {
    await disk.drain()
  }
})

testOnSmallDisk('a full disk is told by the health of the service', async disk => {
  const read = async () => (await stack.anonymous.get('/health')).body
  expect((await read()).checks.disk).toMatchObject({ ok: true, sizeBytes: expect.any(Number) })
  await disk.fill()
  try {
    const { status, checks } = await read()
    expect([status, checks.disk.ok]).toEqual(['degraded', false])
    expect(checks.disk.freeBytes).toBeLessThan(MIB / 2)
  } finally {
    await disk.drain()
  }
  expect((await read()).checks.disk.ok).toBe(true)
})

testOnSmallDisk('calls that need no disk still work, and the others work again when there is room', async disk => {
  await disk.fill()
  const other = await stack.customer()
  expect((await other.post('/v1/utils/hash', { text: 'abc' })).status).toBe(200)
  await disk.drain()
  const answer = await eventually('the store to work again', async () => {
    const found = await other.post('/v1/image/resize', buildResizeBody(300))
    return found.status === 200 && found
  })
  expect(answer.body.image).toMatchObject({ width: 50, format: 'webp' })
})

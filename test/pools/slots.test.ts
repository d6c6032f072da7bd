import { expect, test } from 'vitest'
import { Slots } from '../../pools/slots.ts'

const never = new AbortController().signal

test('runs as many as the limit allows, and the rest in order of arrival', async () => {
  const slots = new Slots(2)
  const order: number[] = []
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const done = gates.map(({ promise }, index) =>
    slots.use(never, () => {
      order.push(index)
      return promise
    }),
  )
  expect([slots.running, slots.waiting]).toEqual([2, 3])
  gates[1]!.resolve()
  await done[1]
  expect(order).toEqual([0, 1, 2])
  for (const gate of gates) gate.resolve()
  await Promise.all(done)
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect([slots.running, slots.waiting]).toEqual([0, 0])
})

test('can be resized while it is used', async () => {
  const slots = new Slots(1)
  const gate = Promise.withResolvers<void>()
  const all = Array.from({ length: 4 }, () => slots.use(never, () => gate.promise))
  slots.resize(3)
  expect([slots.running, slots.waiting]).toEqual([3, 1])
  slots.resize(1)
  gate.resolve()
  await Promise.all(all)
  expect(slots.running).toBe(0)
})

test('removes a waiter that is cancelled', async () => {
  const slots = new Slots(1)
  const gate = Promise.withResolvers<void>()
  const first = slots.use(never, () => gate.promise)
  const stop = new AbortController()
  const second = slots.use(stop.signal, async () => 'ran')
  stop.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  expect(slots.waiting).toBe(0)
  gate.resolve()
  await first
  expect(await slots.use(never, async () => 'free')).toBe('free')
})

test('frees the slot if the work fails', async () => {
  const slots = new Slots(1)
  await expect(slots.use(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(slots.running).toBe(0)
})

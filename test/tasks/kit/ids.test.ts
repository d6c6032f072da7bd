import { expect, test } from 'vitest'
import { isApiKey, isLane, isUuid, keyPrefix, LANES, laneOf, mayUse, newApiKey, newId } from '#kit'

test('ids are version 7, distinct, and ordered by time', () => {
  const ids = Array.from({ length: 5000 }, (_, index) => newId(1_700_000_000_000 + index))
  expect(ids.every(id => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
  expect(ids.every(isUuid)).toBe(true)
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(Array.from({ length: 5000 }, () => newId(0))).size).toBe(5000)
})

test('an id contains its time', () => {
  expect(newId(1_645_557_742_000.7).slice(0, 13)).toBe('017f22e2-79b0')
})

test.each(['live', 'test'] as const)('recognises a key for %s, and its prefix does not reveal it', mode => {
  const key = newApiKey(mode)
  expect(isApiKey(key)).toBe(true)
  expect(key).toMatch(new RegExp(`^svc_${mode}_[0-9a-f]{32}$`))
  expect(keyPrefix(key)).toBe(key.slice(0, 17))
})

test.each([
  '',
  'svc_live_',
  `svc_prod_${'0'.repeat(32)}`,
  `svc_live_${'0'.repeat(31)}`,
  `svc_live_${'G'.repeat(32)}`,
  `x${newApiKey('live')}`,
])('does not accept %j as a key', text => {
  expect(isApiKey(text)).toBe(false)
})

test.each(['', 'x', '017f22e279b07cc398c4dc0c0c07398f', '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}'])(
  'does not accept %j as an id',
  text => {
    expect(isUuid(text)).toBe(false)
  },
)

test('the lane of an operation is that of its heaviest tool', () => {
  expect([laneOf([]), laneOf(['jose']), laneOf(['jose', 'sharp']), laneOf(['sharp', 'qpdf', 'jose'])]).toEqual([
    'thread',
    'thread',
    'native',
    'program',
  ])
  expect(LANES.every(isLane)).toBe(true)
  expect(isLane('toString')).toBe(false)
})

test('workers may get jobs with the tools of their lanes and of lighter ones', () => {
  const listLanes = (tool: 'jose' | 'sharp' | 'qpdf' | 'web') => LANES.filter(lane => mayUse([lane], tool))
  expect(listLanes('jose')).toEqual(['thread', 'native', 'program', 'remote'])
  expect(listLanes('sharp')).toEqual(['native', 'program', 'remote'])
  expect(listLanes('qpdf')).toEqual(['program', 'remote'])
  expect(listLanes('web')).toEqual(['remote'])
  expect([mayUse(['thread', 'native'], 'sharp'), mayUse(['thread', 'native'], 'qpdf')]).toEqual([true, false])
  expect(mayUse([], 'jose')).toBe(false)
})

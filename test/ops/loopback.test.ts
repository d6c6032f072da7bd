import { expect, test } from 'vitest'
import { isLoopback, reachOwn } from '../../ops/loopback.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::1', '[::1]'],
  ['fd00::5', '[fd00::5]'],
  ['10.0.0.7', '10.0.0.7'],
  ['db.internal', 'db.internal'],
])('a server that listens on %s is reached at %s', (host, reached) => {
  expect(reachOwn(host)).toBe(reached)
})

test('addresses of this machine are told from those that begin like them', () => {
  for (const url of ['http://localhost', 'http://127.0.0.1:8080', 'http://[::1]/x']) expect(isLoopback(url)).toBe(true)
  for (const url of [
    'https://localhost',
    'http://localhost.evil.example',
    'http://127.evil.example',
    'http://10.0.0.1',
  ])
    expect(isLoopback(url)).toBe(false)
})

import { expect, test } from 'vitest'
import { addEvents, addProblems, PROBLEMS, type product, WEBHOOK_EVENTS } from '#kit'
import { collectScopes, findScope } from '../../../api/oauth/scopes.ts'
import { products } from '../../../tasks/products/index.ts'

test('a code or an event that is declared twice is refused', () => {
  expect(() => addProblems({ NOT_FOUND: [404, 'There is none.'] })).toThrow('NOT_FOUND is declared twice')
  const [name, event] = Object.entries(WEBHOOK_EVENTS)[0]!
  expect(() => addEvents({ [name]: event })).toThrow(`${name} is declared twice`)
})

test('what products declare is in the tables of the service', () => {
  expect(products.map(({ name }) => name)).toContain('mailbox')
  for (const { events = {}, problems = {} } of products as readonly ReturnType<typeof product>[]) {
    for (const code of Object.keys(problems)) expect(PROBLEMS).toHaveProperty(code)
    for (const name of Object.keys(events)) expect(WEBHOOK_EVENTS).toHaveProperty([name])
  }
})

test('a scope is declared once, for reading or writing, beside those of the platform', () => {
  const text = 'Read your bookings.'
  const bookings = { name: 'bookings', scopes: { 'bookings:read': text } as const }
  expect(collectScopes([bookings])).toMatchObject({ 'mcp:read': expect.any(String), 'bookings:read': text })
  expect(() => collectScopes([bookings, { ...bookings, name: 'other' }])).toThrow('bookings:read is declared twice')
  expect(() => collectScopes([{ ...bookings, scopes: { 'mcp:write': text } }])).toThrow('mcp:write is declared twice')
  const everything = { name: 'bookings', scopes: { 'bookings all:read': text } as const }
  expect(() => collectScopes([everything])).toThrow('which is no scope')
})

test('a route needs the scope of its product, or of another one of its family', () => {
  const auth = ['key'] as const
  const scopeOf = (product: string, at: string) => findScope({ product, at, auth })
  expect(scopeOf('baton', 'GET /v1/baton')).toBe('batons:read')
  expect(scopeOf('vector', 'POST /v1/baton/{id}/vectors')).toBe('batons:write')
  expect(scopeOf('mailbox', 'DELETE /api/mailbox/{id}')).toBe('leases:write')
  expect(scopeOf('pipeline', 'GET /v1/pipelines')).toBe(undefined)
  expect(findScope({ product: 'location', at: 'POST /v1/location/route', auth, price: {} })).toBe('mcp:write')
  expect(findScope({ product: 'baton', at: 'GET /v1/baton/prices', auth: ['none'] })).toBe(undefined)
})

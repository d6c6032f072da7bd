import { expect, test } from 'vitest'
import { addEvents, addProblems, PROBLEMS, type product, WEBHOOK_EVENTS } from '#kit'
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

import { expect, test } from 'vitest'
import type { ListedEntity } from '../../../tasks/products/screening/entity.ts'
import { prepareEntity } from '../../../tasks/products/screening/prepare.ts'

const entityOf = (names: ListedEntity['names']) =>
  ({ sourceId: '1', type: 'person', families: ['sanctions'], names, identifiers: [] }) as unknown as ListedEntity

test('an entry is found by each of its names, however many it has, and names of the same words are one', () => {
  const syllables = ['ba', 'ko', 'li', 'mu', 'ne']
  const many = Array.from({ length: 125 }, (_, at) => [at % 5, Math.floor(at / 5) % 5, Math.floor(at / 25)])
  const names = many.map(at => `${at.map(one => syllables[one]).join('')} nemo`)
  const listed = [...names, ...names.map(name => name.toUpperCase())].map(
    name => ({ type: 'strong-aka', name }) as const,
  )
  expect(prepareEntity(entityOf(listed)).names.map(([, name]) => name)).toEqual(names)
  const [kept] = prepareEntity(
    entityOf([
      { type: 'weak-aka', name: 'The Baron' },
      { type: 'primary', name: 'the BARON' },
    ]),
  ).names
  expect(kept).toEqual(['primary', 'the BARON', 'the baron'])
})

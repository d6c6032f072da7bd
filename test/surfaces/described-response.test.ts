import { expect, test } from 'vitest'
import { createResponseCheck } from '../support/stack/described-response.ts'

const content = (schema: object) => ({ content: { 'application/json': { schema } } })
const check = createResponseCheck({
  paths: {
    '/v1/things/{id}': {
      get: {
        responses: {
          200: content({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
    '/v1/things/all': { get: { responses: { 200: content({ type: 'array' }) } } },
    '/v1/files/{key}': { get: { responses: { 200: { content: { 'application/octet-stream': {} } } } } },
  },
  components: {
    responses: {
      NotFound: { description: 'Not Found.\n\n- `NOT_FOUND`: It is gone.', ...content({ type: 'object' }) },
    },
  },
})

test.each([
  ['/v1/things/1?a=b', 200, { id: '1' }],
  ['/v1/things/1', 404, { code: 'NOT_FOUND' }],
  ['/v1/things/all', 200, []],
  ['/v1/files/a/b.json', 200, 1],
  ['/v1/unknown', 500, {}],
])('as described: %s %i', (path, status, body) => {
  expect(check({ method: 'GET', path, status, body })).toBeUndefined()
})

test.each([
  ['/v1/things/1', 200, { id: 1 }, 'data/id must be string'],
  ['/v1/things/1', 409, {}, 'a status that is not described'],
  ['/v1/things/1', 404, { code: 'GONE' }, 'a code that is not described'],
  ['/v1/things/all', 200, { id: '1' }, 'data must be array'],
])('not as described: %s %i %j', (path, status, body, fault) => {
  expect(check({ method: 'GET', path, status, body })).toContain(fault)
})

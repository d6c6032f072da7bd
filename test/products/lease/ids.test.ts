import { expect, test } from 'vitest'
import { parseWireId } from '../../../api/products/lease/index.ts'

test.each([
  ['lse_', '01a23160-bdb8-7e1b-b97d-9236cc2e1cec', 'lease_id'],
  ['msg_', 'lse_00000001f315497fb6de5a691de3ede8', 'message_id'],
  ['hof_', 'hof_1', 'handoff_id'],
] as const)('an id of another form is refused with where %s… comes from', (prefix, text, name) => {
  expect(() => parseWireId(prefix, text)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', hints: { reason: expect.stringContaining(name) } }),
  )
})

test('an id has its UUID', () => {
  expect(parseWireId('msg_', 'msg_00000001f315497fb6de5a691de3ede8')).toBe('00000001-f315-497f-b6de-5a691de3ede8')
})

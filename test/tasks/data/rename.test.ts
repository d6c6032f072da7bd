import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const rename = async (options: object, text = 'First Name,lastName,HTTPPort\n1,2,3\n') =>
  (await runTable('rename', { file: { text }, ...options })).written.split('\n')[0]

test.each([
  [{ map: { lastName: 'last' } }, 'First Name,last,HTTPPort'],
  [{ case: 'snake' }, 'first_name,last_name,http_port'],
  [{ case: 'camel' }, 'firstName,lastName,httpPort'],
  [{ case: 'kebab' }, 'first-name,last-name,http-port'],
  [{ case: 'title' }, 'First Name,Last Name,Http Port'],
  [{ prefix: 'a_', suffix: '_z' }, 'a_First Name_z,a_lastName_z,a_HTTPPort_z'],
  [{ regex: { find: '([A-Z])[a-z]*', replace: '<$1>' } }, '<F> <N>,last<N>,<H><T><T><P><P>'],
  [{ map: { lastName: 'x', HTTPPort: 'X' } }, 'First Name,x,X_2'],
])('renames with %j', async (options, header) => {
  expect(await rename(options)).toBe(header)
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ map: { nope: 'x' } }, 'COLUMN_NOT_FOUND'],
  [{ map: { lastName: 'x', HTTPPort: 'X' }, dedupe: false }, 'COLUMN_EXISTS'],
  [{ regex: { find: '(', replace: '' } }, 'REGEX_INVALID'],
])('rejects %j', async (options, code) => {
  await expect(rename(options)).rejects.toMatchObject({ code })
})

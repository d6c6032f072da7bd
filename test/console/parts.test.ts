import { expect, test } from 'vitest'
import { renderAccount } from '../../api/console/parts/jobs.ts'
import { NO_ACCOUNT } from '../../api/intake/identity/anonymous.ts'

test('a job of the service itself links to no account', () => {
  const id = '01a227e6-ec2e-752c-abc0-d062e1108fbc'
  expect(renderAccount(id, 'Ada').text).toBe(`<a href="/accounts/${id}">Ada</a>`)
  expect(renderAccount(NO_ACCOUNT).text).toBe('the service')
})

import { expect } from 'vitest'
import type { NamedOperation } from '../../../tasks/index.ts'
import type { Customer } from '../stack/start.ts'
import { withSamples } from './vary-examples.ts'

/** What cannot run on this installation says so before any charge, with what is missing. */
export async function expectUnavailable(customer: Customer, { path, examples }: NamedOperation): Promise<void> {
  const before = await customer.money()
  const { status, body } = await customer.post(path, withSamples(examples[0]!.input))
  expect([status, body.code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
  expect(await customer.money()).toEqual(before)
}

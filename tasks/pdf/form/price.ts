import { type Price, perCall } from '#kit'
import type { FormInput } from './fields.ts'

export const MAX_RECORDS = 100

export const FORM_PRICE: Price<FormInput> = perCall('0.001', [
  {
    when: '`records` are given',
    factor: 2,
    applies: ({ action, records }) => action !== 'list' && records !== undefined,
    unit: 'record',
    units: ({ records }) => records!.length,
    maxUnits: MAX_RECORDS,
  },
  { when: '`action` is `fill` or `flatten`', factor: 3, applies: ({ action }) => action !== 'list' },
])
